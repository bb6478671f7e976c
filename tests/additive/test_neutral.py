"""Missing values that are neutral: their score is the mean of the others, and these are the best ones then."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp

from bayesieve import Column, ScorecardClassifier, load, open_parquet
from bayesieve.additive.fit import start_fit
from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.priors import ShapePriors, column_basis
from bayesieve.additive.rows import AdditiveRows
from bayesieve.additive.train import ALL_ROWS
from bayesieve.exact import in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.fit import block_folds

N_BINS = 4  # that of missing values first


def rows_with_gaps(seed, n_classes, nominal):
    """Return rows of two columns, of which the first has missing values that know much of the class."""
    rng = np.random.default_rng(seed)
    n = 80
    target = rng.integers(0, n_classes, n)
    codes = [np.where(rng.random(n) < 0.4, target % 3, rng.integers(0, 3, n)) + 1 for _ in "ab"]
    codes[0][(target == 1) & (rng.random(n) < 0.6)] = 0
    codes[1] = codes[1] - 1
    masses = [np.bincount(codes[0], minlength=N_BINS) + 0.0, np.bincount(codes[1], minlength=3) + 0.0]
    values = [None if nominal else (np.arange(3.0), (0.0, 2.0)), (np.arange(3.0), (0.0, 2.0))]
    bases = [
        column_basis(mass, own, has_missing=first)
        for mass, own, first in zip(masses, values, (True, False), strict=True)
    ]
    return AdditiveRows(
        codes,
        bases,
        np.array([True, False]),
        np.zeros(2, dtype=np.int8),
        target * 1.0,
        np.ones(n),
        np.array([n]),
        loss=loss_of_classes(n_classes),
        neutral=[masses[0], None],
    )


def constrained_optimum(rows, variance):
    """Return the scores of all rows at the penalized optimum where the first column is 0 in the mean, and if missing.

    This is the specification: all present bins are free, and the mean that they have over the rows is taken out.
    """
    n, truth, shares = rows.loss.n_scores, rows.target.astype(np.intp), rows.neutral_shares(0)[1:]

    def tables(x):
        free = x[n:].reshape(6, n)
        own = free[:3] - shares @ free[:3]
        return [np.concatenate([np.zeros((1, n)), own]), free[3:]]

    def scores(x):
        return x[:n] + sum(table[own] for table, own in zip(tables(x), rows.codes, strict=True))

    def loss(x):
        z, penalty = rows.loss.class_scores(scores(x)), 0.0
        for basis, table, first in zip(rows.bases, tables(x), (1, 0), strict=True):
            if basis.nominal:
                penalty += (table[first:] ** 2).sum() / (2 * variance / 4)
            else:
                gaps = basis.gaps[first:-1, None]
                penalty += (np.diff(table[first:], axis=0) ** 2 / (2 * variance * gaps)).sum()
        return (logsumexp(z, axis=1) - z[np.arange(len(z)), truth]).sum() + penalty

    return scores(minimize(loss, np.zeros(7 * n), method="BFGS").x)


@pytest.mark.parametrize("backend", ["auto", "reference"])
@pytest.mark.parametrize(("n_classes", "nominal"), [(2, False), (2, True), (3, False), (4, False)])
@pytest.mark.parametrize("seed", range(3))
def test_a_member_reaches_the_constrained_optimum(seed, n_classes, nominal, backend):
    rows, variance = rows_with_gaps(seed, n_classes, nominal), 0.5
    fit = start_fit(rows, ShapePriors((variance,), (), (variance / 4,)), None, backend=backend)
    fit.run([0, 1], 400, 1e-12)
    found, best = (rows.loss.class_scores(each) for each in (fit.scores, constrained_optimum(rows, variance)))
    # Categories are centered after each update, where the prior would have them near 0.
    assert_allclose(found - found[:, :1], best - best[:, :1], atol=0.03 if nominal else 2e-3)
    table, shares = fit.tables[0], rows.neutral_shares(0)
    assert_allclose(table[0], shares @ table, atol=1e-9)


def table_with_gaps(n_rows=700, n_classes=2, seed=0):
    """Return columns whose missing values know of the class, by themselves and in a pair, and their target."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, n_rows))
    y = np.where(rng.logistic(size=n_rows) < 1.5 * a + 2.0 * np.sign(b * c), 1, 0)
    if n_classes > 2:
        y[a > 1.0] = 2
    town = np.array(["x", "y", "z"])[(rng.integers(3, size=n_rows) + y) % 3].astype(object)
    gone = rng.random((3, n_rows)) < np.where(y == 1, 0.5, 0.1)
    columns = {
        "a": np.where(gone[0], np.nan, a),
        "b": b,
        "c": np.where(gone[1], np.nan, c),
        "town": np.where(gone[2], None, town),
    }
    return pl.DataFrame(columns, strict=False).with_columns(pl.col("a", "c").fill_nan(None)), y


