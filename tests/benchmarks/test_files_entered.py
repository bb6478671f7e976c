"""The library stays small to read: files that a call enters, and branches on the number of classes."""

import pytest

pytest.importorskip("typer", reason="the command line comes with an extra")
pytest.importorskip("pandas", reason="tables of the calls are data frames")

from benchmarks import files_entered

from bayesieve._native import available

MOST = {  # files, and functions with 2 % more
    "ScorecardClassifier().fit": (69, 723),
    "SelectiveNaiveBayes().fit": (52, 416),
    "NaiveBayesSelector().fit": (60, 423),
    "ScorecardClassifier.predict_proba": (11, 71),
    "bayesieve fit": (132, 1160),
    "bayesieve fit --report": (139, 1350),
}
MOST_BRANCHES = 3

LONG = ("bayesieve fit", "bayesieve fit --report")


@pytest.mark.skipif(not available(), reason="the twins of kernels are functions, too")
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in MOST])
def test_a_call_enters_few_files(name):
    entered = files_entered.entered(name)
    n_files, n_functions = MOST[name]
    assert len(entered.files) <= n_files, "\n".join(entered.files)
    assert len(entered.functions) <= n_functions, "\n".join(entered.functions)
    assert {each.partition(":")[0] for each in entered.functions} == set(entered.files)


def test_few_lines_branch_on_two_classes_or_on_dimensions():
    branches = files_entered.branches_on_classes()
    assert len(branches) <= MOST_BRANCHES, "\n".join(branches)
