"""A fit on a sparse table is the fit on the same table in full."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from cases import plain_bayes
from draws import meetings
from sklearn.base import clone

from bayesieve import NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve._native import available
from bayesieve.search import SEARCHES

FORMATS = [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.coo_array]
KINDS = [NaiveBayesSelector, plain_bayes]
BOTH = pytest.mark.parametrize("kind", KINDS)
RULES = ["modl", "equal_frequency", "equal_width", None]


def make_data(n_rows=300, seed=0):
    """Return columns mostly of zeros: with missing values, of negative numbers, without zeros, of noise, empty."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = np.zeros((n_rows, 9))
    X[:, 0] = (rng.random(n_rows) < 0.1 + 0.3 * (y == 0)) * rng.integers(1, 5, n_rows)
    X[:, 1] = (rng.random(n_rows) < 0.1 + 0.3 * (y == 1)) * rng.normal(2, 1, n_rows)
    X[:, 2] = (rng.random(n_rows) < 0.2) * rng.normal(size=n_rows)
    X[:, 3] = np.where(rng.random(n_rows) < 0.1 + 0.4 * (y == 2), np.nan, X[:, 0])
    X[:, 4] = rng.normal(size=n_rows) + y + 10
    X[:, 5] = -1.0 * (rng.random(n_rows) < 0.2 + 0.2 * y)
    X[:, 6] = np.where(rng.random(n_rows) < 0.3 * (y == 1), np.nan, 0)
    X[:, 7] = np.where(rng.random(n_rows) < 0.5, np.nan, rng.normal(size=n_rows))
    return X.round(1), y


X, Y = make_data()
NEW, _ = make_data(80, seed=1)


def same(sparse, dense, form):
    assert sparse.path_ == dense.path_
    assert sparse.why_ == dense.why_
    assert list(sparse.cv_results_) == list(dense.cv_results_)
    for key, values in dense.cv_results_.items():
        np.testing.assert_array_equal(sparse.cv_results_[key], values)
    assert sparse.partitions_.keys() == dense.partitions_.keys()
    for name, partition in dense.partitions_.items():
        words, others = ([p.describe(c) for c in range(p.n_bins)] for p in (partition, sparse.partitions_[name]))
        assert words == others
    for rows in (X, NEW):
        if isinstance(dense, SelectiveNaiveBayes):
            for method in ("predict", "predict_proba", "predict_log_proba"):
                expected = getattr(dense, method)(rows)
                for model, table in ((sparse, form(rows)), (sparse, rows), (dense, form(rows))):
                    np.testing.assert_array_equal(getattr(model, method)(table), expected)
        else:
            out = sparse.transform(form(rows))
            assert sp.issparse(out)
            np.testing.assert_array_equal(out.toarray(), dense.transform(rows))


@cache
def fit_in_full(kind, discretizer):
    return kind(discretizer=discretizer, cv=3, scoring=["auc"], tol=None).fit(X, Y)


# Each rule meets each format with one of both kinds; with both by `make nightly`.
MEETINGS = [
    (kind, form, RULES[(FORMATS.index(form) + r) % 4]) for r in range(4) for form, kind in meetings(FORMATS, KINDS)
]


@pytest.mark.parametrize(("kind", "form", "discretizer"), MEETINGS)
def test_same_fit(kind, form, discretizer):
    dense = fit_in_full(kind, discretizer)
    assert dense.n_features_ >= 2
    assert dense.why_["x8"]["reason"] == "constant"
    same(clone(dense).fit(form(X), Y), dense, form)


@pytest.mark.parametrize(("kind", "cv"), meetings(KINDS, [0, 0.3]))
@pytest.mark.parametrize("search", SEARCHES)
def test_same_search_on_any_rows(kind, cv, search):
    dense = kind(search, cv=cv).fit(X, Y)
    same(kind(search, cv=cv).fit(sp.csr_array(X), Y), dense, sp.csr_array)


