"""scikit-learn's names of scorers stand for criteria, wherever a criterion is named."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import get_scorer_names

from bayesieve import NaiveBayesSelector, SelectiveNaiveBayes, VoteSelector
from bayesieve.search.criteria import ALL_CRITERIA, SCORER_NAMES

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:150, :6], Y[:150]


def test_they_exist_on_both_sides():
    assert set(SCORER_NAMES) <= set(get_scorer_names())
    assert set(SCORER_NAMES.values()) <= set(ALL_CRITERIA)


@pytest.mark.parametrize("name", SCORER_NAMES)
def test_a_scorer_and_its_criterion_select_the_same(name):
    for make in (
        lambda criterion: NaiveBayesSelector(criterion=criterion, cv=2),
        lambda criterion: NaiveBayesSelector(choose_by=criterion, cv=2),
        lambda criterion: SelectiveNaiveBayes(criterion=criterion, weights="none", cv=2),
        lambda criterion: VoteSelector(criterion=criterion, cv=0),
    ):
        scorer, criterion = (make(each).fit(X, Y) for each in (name, SCORER_NAMES[name]))
        assert scorer.path_.criterion == criterion.path_.criterion
        assert scorer.path_.steps == criterion.path_.steps
        assert np.array_equal(scorer.get_support(), criterion.get_support())


@pytest.mark.parametrize("name", ["average_precision", "f1", "r2"])
def test_other_scorers_are_refused_by_name(name):
    with pytest.raises(ValueError, match=r"'criterion' parameter of NaiveBayesSelector.*roc_auc.*Got '" + name):
        NaiveBayesSelector(criterion=name).fit(X, Y)
