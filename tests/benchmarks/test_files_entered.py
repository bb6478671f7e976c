"""The library stays small to read: files that a call enters, and branches on the number of classes."""

import pytest

pytest.importorskip("typer", reason="the command line comes with an extra")
pytest.importorskip("pandas", reason="tables of the calls are data frames")

from benchmarks import files_entered

MOST_FILES = {
    "ScorecardClassifier().fit": 75,
    "SelectiveNaiveBayes().fit": 52,
    "NaiveBayesSelector().fit": 63,
    "ScorecardClassifier.predict_proba": 12,
    "bayesieve fit --report": 171,
}
MOST_BRANCHES = 43


LONG = ("bayesieve fit --report",)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in MOST_FILES])
def test_a_call_enters_few_files(name):
    entered = files_entered.entered(name)
    assert len(entered.files) <= MOST_FILES[name], "\n".join(entered.files)
    assert {each.partition(":")[0] for each in entered.functions} == set(entered.files)


def test_few_lines_branch_on_two_classes_or_on_dimensions():
    branches = files_entered.branches_on_classes()
    assert len(branches) <= MOST_BRANCHES, "\n".join(branches)
