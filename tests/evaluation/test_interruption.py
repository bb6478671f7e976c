"""An evaluation that was killed at any moment is resumed and gives the identical table."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from evaluation.slow_classifier import SELECTORS, Slow, X, Y, run
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

from bayesieve import FilterSelector, evaluate
from bayesieve.data.document import seal
from bayesieve.exceptions import DataError, InterruptedSearchWarning, OutputError

PROGRAM = """
import sys
from evaluation.slow_classifier import run

if __name__ == "__main__":
    run(sys.argv[1], n_jobs=2)
"""


class Interrupting(BaseEstimator):
    """A selector that raises KeyboardInterrupt in its third fit."""

    fits = 0

    def fit(self, X, y):
        Interrupting.fits += 1
        if Interrupting.fits == 3:
            raise KeyboardInterrupt
        self.n_ = X.shape[1]
        return self

    def get_support(self):
        return np.arange(self.n_) == 0


def test_a_journal_cut_at_any_byte_gives_the_identical_table(tmp_path):
    journal = tmp_path / "journal.jsonl"
    complete = run(journal).to_frame()
    assert complete.equals(run().to_frame())
    written = journal.read_bytes()
    assert len(written.splitlines()) == 10
    for length in np.random.default_rng(1).integers(0, len(written), 8).tolist():
        journal.write_bytes(written[:length])
        assert run(journal).to_frame().equals(complete)
        assert sorted(journal.read_bytes().splitlines()) == sorted(written.splitlines())


@pytest.mark.slow
def test_a_killed_process_is_resumed(tmp_path):
    journal = tmp_path / "journal.jsonl"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "SECONDS_PER_FIT": "0.1", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, str(program), str(journal)], env=environment, stderr=subprocess.DEVNULL)
    while not (journal.exists() and journal.stat().st_size) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 0 < len(journal.read_bytes().splitlines()) < 10
    assert run(journal).to_frame().equals(run().to_frame())


def test_records_of_another_setting_are_refused(tmp_path):
    journal = tmp_path / "journal.jsonl"
    run(journal)
    for data, options in [((X + 1, Y), {}), ((X, 1 - Y), {}), ((X, Y), {"random_state": 1})]:
        with pytest.raises(DataError, match="records of other settings"):
            evaluate(SELECTORS, Slow(), data, sizes=[1, 3], cv=5, journal=journal, **options)
    # Another selector adds records; those of other selectors are kept.
    more = {"chi2": FilterSelector("chi2", discretizer="equal_width")}
    added = evaluate(more, Slow(), (X, Y), sizes=[1, 3], cv=5, journal=journal)
    assert added.to_frame()["selector"].unique().tolist() == ["chi2"]
    assert len(journal.read_bytes().splitlines()) == 15
    changed = {"chi2": FilterSelector("chi2", discretizer="equal_width", n_features=2)}
    with pytest.raises(DataError, match="records of other settings"):
        evaluate(changed, Slow(), (X, Y), sizes=[1, 3], cv=5, journal=journal)
    journal.write_text("[]\n")
    with pytest.raises(DataError, match=r"Line 1 of .* is not a record"):
        run(journal)


def test_a_changed_digit_is_refused(tmp_path):
    journal = tmp_path / "journal.jsonl"
    run(journal)
    content = journal.read_bytes()
    digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
    for i in np.random.default_rng(0).choice(digits, 12, replace=False):
        changed = b"%d" % ((int(chr(content[i])) + 1) % 10)
        journal.write_bytes(content[:i] + changed + content[i + 1 :])
        with pytest.raises(DataError, match=r"Line \d+ of .* is not a record of this evaluation, or was edited"):
            run(journal)


@pytest.mark.parametrize("line", [b"[" * 200_000, b'{"n": ' + b"9" * 5000 + b"}", b"\xff\xfe", b"", b"{}"])
def test_a_hostile_line_is_refused(tmp_path, line):
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(line + b"\n")
    with pytest.raises(DataError, match=r"Line 1 of .* is not a record"):
        run(journal)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Return the first record of a journal."""
    journal = tmp_path_factory.mktemp("record") / "journal.jsonl"
    run(journal)
    record = json.loads(journal.read_bytes().splitlines()[0])
    del record["checksum"]
    return record


@pytest.mark.parametrize(
    "change",
    [
        {"fold": "0"}, {"data": 1}, {"selector": []}, {"sizes": [1]}, {"sizes": None}, {"n_features": [1, "x"]},
        {"order": [0, 1, 99]}, {"order": [0]}, {"subsets": [[0]]}, {"subsets": 3}, {"scores": []},
        {"scores": {"Slow": {}}},
        {"n_columns": 1.5}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_of_other_types_is_refused(tmp_path, record, change):
    journal = tmp_path / "journal.jsonl"
    journal.write_text(json.dumps(seal(record | change, finite=False)) + "\n")
    with pytest.raises(DataError, match=r"Line 1 of .* is not a record"):
        run(journal)


def test_a_repair_keeps_every_finished_job(tmp_path, monkeypatch):
    journal = tmp_path / "journal.jsonl"
    run(journal)
    written = journal.read_bytes()
    for rest in (b"", b'{"half'):  # without its line feed, the last record is still complete
        journal.write_bytes(written[:-1] if not rest else written + rest)
        monkeypatch.setattr(Slow, "fit", None)
        run(journal)  # no job is left
        monkeypatch.undo()
    lines = written.splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + lines[4][:50])

    def killed(*arguments):
        assert journal.read_bytes() == b"".join(lines[:4])
        raise KeyboardInterrupt

    monkeypatch.setattr(Slow, "fit", killed)
    with pytest.warns(InterruptedSearchWarning, match="after 4 of 10 jobs"):
        run(journal)
    assert journal.read_bytes() == b"".join(lines[:4])
    monkeypatch.undo()
    assert run(journal).to_frame().equals(run().to_frame())


def test_records_reach_the_disk(tmp_path, monkeypatch):
    flushed, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: flushed.append(file) or fsync(file))
    run(tmp_path / "journal.jsonl")
    assert len(flushed) == 10


def test_a_journal_that_cannot_be_written_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(Slow, "fit", None)  # no job is begun
    with pytest.raises(OutputError, match=r"The journal '.*' cannot be written: No such file or directory\."):
        run(tmp_path / "missing" / "journal.jsonl")
    with pytest.raises(DataError, match=r"The journal '.*' cannot be read: Is a directory\."):
        run(tmp_path)
    monkeypatch.undo()

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"The journal '.*' cannot be written: No space left on device\."):
        run(tmp_path / "journal.jsonl")


def test_interrupted_by_hand(tmp_path):
    journal = tmp_path / "journal.jsonl"
    with pytest.warns(InterruptedSearchWarning, match="after 2 of 5 jobs"):
        interrupted = evaluate(Interrupting(), GaussianNB(), (X, Y), cv=5, journal=journal)
    assert not interrupted.complete
    assert interrupted.to_frame()["fold"].tolist() == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        complete = evaluate(Interrupting(), GaussianNB(), (X, Y), cv=5, journal=journal)
    assert complete.complete
    assert complete.to_frame()["fold"].tolist() == [0, 1, 2, 3, 4]