@pytest.mark.parametrize(("kind", "form", "discretizer"), meetings(KINDS, FORMATS[:4], ["equal_frequency", "modl"]))
def test_same_scores_on_a_given_set(kind, form, discretizer):
    given, labels = make_data(100, seed=2)
    dense = kind(discretizer=discretizer).fit(X, Y, X_val=given, y_val=labels)
    for table, scored in ((form(X), form(given)), (form(X), given), (X, form(given))):
        same(kind(discretizer=discretizer).fit(table, Y, X_val=scored, y_val=labels), dense, form)


@pytest.mark.parametrize(("kind", "discretizer"), meetings(KINDS, RULES))
def test_same_fit_with_weights_and_wishes(kind, discretizer):
    weights = np.random.default_rng(3).integers(0, 8, len(Y)) / 2
    how = {
        "discretizer": discretizer,
        "keep": [2],
        "drop": ["x4"],
        "feature_groups": {"g": [0, 5]},
        "n_features": (2, 4),
    }
    dense = kind(**how).fit(X, Y, sample_weight=weights)
    assert dense.support_[2]
    assert dense.n_features_ >= 2
    same(kind(**how).fit(sp.csc_matrix(X), Y, sample_weight=weights), dense, sp.csc_matrix)


@BOTH
def test_what_is_left_out_is_the_same(kind):
    dense = kind(n_features="all").fit(X, Y)
    left = [name for name, entry in dense.why_.items() if entry["reason"] == "uninformative: a single bin is optimal"]
    assert left == ["x2", "x7"]
    same(kind(n_features="all").fit(sp.coo_matrix(X), Y), dense, sp.coo_matrix)


@pytest.mark.parametrize("discretizer", ["modl", "equal_frequency"])
def test_zeros_that_are_stored_and_entries_in_parts(discretizer):
    """Entries of the same cell add up, and a stored zero is a zero."""
    rows, columns = np.nonzero(np.ones_like(X))
    once = sp.coo_matrix((X.ravel(), (rows, columns)), X.shape)
    halves = np.tile(X.ravel() / 2, 2)
    twice = sp.coo_matrix((halves, (np.tile(rows, 2), np.tile(columns, 2))), X.shape)
    dense = plain_bayes(discretizer=discretizer).fit(X, Y)
    for table in (once, twice):
        before = table.data.copy()
        same(plain_bayes(discretizer=discretizer).fit(table, Y), dense, sp.coo_matrix)
        np.testing.assert_array_equal(table.data, before)


def make_thin_data(n_rows, n_columns, share=42):
    """Return a table in which a column has an entry in forty rows or fewer, and a target that some of them tell."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, n_rows, (n_columns, n_rows // share))
    y = rng.integers(0, 2, n_rows)
    y[rows[:3].ravel()] = 1
    values = rng.integers(1, 4, rows.size).astype(float)
    cells = (rows.ravel(), np.repeat(np.arange(n_columns), rows.shape[1]))
    return sp.coo_array((values, cells), (n_rows, n_columns)).tocsc(), y


@pytest.mark.parametrize("criterion", ["log_loss", "auc"])
@pytest.mark.parametrize("cv", [0, 3])
@pytest.mark.parametrize("discretizer", ["modl", None])
def test_same_fit_with_codes_kept_as_entries(discretizer, cv, criterion):
    table, labels = make_thin_data(600, 8)
    full = table.toarray()
    full[:, 7] = np.random.default_rng(1).normal(size=600).round(1) + labels  # next to a column with a code per row
    table = sp.csc_array(full)
    how = {"discretizer": discretizer, "cv": cv, "criterion": criterion, "tol": None}
    dense = NaiveBayesSelector(**how).fit(full, labels)
    sparse = NaiveBayesSelector(**how).fit(table, labels)
    assert dense.n_features_ >= 2
    assert (sparse.path_, sparse.why_) == (dense.path_, dense.why_)


@pytest.mark.skipif(not available(), reason="the reference engine takes its time")
def test_codes_of_a_sparse_table_are_never_spread_out():
    table, labels = make_thin_data(20_000, 400, 840)
    table.eliminate_zeros()
    tracemalloc.start()
    try:
        NaiveBayesSelector(n_features=1, discretizer=None, cv=0).fit(table, labels)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.6 * 20_000 * 400  # bytes, where one a cell would be spread out
