"""Warnings of sizes that are clipped to the table, and of searches that stopped early, for all weights of columns."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bayesieve import NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve.exceptions import ClippedSelectionWarning, DataError

X, Y = make_classification(90, n_features=4, n_informative=3, n_redundant=0, random_state=0)


@pytest.mark.parametrize("n_features", [9, (9, 12)])
def test_more_columns_than_there_are(n_features):
    selector = NaiveBayesSelector(n_features=n_features, cv=2, discretizer="equal_frequency")
    with pytest.warns(ClippedSelectionWarning, match=r"is more than the 4 columns that can be selected; 4 is used"):
        selector.fit(X, Y)
    assert selector.n_features_ == 4


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")  # of searches without time
@pytest.mark.parametrize("weights", ["none", "averaged", "fractional", "penalized"])
def test_a_search_without_time_is_not_complete(weights):
    assert SelectiveNaiveBayes(weights=weights).fit(X, Y).path_.complete
    stopped = SelectiveNaiveBayes(weights=weights, max_time=0).fit(X, Y)
    assert not stopped.path_.complete
    assert np.isfinite(stopped.predict_proba(X)).all()


@pytest.mark.parametrize(("search", "is_known"), [("forward", True), ("backward", True), ("floating", False)])
def test_the_time_that_is_left_is_told_where_steps_can_be_counted(caplog, search, is_known):
    selector = NaiveBayesSelector(search=search, n_features=2, cv=2, discretizer="equal_frequency", verbose=1)
    assert selector.fit(X, Y).n_features_ == 2
    assert any(record.message.endswith("about 0 s left") for record in caplog.records) == is_known


def test_a_table_of_constant_columns_names_the_first():
    with pytest.raises(DataError, match=r"is constant .for instance 'x0'"):
        NaiveBayesSelector().fit(np.zeros((90, 3)), Y)
    with pytest.raises(DataError, match=r"is constant .for instance 'x0'"):
        NaiveBayesSelector().fit(np.zeros((90, 1)), Y)
