"""ESNB against its definition: MODL bins, forward selection by exact AUC on the training rows, the best chi-square."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bayesieve import MODLDiscretizer, SelectiveNaiveBayes


def auc(scores, y):
    """Return the exact area: pairs in order, ties by half."""
    positive, negative = scores[y == 1][:, None], scores[y == 0][None, :]
    twice = 2 * int((positive > negative).sum()) + int((positive == negative).sum())
    return Fraction(twice, 2 * positive.size * negative.size)


def evidence(bins, name, codes, y):
    """Return log P(bin | 1) - log P(bin | 0) of each row."""
    n, n_bins = len(y), bins.partitions_[name].n_bins
    extra = 1 / (n + 1)
    shares = [
        (np.bincount(codes[y == c], minlength=n_bins) + extra) / ((y == c).sum() + n_bins * extra) for c in (0, 1)
    ]
    return np.log(shares[1] / shares[0])[codes]


def brute_force(X, y):
    """Return the columns in the order in which they enter, and the log-odds of the rows."""
    bins = MODLDiscretizer(prior="2006").fit(X, y)
    names, codes = [f"x{j}" for j in range(X.shape[1])], bins.transform(X)
    contributions = {
        name: evidence(bins, name, np.asarray(codes)[:, j].astype(int), y)
        for j, name in enumerate(names)
        if bins.partitions_[name].n_bins > 1
    }
    candidates = sorted(contributions, key=lambda name: (-bins.partitions_[name].level, names.index(name)))
    order, scores, best = [], np.full(len(y), np.log((y == 1).sum() / (y == 0).sum())), Fraction(1, 2)
    while rest := [name for name in candidates if name not in order]:
        # To 2^-16 nats, as keys are: sums that are equal on paper must be equal here too.
        areas = [auc(np.rint((scores + contributions[name]) * 2**16), y) for name in rest]
        if max(areas) <= best:
            break
        best = max(areas)
        order.append(rest[areas.index(best)])
        scores = scores + contributions[order[-1]]
    return order, scores


@pytest.mark.parametrize("seed", range(6))
def test_the_columns_and_the_threshold(seed):
    X, y = make_classification(150, 8, n_informative=4, flip_y=0.1, class_sep=0.8, random_state=seed)
    X = np.column_stack([X, X[:, 0]])  # a twin ties with its original
    order, scores = brute_force(X, y)
    model = SelectiveNaiveBayes.esnb().fit(X, y)
    assert list(model.path_.order) == order
    assert set(model.feature_weights_.values()) <= {1.0}
    np.testing.assert_allclose(np.diff(model.predict_log_proba(X), axis=1)[:, 0], scores, atol=1e-6)

    def chi2(accepted):
        a, b = int((accepted & (y == 1)).sum()), int((accepted & (y == 0)).sum())
        c, d = int((y == 1).sum()) - a, int((y == 0).sum()) - b
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        return Fraction((a * d - b * c) ** 2, margins) if margins and a * d > b * c else Fraction(0)

    assert chi2(model.predict(X) == 1) == max(chi2(scores > cut - 1e-6) for cut in scores)


def test_of_equal_candidates_the_more_informative_enters():
    """Both order the rows alike, but a column of three bins has a higher level than its copy with another one moved."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    strong = np.repeat([0.0, 1.0], 100)
    # Perfect too, but its ones are in two places, which costs more to say.
    split = np.where(strong == 1, rng.choice([1.0, -1.0], 200), 0.0)
    for columns, first in (((split, strong), "x1"), ((strong, split), "x0")):
        X = np.column_stack(columns)
        bins = MODLDiscretizer(prior="2006").fit(X, y).partitions_
        assert max(bins, key=lambda name: bins[name].level) == first
        assert SelectiveNaiveBayes.esnb().fit(X, y).path_.order == (first,)


def test_changes():
    model = SelectiveNaiveBayes.esnb(threshold="ber", n_features=3)
    assert (model.criterion, model.cv, model.threshold, model.n_features) == ("lift", 0, "ber", 3)
