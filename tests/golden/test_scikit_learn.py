"""Against scikit-learn: the same posteriors, the same metrics, and the same columns at each forward step."""

import numpy as np
import pytest
from cases import plain_bayes
from draws import draws, meetings
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    make_scorer,
    roc_auc_score,
    zero_one_loss,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB

from bayesieve import NaiveBayesSelector

N_CODES = 4


def sample(seed, n_classes, n_rows=160, n_columns=6):
    """Return codes of which the first columns depend on the class; every code is in every fold."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(0.4, n_rows) - 1, n_classes - 1)  # classes of unequal size
    X = rng.integers(0, N_CODES, (n_rows, n_columns))
    for j in range(n_columns - 1):
        informed = rng.random(n_rows) < 0.15 + 0.1 * j
        X[informed, j] = (y[informed] + rng.integers(0, 2, informed.sum())) % N_CODES
    return X, y


def brier_by_class(y, probabilities):
    """Return the Brier score summed over classes, from scikit-learn's two-class one, which counts one class only."""
    probabilities = np.column_stack([1 - probabilities, probabilities]) if probabilities.ndim == 1 else probabilities
    return sum(brier_score_loss(y == c, probabilities[:, c]) for c in range(probabilities.shape[1]))


# Equal evidence added in another order differs in its last bits and so breaks ties by chance; ten digits restore them.
def weighted_auc(y, probabilities):
    return roc_auc_score(y, probabilities.round(10), multi_class="ovr", average="weighted")


def error(y, probabilities):
    return zero_one_loss(y, predicted(probabilities))


def balanced_error(y, probabilities):
    return 1 - balanced_accuracy_score(y, predicted(probabilities))


def predicted(probabilities):
    probabilities = np.column_stack([1 - probabilities, probabilities]) if probabilities.ndim == 1 else probabilities
    return probabilities.round(10).argmax(axis=1)


def loss_scorer(loss):
    return make_scorer(loss, response_method="predict_proba", greater_is_better=False)


SCORERS = {
    "error": loss_scorer(error),
    "log_loss": "neg_log_loss",
    "brier": loss_scorer(brier_by_class),
    "auc": make_scorer(weighted_auc, response_method="predict_proba"),
    "balanced_error": loss_scorer(balanced_error),
}


def peer_score(X, y, columns, smoothing, criterion, cv):
    peer = CategoricalNB(alpha=smoothing, min_categories=N_CODES)
    return cross_val_score(peer, X[:, columns], y, scoring=SCORERS[criterion], cv=cv).mean()


def folds_of(cv, X, y):
    if cv == 0:
        everything = np.arange(len(y))
        return [(everything, everything)]
    return list(StratifiedKFold(cv).split(X, y))


def peer_choice(X, y, size, smoothing, criterion, cv):
    peer = SequentialFeatureSelector(
        CategoricalNB(alpha=smoothing, min_categories=N_CODES),
        n_features_to_select=size,
        scoring=SCORERS[criterion],
        cv=cv,
    )
    return np.flatnonzero(peer.fit(X, y).get_support()).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "cv"), meetings(SCORERS, [0, 3]))
@pytest.mark.parametrize(("seed", "n_classes", "smoothing"), [(3, 4, 0.5), (0, 2, 1.0), (1, 2, 0.1)][: draws(2, 3)])
def test_forward_takes_the_columns_that_the_peer_takes(criterion, cv, seed, n_classes, smoothing):
    X, y = sample(seed, n_classes)
    cv, size = folds_of(cv, X, y), draws(2, 3)
    ours = NaiveBayesSelector(criterion=criterion, n_features=size, smoothing=smoothing, discretizer=None, cv=cv).fit(
        X, y
    )
    order = [int(column.removeprefix("x")) for column in ours.path_.order]
    for step in ours.path_.steps:
        chosen = order[: step.n_features]
        assert step.score == pytest.approx(peer_score(X, y, chosen, smoothing, criterion, cv), abs=1e-9)
        theirs = peer_choice(X, y, step.n_features, smoothing, criterion, cv)
        if sorted(chosen) != theirs:
            # The peer breaks ties by rounding, and may walk on from there: its subset must be a tie, and we end here.
            assert peer_score(X, y, theirs, smoothing, criterion, cv) == pytest.approx(step.score, abs=1e-9)
            return
    assert len(order) == size


@pytest.mark.parametrize("criterion", ["log_loss", "brier", "auc"])
def test_smooth_criteria_have_no_ties_and_agree_at_every_step(criterion):
    X, y = sample(0, 2)
    cv = folds_of(0, X, y)
    ours = NaiveBayesSelector(criterion=criterion, n_features=3, smoothing=1.0, discretizer=None, cv=0)
    order = [int(column.removeprefix("x")) for column in ours.fit(X, y).path_.order]
    for size in (1, 2, 3):
        assert peer_choice(X, y, size, 1.0, criterion, cv) == sorted(order[:size])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("smoothing", [1e-3, 0.5, 1.0, 10.0])
def test_posteriors_of_all_columns_are_categorical_nb(seed, n_classes, smoothing):
    X, y = sample(seed, n_classes)
    weights = np.random.default_rng(seed).integers(1, 6, len(y))
    ours = plain_bayes(n_features="all", smoothing=smoothing, discretizer=None, cv=0)
    ours.fit(X, y, sample_weight=weights)
    peer = CategoricalNB(alpha=smoothing, min_categories=N_CODES).fit(X, y, sample_weight=weights)
    new = np.random.default_rng([seed, 1]).integers(0, N_CODES, (200, X.shape[1]))
    np.testing.assert_allclose(ours.predict_proba(new), peer.predict_proba(new), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.predict_log_proba(new), peer.predict_log_proba(new), rtol=1e-8, atol=1e-8)
    assert (ours.predict(new) == peer.predict(new)).all()


def path_score(X, y, criterion, weights=None):
    """Return the score of all columns on the training rows, and the probabilities that it scores."""
    ours = plain_bayes(criterion=criterion, n_features="all", smoothing=1.0, discretizer=None, cv=0)
    ours.fit(X, y, sample_weight=weights)
    return ours.path_.scores[-1], ours.predict_proba(X)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_auc_of_two_classes_is_roc_auc(seed, weighted):
    X, y = sample(seed, 2)
    weights = np.random.default_rng(seed).random(len(y)) if weighted else None
    score, probabilities = path_score(X, y, "auc", weights)
    expected = roc_auc_score(y, probabilities[:, 1].round(10), sample_weight=weights)
    assert score == pytest.approx(expected, abs=1e-9 if weighted else 1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [3, 4])
def test_auc_of_more_classes_is_weighted_one_versus_rest(seed, n_classes):
    # Few columns, few distinct beliefs: none within 2^-16 of each other, where ours tie and the peer's do not.
    X, y = sample(seed, n_classes, n_columns=4)
    score, probabilities = path_score(X, y, "auc")
    assert score == pytest.approx(weighted_auc(y, probabilities), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_are_those_of_the_metrics(seed, n_classes):
    X, y = sample(seed, n_classes)
    weights = np.random.default_rng(seed).integers(1, 5, len(y))
    score, probabilities = path_score(X, y, "log_loss", weights)
    assert -score == pytest.approx(log_loss(y, probabilities, sample_weight=weights), abs=1e-10)
    score, probabilities = path_score(X, y, "brier", weights)
    parts = [brier_score_loss(y == c, probabilities[:, c], sample_weight=weights) for c in range(n_classes)]
    assert -score == pytest.approx(sum(parts), abs=1e-10)
