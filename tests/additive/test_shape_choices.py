"""Choices before and along a path of shapes: columns of a wide table, copies, units, pairs, evidence asked again."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from bayesieve.additive.pair_fits import most_influential
from bayesieve.additive.shape_path import PathFit, ShapePath, improves
from scipy.stats import norm
from shape_tables import random_rows

from bayesieve import ScorecardClassifier
from bayesieve.additive import pair_fits, shape_data
from bayesieve.exceptions import InterruptedSearchWarning, ParameterError


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
    problem = SimpleNamespace(unit=0.5, locked=frozenset())
    for most in range(1, len(n_bins)):
        monkeypatch.setattr(shape_data, "_MOST_COLUMNS", most)
        best = np.argsort(-np.array(factors))[:most]
        # Counts are in units of the weights.
        assert shape_data._largest(problem, 2 * np.concatenate(counts), begins) == sorted(best.tolist())


@pytest.mark.parametrize("unit", [1.0, 2.0**-40, 1e300, 1e-300])
def test_weights_add_up_to_what_sums_can_hold(unit):
    segment = SimpleNamespace(weights=np.array([1, 5, 1000], dtype=np.int64))
    total = segment.weights.sum() * shape_data._unit(segment, unit)
    assert 1.0 <= total <= 2.0**50
    assert unit != 1.0 or total == 1006.0


def test_copies_of_two_values_are_named():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    first = np.where(rng.random(300) < 0.8, y, 1 - y)
    numbers = rng.normal(size=(2, 300))
    X = np.column_stack([first, numbers[0] + y, 2.0 * first + 3.0, numbers[1], np.ones(300), np.zeros(300)])
    model = ScorecardClassifier(n_pairs=0, keep=["x3", "x4", "x5"]).fit(X, y)
    assert "the same values, up to order, as 'x0'" in model.why_["x2"]["reason"]
    assert model.why_["x3"]["reason"] == "in keep"
    assert model.why_["x4"]["reason"] == model.why_["x5"]["reason"] == "constant"  # and not copies of each other
    scores = {name: model.why_[name]["score_alone"] for name in ("x0", "x1", "x3")}
    entropy = -np.log([y.mean(), 1.0 - y.mean()]) @ [y.mean(), 1.0 - y.mean()]
    assert scores["x3"] == pytest.approx(-entropy, abs=0.02)  # of no column, by log loss
    assert -entropy + 0.05 < min(scores["x0"], scores["x1"]) < 0.0


@pytest.mark.parametrize("n_features", ["auto", "best", 2])
@pytest.mark.parametrize("pair", [("n1", "n2"), ("n1", "copy")])
def test_given_pairs_are_selected_whatever_their_columns_gain(n_features, pair):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 6))
    y = rng.logistic(size=400) < 3.0 * values[:, 0]
    X = pd.DataFrame(values, columns=["x", "n1", "n2", "n3", "n4", "n5"]).assign(copy=values[:, 2])
    model = ScorecardClassifier(n_features, n_pairs=[pair]).fit(X, y)
    assert model.pairs_ == [pair]
    assert [model.why_[name]["reason"] for name in pair] == ["in a pair of n_pairs"] * 2
    assert model.n_features_ == 2 or model.support_[0]
    with pytest.raises(ParameterError, match="Column 'n1' is both in n_pairs and in drop"):
        ScorecardClassifier(n_features, n_pairs=[pair], drop=["n1"]).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_pair_has_a_price_at_every_size(n_classes):
    """Two columns that have an effect only together: the gain of the pair is what the second of them brings."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(500) < 0.1)
    model = ScorecardClassifier(n_pairs=[(0, 1)], cv=3).fit(X, np.where((X[:, 2] > 1) & (n_classes == 3), 2, y))
    losses = dict(zip(model.cv_results_["n_features"].tolist(), -model.cv_results_["mean_test_score"], strict=True))
    for size in model.selection_.by_size:
        card = model.select(size).scorecard_
        assert len(card.pairs) == (size > 1)
        for pair in card.pairs:
            assert pair.gain == pytest.approx(losses[1] - losses[2], rel=0.1)
            assert f"by {pair.gain:.4f} per row" in model.select(size).why_["x0 × x1"]["reason"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs_of_the_most_influential_columns_are_screened(monkeypatch, n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (9, 50))
    rows = SimpleNamespace(n_classes=n_classes, codes=codes, weights=rng.uniform(0.5, 2.0, 50))
    tables = [rng.normal(size=(4,) if n_classes == 2 else (4, 3)) * rng.uniform() for _ in range(9)]
    monkeypatch.setattr(pair_fits, "_MOST_TABLES", 48)  # 5 columns: 5² / 2 x 3 classes are less, 6² / 2 x 3 are more
    sizes = [(rows.weights @ tables[k].reshape(4, -1)[codes[k]] ** 2).sum() for k in range(9)]
    expected = range(9) if n_classes == 2 else sorted(np.argsort(sizes)[-5:].tolist())
    assert most_influential(rows, range(9), tables).tolist() == list(expected)


def test_a_fit_improves_by_two_standard_errors():
    rows = random_rows(2, n_rows=60)

    def fit(scores):
        return SimpleNamespace(fit=SimpleNamespace(out_of_fold=scores))

    towards = np.where(rows.target == 1.0, 1.0, -1.0)
    assert improves(rows, fit(0.0 * towards), fit(towards))
    assert not improves(rows, fit(towards), fit(0.0 * towards))
    assert not improves(rows, fit(towards), fit(towards))
    rng, weights = np.random.default_rng(0), rows.weights
    for scale in np.linspace(0.0, 0.6, 13):
        scores = scale * towards + rng.normal(size=60)
        gains = np.log(2.0) - np.log1p(np.exp(-towards * scores))
        mean = np.average(gains, weights=weights)
        error = (np.average((gains - mean) ** 2, weights=weights) / weights.sum()) ** 0.5
        assert improves(rows, fit(0.0 * towards), fit(scores)) == (mean > 2.0 * error)


class Asked:
    """Evidence of columns that is given beforehand; remembers which were asked for."""

    def __init__(self, evidence):
        self._evidence, self.asked, self.scores = np.array(evidence), [], None

    def evidence(self, columns):
        self.asked.append(len(columns))
        return self._evidence[list(columns)]

    def run(self, columns, most_cycles, tolerance):
        pass


def copies_of_a_column(seed, n_rows, n_columns):
    rows = random_rows(seed, n_rows=n_rows)
    return replace(
        rows,
        codes=[rows.codes[0]] * n_columns,
        bases=[rows.bases[0]] * n_columns,
        missing=np.full(n_columns, rows.missing[0]),
        monotone=np.zeros(n_columns, dtype=np.int8),
    )


def test_all_evidence_of_many_classes_is_asked_at_six_times_the_size():
    n_columns = 60
    rows = replace(copies_of_a_column(1, 60, n_columns), n_classes=3, target=np.arange(60.0) % 3)
    path = PathFit(rows, None, [(k,) for k in range(n_columns)], "auto", None, ())
    path._adaptive = asked = Asked(np.arange(n_columns, 0.0, -1.0))
    chosen = []
    for _ in range(40):
        chosen.append(path.best()[0])
        path.add(chosen[-1])
    assert chosen == list(range(40))
    assert [size for size, n in enumerate(asked.asked) if n > 4] == [0, 6, 36]


def test_evidence_of_pairs_that_has_risen_is_seen_at_twice_the_size():
    n_columns = 8
    rows = copies_of_a_column(5, 80, n_columns)
    pairs = [(5, 6), (6, 7)]
    factors = {pair: 0.0 for pair in pairs}
    data = SimpleNamespace(evidence=lambda asked, held_out, scores: np.array([factors[pair] for pair in asked]))
    path = PathFit(rows, None, [(k,) for k in range(n_columns)], "auto", data, pairs)
    path._adaptive = Asked([9.0, 8.0, 7.0, 6.0, 5.0, 1.0, 1.0, 1.0])
    chosen = []
    for size in range(5):
        if size == 3:
            factors[6, 7] = 50.0
        chosen.append(path.best()[0])
        path.add(chosen[-1])
    assert chosen[:4] == [0, 1, 2, 3]  # all pairs were asked at the size 2
    assert chosen[4] == 6


def test_a_path_that_stops_short_of_the_smallest_size_keeps_the_largest(monkeypatch):
    """The third column is noise: among allowed sizes, two columns would be enough."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 6))
    y = (2.0 * X[:, 0] + 2.0 * X[:, 1] + rng.logistic(size=300) > 0).astype(int)
    choose, calls = ShapePath.choose, []

    def interrupted(self):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return choose(self)

    monkeypatch.setattr(ShapePath, "choose", interrupted)
    with pytest.warns(InterruptedSearchWarning):
        stopped = ScorecardClassifier(n_features=(4, 6), n_pairs=0).fit(X, y)
    assert stopped.n_features_ == 3
    calls.clear()
    with pytest.warns(InterruptedSearchWarning):
        free = ScorecardClassifier(n_pairs=0).fit(X, y)
    assert free.n_features_ == 2
