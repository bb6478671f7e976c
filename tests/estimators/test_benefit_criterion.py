"""Selection by what decisions bring."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from bayesieve import BenefitClassifier, BoostSelector, NaiveBayesSelector, SelectiveNaiveBayes, VoteSelector
from bayesieve.decisions import best_actions, expected_benefits, mailing_benefits, realized_benefits
from bayesieve.exceptions import DataError, ParameterError


def letters(seed, n=1500):
    """One column predicts who answers among the poor, another among the rich; only the rich are worth a letter."""
    rng = np.random.default_rng(seed)
    rich = rng.random(n) < 0.3
    poor_sign, rich_sign = rng.normal(size=(2, n))
    x = -1.5 + np.where(rich, 0.8 * rich_sign, 1.6 * poor_sign)
    y = (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int)
    X = pd.DataFrame({"poor_sign": poor_sign, "rich_sign": rich_sign, "noise": rng.normal(size=n)})
    return X, y, mailing_benefits(np.where(rich, 20.0, 1.0), 4.0)


def selector(**changes):
    options = {"criterion": "benefit", "n_features": 1, "discretizer": "equal_frequency"}
    return NaiveBayesSelector(**(options | changes))


def test_money_chooses_other_columns():
    X, y, benefits = letters(0)
    assert selector(criterion="brier").fit(X, y).path_.order == ("poor_sign",)
    assert selector().fit(X, y, benefits=benefits).path_.order == ("rich_sign",)


@pytest.mark.parametrize("model", [NaiveBayesSelector, SelectiveNaiveBayes])
def test_scores_are_out_of_fold_benefits(model):
    X, y, benefits = letters(1, n=600)
    options = {"criterion": "benefit", "n_features": "all", "discretizer": "equal_frequency", "cv": 3}
    if model is SelectiveNaiveBayes:
        options |= {"weights": "none", "bins": "best"}
    path = model(**options).fit(X, y, benefits=benefits).path_
    means = []
    for fitting, scored in StratifiedKFold(3).split(X, y):
        plain = {"weights": "none", "bins": "best", "discretizer": "equal_frequency", "n_features": "all"}
        fitted = SelectiveNaiveBayes(**plain, cv=0).fit(X.iloc[fitting], y[fitting])
        chosen = best_actions(expected_benefits(fitted.predict_proba(X.iloc[scored]), benefits[scored]))
        means.append(realized_benefits(chosen, y[scored], benefits[scored]).mean())
    assert path.steps[-1].score == pytest.approx(np.mean(means), abs=1e-8)
    assert path.criterion == "benefit"


def test_backends_threads_and_matrices_agree():
    X, y, benefits = letters(2, n=500)
    paths = [
        selector(n_features="all", backend=backend, n_jobs=n).fit(X, y, benefits=benefits).path_.to_dict()
        for backend, n in (("reference", 1), ("auto", 1), ("auto", 2))
    ]
    assert paths[0] == paths[1] == paths[2]
    matrix = [[0, 0], [-4, 16]]
    one = selector(n_features="all", benefit_matrix=matrix).fit(X, y)
    each = selector(n_features="all").fit(X, y, benefits=np.repeat([matrix], 500, axis=0))
    assert one.path_.to_dict() == each.path_.to_dict()


def test_three_classes_and_two_actions():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    X = pd.DataFrame({"two": (y == 2) + 0.7 * rng.normal(size=300), "one": (y == 1) + 0.1 * rng.normal(size=300)})
    found = selector(benefit_matrix=[[0, 0, 0], [-1, -1, 2]]).fit(X, y)
    assert found.path_.order == ("two",)


def test_the_decision_maker_hands_benefits_on():
    X, y, benefits = letters(4)
    inner = SelectiveNaiveBayes(
        criterion="benefit", weights="none", bins="best", discretizer="equal_frequency", n_features=1
    )
    fitted = BenefitClassifier(inner).fit(X, y, benefits=benefits)
    assert fitted.estimator_.path_.order == ("rich_sign",)
    assert fitted.realized_benefit(X, y, benefits=benefits).total > 0


def test_the_decision_maker_tells_expected_amounts():
    X, y, benefits = letters(4)
    X = X.assign(gift=benefits[:, 1, 1] + 4.0)
    plain = {"weights": "none", "bins": "best", "discretizer": "equal_frequency", "drop": "gift", "n_features": 1}
    inner = SelectiveNaiveBayes(criterion="benefit", **plain)
    by_column = BenefitClassifier(inner, "gift", cost=4.0).fit(X, y)
    same = SelectiveNaiveBayes(criterion="benefit", **plain).fit(X, y, benefits=benefits)
    assert by_column.estimator_.path_.to_dict() == same.path_.to_dict()
    assert same.path_.order == ("rich_sign",)
    mean = BenefitClassifier(inner, cost=4.0).fit(X, y, amounts=np.where(y == 1, X["gift"], np.nan))
    assert mean.estimator_.path_.criterion == "benefit"


def test_a_checkpoint_knows_its_benefits(tmp_path):
    X, y, benefits = letters(5, n=400)
    one = selector(checkpoint=tmp_path).fit(X, y, benefits=benefits)
    other = selector(checkpoint=tmp_path).fit(X, y, benefits=10 * benefits)
    assert len(list(tmp_path.iterdir())) == 2
    assert other.path_.steps[0].score == pytest.approx(10 * one.path_.steps[0].score)


def test_refusals():
    X, y, benefits = letters(6, n=100)
    with pytest.raises(ParameterError, match=r"needs benefit_matrix=\.\.\. or fit.*neither is given"):
        selector().fit(X, y)
    with pytest.raises(ParameterError, match="both are given"):
        selector(benefit_matrix=np.eye(2)).fit(X, y, benefits=benefits)
    with pytest.raises(DataError, match="got the shape"):
        selector().fit(X, y, benefits=benefits[:7])
    with pytest.raises(ParameterError, match="benefits are of training rows only"):
        selector().fit(X, y, benefits=benefits, X_val=X, y_val=y)
    for other in (NaiveBayesSelector(), SelectiveNaiveBayes(), VoteSelector(), BoostSelector()):
        with pytest.raises(ParameterError, match="benefits would be ignored"):
            other.fit(X, y, benefits=benefits)
    with pytest.raises(ParameterError, match="weights='none' or 'penalized', got 'averaged'"):
        SelectiveNaiveBayes(criterion="benefit", weights="averaged", benefit_matrix=np.eye(2)).fit(X, y)
