"""An evaluation that was killed at any moment is resumed and gives the identical table."""

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
from bayesieve.exceptions import DataError, InterruptedSearchWarning

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


def test_a_killed_process_is_resumed(tmp_path):
    journal = tmp_path / "journal.jsonl"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "SECONDS_PER_FIT": "0.1", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, str(program), str(journal)], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
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
