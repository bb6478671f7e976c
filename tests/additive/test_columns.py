"""Columns that take part: of a wide table the best alone, in every fold without its rows; and units of weights."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from bayesieve import ScorecardClassifier
from bayesieve.additive import columns as module, constants
from bayesieve.additive.loss import loss_of_classes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_best_columns_alone_take_part(monkeypatch, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 14))
    X[:, 11] = X[:, 9]
    scores = 1.5 * X[:, [2, 9, 4][:n_classes]] + rng.gumbel(size=(400, n_classes))
    y = scores.argmax(axis=1)
    monkeypatch.setattr(constants, "MOST_COLUMNS", 4)
    model = ScorecardClassifier(n_pairs=0).fit(X, y)
    chosen = {"x2", "x9"} if n_classes == 2 else {"x2", "x9", "x4"}
    assert chosen <= set(model.path_.order)
    reasons = {name: why["reason"] for name, why in model.why_.items() if not why["selected"]}
    left_out = [name for name, reason in reasons.items() if "with the largest log Bayes factors alone" in reason]
    assert len(left_out) > 2
    assert not {"x2", "x9", "x11"} & set(left_out)
    assert "the same values, up to order, as 'x9'" in reasons["x11"]
    kept = ScorecardClassifier(n_pairs=0, keep=[left_out[0]]).fit(X, y)
    assert left_out[0] in kept.path_.order


def log_bayes_factor(slope, curvature):
    """Return that of the score of one bin, N(0, 0.4), by a sum over a fine grid."""
    grid = np.linspace(-12.0, 12.0, 24001)
    return np.log((np.exp(slope * grid - curvature * grid**2 / 2.0) * norm.pdf(grid, scale=0.4**0.5)).sum() * 0.001)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_of_the_largest_bayes_factors_take_part(monkeypatch, n_classes):
    rng = np.random.default_rng(n_classes)
    n_bins, mass = [2, 5, 3, 9, 2, 4, 3, 8], np.array([30, 50, 40][:n_classes])
    counts = [np.array([rng.multinomial(m, rng.dirichlet(np.full(n, 4.0))) for m in mass]).T for n in n_bins]
    begins = np.cumsum([0, *n_bins[:-1]])
    shares = mass / mass.sum()
    factors = []
    for own in counts:
        classes = range(1, 2) if n_classes == 2 else range(n_classes)
        bins = [(own[v, c], own[v].sum(), shares[c]) for v in range(len(own)) for c in classes]
        factors.append(sum(log_bayes_factor(n - p * total, p * (1.0 - p) * total) for n, total, p in bins))
    problem = SimpleNamespace(unit=0.5, locked=frozenset(), loss=loss_of_classes(n_classes), numbers=None)
    for most in range(1, len(n_bins)):
        monkeypatch.setattr(constants, "MOST_COLUMNS", most)
        best = np.argsort(-np.array(factors))[:most]
        # Counts are in units of the weights.
        assert module._largest(problem, 2 * np.concatenate(counts), begins) == sorted(best.tolist())


@pytest.mark.parametrize("unit", [1.0, 2.0**-40, 1e300, 1e-300])
def test_weights_add_up_to_what_sums_can_hold(unit):
    segment = SimpleNamespace(weights=np.array([1, 5, 1000], dtype=np.int64))
    total = segment.weights.sum() * module._unit(segment, unit)
    assert 1.0 <= total <= 2.0**50
    assert unit != 1.0 or total == 1006.0
