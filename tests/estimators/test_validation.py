"""On which rows subsets are scored."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import plain_bayes
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from bayesieve import NaiveBayesSelector
from bayesieve.exceptions import DataError, ParameterError

X, Y = make_classification(160, n_features=5, n_informative=3, n_redundant=0, random_state=0)
GROUPS = np.repeat(np.arange(16), 10)


def make(kind=NaiveBayesSelector, **parameters):
    """Return an estimator that searches all five columns, the weak ones too."""
    return kind(**({"discretizer": "equal_frequency"} | parameters))


def fit(cv, y=Y, **parameters):
    return make(cv=cv, n_features=3).fit(X, y, **parameters)


def scores(cv, **parameters):
    return [step.split_scores for step in fit(cv, **parameters).path_.steps]


def brier(model, rows, labels):
    """Return the Brier score summed over classes, by definition."""
    truth = (labels[:, None] == model.classes_).astype(float)
    return float(((model.predict_proba(rows) - truth) ** 2).sum(axis=1).mean())


def test_training_rows():
    selector = fit(0)
    (visit,) = [v for v in selector.path_.visits() if v.n_features == 2]
    model = make(plain_bayes, cv=0, keep=np.isin([f"x{j}" for j in range(5)], visit.columns), n_features=2)
    assert -visit.score == pytest.approx(brier(model.fit(X, Y), X, Y), abs=1e-9)
    assert visit.split_scores == (visit.score,)


def test_folds_are_learnt_without_their_rows():
    selector = fit(4)
    visit = selector.path_.of_size(2)
    keep = np.isin([f"x{j}" for j in range(5)], visit.columns)
    expected = []
    for fitting, scored in StratifiedKFold(4).split(X, Y):
        model = make(plain_bayes, cv=0, keep=keep, n_features=2).fit(X[fitting], Y[fitting])
        expected.append(-brier(model, X[scored], Y[scored]))
    assert visit.split_scores == pytest.approx(expected, abs=1e-9)
    assert visit.score == pytest.approx(np.mean(expected), abs=1e-9)


def test_final_tables_are_learnt_on_all_rows():
    model = make(plain_bayes, cv=4, n_features=2).fit(X, Y)
    again = make(plain_bayes, cv=0, keep=model.support_, n_features=2).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


def test_forms_that_are_the_same():
    folds = list(StratifiedKFold(4).split(X, Y))
    masks = [(np.isin(np.arange(160), a), np.isin(np.arange(160), b)) for a, b in folds]
    assert scores(4) == scores(StratifiedKFold(4)) == scores(folds) == scores(masks)
    assert scores(0.25) == scores(StratifiedShuffleSplit(1, test_size=0.25, random_state=0))
    # The two classes have as many rows, so that the columns decide which of them is divided first.
    splits = [StratifiedShuffleSplit(1, test_size=0.25, random_state=0).split(X, y) for y in (Y, 1 - Y)]
    assert scores(0.25) in [scores(list(split)) for split in splits]


def test_repeated_folds():
    assert len(scores(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))[0]) == 6


def test_text_labels_make_the_same_folds():
    words = np.where(Y == 1, "yes", "no")
    assert scores(4) == scores(4, y=words) == scores(4, y=words.astype(object)) == scores(4, y=Y.astype(object))
    assert scores(KFold(3)) == scores(KFold(3), y=words)


@pytest.mark.parametrize("library", [np.asarray, pd.DataFrame, lambda rows: pl.DataFrame(rows, schema=list("abcde"))])
def test_a_given_set(library):
    fitting, scored = np.arange(100), np.arange(100, 160)
    selector = make(n_features=3)
    selector.fit(library(X[fitting]), Y[fitting], X_val=library(X[scored]), y_val=Y[scored])
    expected = scores([(fitting, scored)])
    assert [step.split_scores for step in selector.path_.steps] == expected


class TestGivenSetsThatDoNotFit:
    frame = pd.DataFrame(X, columns=list("abcde"))

    @pytest.mark.parametrize(
        ("given", "kind", "message"),
        [
            ((frame, None), ParameterError, "X_val and y_val belong together"),
            ((frame[["a", "b"]], Y), DataError, "has 2 columns; the training table has 5"),
            ((frame[list("abced")], Y), DataError, "has the column 'e' where"),
            ((frame, np.where(Y == 1, 7, 0)), DataError, "the class .*7.*, which the training target does not have"),
            ((frame, Y[:10]), DataError, "The target has 10 rows and the table has 160"),
        ],
        ids=range(5),
    )
    def test_refused(self, given, kind, message):
        with pytest.raises(kind, match=message):
            make().fit(self.frame, Y, X_val=given[0], y_val=given[1])


def test_groups_stay_together():
    assert scores(4, groups=GROUPS) == scores(list(StratifiedGroupKFold(4).split(X, Y, GROUPS)))
    assert scores(GroupKFold(4), groups=GROUPS) == scores(list(GroupKFold(4).split(X, Y, GROUPS)))
    splitter = GroupShuffleSplit(2, random_state=0)
    assert scores(splitter, groups=GROUPS) == scores(list(splitter.split(X, Y, GROUPS)))
    assert scores(4, groups=GROUPS) == scores(4, groups=[f"g{i:02}" for i in GROUPS])
    assert scores(4, groups=GROUPS) != scores(4)


def test_groups_and_a_share():
    with pytest.raises(ParameterError, match="cv is a share and groups are given"):
        fit(0.3, groups=GROUPS)


def test_groups_of_another_length():
    with pytest.raises(DataError, match=r"groups has shape \(10,\); the table has 160 rows"):
        fit(4, groups=GROUPS[:10])


@pytest.mark.parametrize("discretizer", ["equal_frequency", "modl"])
def test_rows_of_weight_zero_are_in_no_fold(discretizer):
    weights = (np.arange(160) % 4 > 0).astype(float)
    kept = weights > 0
    with_zeros = make(cv=4, discretizer=discretizer).fit(X, Y, sample_weight=weights)
    without = make(cv=4, discretizer=discretizer).fit(X[kept], Y[kept])
    assert with_zeros.path_.to_dict() == without.path_.to_dict()


@pytest.mark.parametrize("discretizer", ["equal_frequency", "modl"])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.filterwarnings("ignore:No column improves")
def test_a_weight_of_k_is_k_copies(given, discretizer):
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, 120)
    validation = {"X_val": X[120:], "y_val": Y[120:]} if given else {}
    copies = np.repeat(np.arange(120), weights)
    weighted = make(cv=0, discretizer=discretizer).fit(X[:120], Y[:120], sample_weight=weights, **validation)
    copied = make(cv=0, discretizer=discretizer).fit(X[copies], Y[copies], **validation)
    assert weighted.path_.to_dict() == copied.path_.to_dict()
    assert weighted.why_ == copied.why_


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (90, "cv=90 folds need a class with that many rows, but the largest of 160 has"),
        ([], "No fold of cv has two classes"),
        ([(np.flatnonzero(Y == 1), np.arange(9))], "No fold of cv has two classes"),
        ([1, 2, 3], "must be a list of pairs .* got int 1"),
        ([([0, 1], [999])], "positions below 160"),
        ([(["a"], ["b"])], "must be a list of pairs"),
        ([([0, 1], [2], [3])], "must be a list of pairs"),
    ],
    ids=range(7),
)
def test_refused_folds(cv, message):
    with pytest.raises(ParameterError, match=message):
        fit(cv)


def test_a_class_of_one_row_and_a_share():
    lonely = np.append(Y[:-1], 2)
    with pytest.raises(ParameterError, match="a class has one row only"):
        fit(0.3, y=lonely)


def test_a_class_rarer_than_folds_is_absent_from_some():
    rare = Y.copy()
    rare[:2] = 2
    selector = fit(5, y=rare)
    assert len(selector.path_.steps[0].split_scores) == 5
    assert selector.classes_.tolist() == [0, 1, 2]
