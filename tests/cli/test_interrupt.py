"""Ctrl-C at any time of a command: one sentence, which is true, and the exit code of an interrupted program."""

import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from bayesieve.cli.app import app
from bayesieve.cli.fit_outputs import FitProgress
from bayesieve.report import FoldCache

PROGRAM = """
import os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupter())
from bayesieve.cli import main
main()
"""
EARLY = "Interrupted before the command began; nothing was read or written.\n"
AGAIN = "the same command starts from the beginning"


def interrupt(module, *arguments, before=""):
    command = [sys.executable, "-c", before + PROGRAM, module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def file(tmp_path):
    values = np.random.default_rng(0).normal(size=(120, 3)).round(2)
    lines = [f"{a},{b},{c},{'yes' if a + b > 0 else 'no'}" for a, b, c in values]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,bought", *lines]))
    return tmp_path / "data.csv"


@pytest.mark.parametrize("module", ["typer", "bayesieve.cli.rank", "numpy", "sklearn.utils", "bayesieve.cli.fit_text"])
def test_while_libraries_are_loaded_nothing_is_done(file, module):
    done = interrupt(module, "fit", file, "--target", "bought")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", EARLY)


def test_a_program_that_ignores_it_goes_on():
    done = interrupt("typer", "--version", before="import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n")
    assert (done.returncode, done.stderr) == (0, "")


def test_before_the_model_is_fitted(file):
    done = interrupt("bayesieve.data.files.delimited", "fit", file, "--target", "bought")
    assert done.returncode == 130
    advice = f"{AGAIN} (use --checkpoint FOLDER to resume later)"
    assert done.stderr == f"Interrupted before a model was fitted; nothing was written; {advice}.\n"


def test_an_empty_folder_is_no_promise(file, tmp_path):
    folder = tmp_path / "kept"
    done = interrupt("bayesieve.data.files.delimited", "fit", file, "--target", "bought", "--checkpoint", folder)
    assert done.returncode == 130
    assert done.stderr.endswith(f"nothing is stored in {folder} yet, so that {AGAIN}.\n")


def test_of_a_fit_on_a_test_file_no_model_is_claimed(file, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesieve.cli.fit_in_memory.predict_file", interrupted)
    model, test = tmp_path / "m.json", tmp_path / "test.csv"
    test.write_text("\n".join(file.read_text().splitlines()[:90]))
    given = [file, "--target", "bought", "--test", test, "--model", model]
    done = CliRunner().invoke(app, ["fit", *map(str, given)])
    assert done.exit_code == 130
    assert done.stderr == f"Interrupted before the evaluation was complete; nothing was written; {AGAIN}.\n"
    assert not model.exists()


def test_sentences(tmp_path):
    fitted = FitProgress(is_fitted=True, written=["the model was written to m.json"])
    start = "Interrupted before the evaluation was complete; the model was written to m.json; "
    assert fitted.interrupted(None) == f"{start}{AGAIN} (use --checkpoint FOLDER to resume later)."
    fitted.cache, fitted.n_folds = FoldCache(tmp_path, "key"), 3
    (tmp_path / "of another fit").touch()
    assert fitted.interrupted(tmp_path) == f"{start}nothing is stored in {tmp_path} yet, so that {AGAIN}."
    fitted.cache._path(1).touch()
    resume = "run the same command again to resume"
    assert fitted.interrupted(tmp_path) == f"{start}1 of 3 folds are stored in {tmp_path}: {resume}."
    unknown = "Interrupted before a model was fitted; nothing was written; the same command resumes with what"
    assert FitProgress().interrupted(tmp_path) == f"{unknown} {tmp_path} has of this fit."
    assert FitProgress(stores=False).interrupted(None).endswith(f"; {AGAIN}.")


def test_a_folder_that_is_not_made_yet_is_no_promise(tmp_path):
    absent = tmp_path / "absent"
    assert FitProgress().interrupted(absent).endswith(f"nothing is stored in {absent} yet, so that {AGAIN}.")
