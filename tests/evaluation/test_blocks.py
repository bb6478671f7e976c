"""Evaluations of rows in blocks equal those of rows in memory, or raise an error that names the reason."""

import pytest
from cut_tables import cut, mixed_table
from sklearn.linear_model import LogisticRegression

from bayesieve import Learner, NaiveBayesSelector, SelectiveNaiveBayes, evaluate
from bayesieve.exceptions import DataError, ParameterError


@pytest.mark.slow
def test_blocks_give_the_table_of_all_rows():
    table, y = mixed_table()
    selectors = {"forward": NaiveBayesSelector(), "all": None}
    classifiers = {"plain": SelectiveNaiveBayes(weights="none"), "weighted": SelectiveNaiveBayes()}
    evaluations = [
        evaluate(selectors, classifiers, data, sizes=[1, 3], cv=3) for data in ((table, y), (cut(table, y), None))
    ]
    assert evaluations[0].to_frame().equals(evaluations[1].to_frame())
    assert evaluations[0].selections().equals(evaluations[1].selections())


def test_options_that_need_rows_in_memory_are_refused():
    table, y = mixed_table(200)
    blocks = (cut(table, y, ends=(0, 100)), None)
    with pytest.raises(DataError, match="Rows in blocks need classifiers that fit rows in blocks"):
        evaluate(None, LogisticRegression(), blocks, cv=3)
    with pytest.raises(ParameterError, match="A grid of hyperparameters needs rows in memory"):
        evaluate(None, Learner(SelectiveNaiveBayes(), {"weights": ["none", "penalized"]}), blocks, cv=3)
    with pytest.raises(ParameterError, match="n_jobs=2: rows in blocks"):
        evaluate(None, SelectiveNaiveBayes(), blocks, cv=3, n_jobs=2)
