"""Evaluations of rows in blocks: the table of rows in this process, or a sentence that says why not."""

import pytest
from cut_tables import cut, mixed_table
from sklearn.linear_model import LogisticRegression

from bayesieve import Learner, NaiveBayesSelector, SelectiveNaiveBayes, evaluate
from bayesieve.exceptions import DataError, ParameterError


def test_blocks_give_the_table_of_all_rows():
    table, y = mixed_table()
    selectors = {"forward": NaiveBayesSelector(), "all": None}
    classifiers = {"plain": SelectiveNaiveBayes(weights="none"), "weighted": SelectiveNaiveBayes()}
    found = [evaluate(selectors, classifiers, data, sizes=[1, 3], cv=3) for data in ((table, y), (cut(table, y), None))]
    assert found[0].to_frame().equals(found[1].to_frame())
    assert found[0].selections().equals(found[1].selections())


def test_what_needs_rows_in_this_process_is_refused():
    table, y = mixed_table(200)
    blocks = (cut(table, y, ends=(0, 100)), None)
    with pytest.raises(DataError, match="Rows in blocks are compared with classifiers that fit them where they are"):
        evaluate(None, LogisticRegression(), blocks, cv=3)
    with pytest.raises(ParameterError, match="A grid of parameters is tuned on rows in this process"):
        evaluate(None, Learner(SelectiveNaiveBayes(), {"weights": ["none", "penalized"]}), blocks, cv=3)
    with pytest.raises(ParameterError, match="n_jobs=2: rows in blocks"):
        evaluate(None, SelectiveNaiveBayes(), blocks, cv=3, n_jobs=2)