def points_of_missing(card):
    return {
        table.name: in_nats(table.table[table.partition.n_bins - 1]) for table in card.tables if table.partition.missing
    }


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_missing_values_add_nothing(n_classes, backend, tmp_path):
    X, y = table_with_gaps(n_classes=n_classes)
    learned = ScorecardClassifier(n_features=4, backend=backend).fit(X, y)
    assert max(np.ptp(own) for own in points_of_missing(learned.scorecard_).values()) > 0.3
    model = ScorecardClassifier(n_features=4, missing="neutral", backend=backend).fit(X, y)
    card = model.scorecard_
    assert set(points_of_missing(card)) == {"a", "c", "town"}
    for own in points_of_missing(card).values():
        assert_array_equal(own, 0.0)
    assert all("b" in pair.names for pair in card.pairs)
    assert not any({"a", "c", "town"} & set(pair.names) for pair in card.pairs)
    nothing = pl.DataFrame({"a": [None], "b": [0.1], "c": [None], "town": [None]}, schema=X.schema)
    (explained,) = model.explain(nothing, classes=tuple(model.classes_[:2]))
    for each in explained.contributions:
        assert (each.log_odds == 0.0) == (each.column != "b")
    model.save(tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))
    best = [np.max(each.cv_results_["mean_test_score"]) for each in (model, learned)]
    assert best[0] < best[1]  # here missing values are informative


def test_one_column_may_be_neutral_and_engines_agree():
    X, y = table_with_gaps()
    columns = {"a": Column(missing="neutral")}
    model = ScorecardClassifier(n_features=4, columns=columns).fit(X, y)
    points = points_of_missing(model.scorecard_)
    assert_array_equal(points.pop("a"), 0.0)
    assert all(own.any() for own in points.values())
    twin = ScorecardClassifier(n_features=4, columns=columns, backend="reference").fit(X, y)
    assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    same = ScorecardClassifier(n_features=4, missing="neutral", columns={"c": Column(missing="learn")}).fit(X, y)
    assert points_of_missing(same.scorecard_)["c"].any()
    with pytest.raises(ParameterError, match="Column 'a' has missing values that are neutral, so it can be in no pair"):
        ScorecardClassifier(columns=columns, n_pairs=[("a", "b")]).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_sampled", [10_000, 600])
def test_rows_in_blocks_have_neutral_points(tmp_path, monkeypatch, n_classes, n_sampled):
    X, y = table_with_gaps(1500, n_classes)
    X.with_columns(y=pl.Series(y)).write_parquet(tmp_path / "rows.parquet")
    rows = open_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(block_folds, "_MOST_ROWS", n_sampled)
    settings = {"n_features": "best", "missing": "neutral"}
    in_blocks = ScorecardClassifier(**settings).fit(rows.drop("y"), rows["y"])
    points = points_of_missing(in_blocks.scorecard_)
    assert "a" in points
    for own in points.values():
        assert_array_equal(own, 0.0)
    if n_sampled > len(y):
        in_memory = ScorecardClassifier(**settings).fit(X, y)
        assert_allclose(in_blocks.predict_proba(X), in_memory.predict_proba(X), atol=1e-12)
    else:
        assert in_blocks.path_.phases[-1].name == ALL_ROWS
