"""What comes out of the selector: the same kind of table that went in, or the one that set_output asks for."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from bayesieve import NaiveBayesSelector

N_ROWS = 120


def make_columns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_ROWS)
    return {
        "noise": rng.normal(size=N_ROWS),
        "number": y + rng.normal(scale=0.7, size=N_ROWS),
        "color": np.where(rng.random(N_ROWS) < 0.85, y, 1 - y).astype(str),
        "count": rng.integers(0, 9, N_ROWS),
    }, y


COLUMNS, Y = make_columns()
CHOSEN = ["number", "color"]


def pandas_frame():
    return pd.DataFrame(COLUMNS).astype({"color": "category", "number": "float32"})


def polars_frame():
    return pl.DataFrame(COLUMNS).with_columns(pl.col("color").cast(pl.Categorical), pl.col("number").cast(pl.Float32))


def fitted(X, **parameters):
    return NaiveBayesSelector(n_features=2, keep=[1, 2], cv=0, **parameters).fit(X, Y)


@pytest.mark.parametrize("make", [pandas_frame, polars_frame, lambda: pa.table(COLUMNS)])
def test_frame_in_same_library_out(make):
    X = make()
    out = fitted(X).transform(X)
    assert type(out) is type(X)
    names = out.column_names if isinstance(out, pa.Table) else list(out.columns)
    assert names == CHOSEN


def test_dtypes_survive():
    from_pandas = fitted(pandas_frame()).transform(pandas_frame())
    assert from_pandas.dtypes.astype(str).to_dict() == {"number": "float32", "color": "category"}
    from_polars = fitted(polars_frame()).transform(polars_frame())
    assert dict(from_polars.schema) == {"number": pl.Float32, "color": pl.Categorical}


def test_index_survives():
    X = pandas_frame().set_index(np.arange(N_ROWS) + 1000)
    pd.testing.assert_frame_equal(fitted(X).transform(X), X[CHOSEN])


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_set_output_pandas_keeps_types(make):
    X = make()
    out = fitted(X).set_output(transform="pandas").transform(X)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == CHOSEN
    if make is pandas_frame:
        assert out.dtypes.astype(str).to_dict() == {"number": "float32", "color": "category"}
    np.testing.assert_array_equal(out["number"].to_numpy(dtype=np.float32), COLUMNS["number"].astype(np.float32))
    assert out["color"].astype(str).tolist() == COLUMNS["color"].tolist()


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_set_output_polars_keeps_types(make):
    X = make()
    out = fitted(X).set_output(transform="polars").transform(X)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == CHOSEN
    assert out.schema["number"] == pl.Float32
    assert out.schema["color"] in (pl.Categorical, pl.Enum)
    assert out["color"].cast(pl.String).to_list() == COLUMNS["color"].tolist()


def test_set_output_on_an_array_names_its_columns():
    X = np.column_stack([COLUMNS["noise"], COLUMNS["number"], COLUMNS["count"]])
    selector = NaiveBayesSelector(n_features=1, cv=0).fit(X, Y)
    assert type(selector.transform(X)) is np.ndarray
    assert list(selector.set_output(transform="pandas").transform(X).columns) == ["x1"]
    assert selector.set_output(transform="polars").transform(X).columns == ["x1"]


def test_array_in_array_out_keeps_dtype():
    X = np.column_stack([COLUMNS["noise"], COLUMNS["number"]]).astype(np.float32)
    out = NaiveBayesSelector(n_features=1, cv=0).fit_transform(X, Y)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, X[:, 1:])


def test_names_and_support():
    selector = fitted(pandas_frame())
    assert selector.feature_names_in_.tolist() == list(COLUMNS)
    assert selector.n_features_in_ == 4
    assert selector.get_feature_names_out().tolist() == CHOSEN
    assert selector.get_support().tolist() == [False, True, True, False]
    assert selector.get_support(indices=True).tolist() == [1, 2]
    with pytest.raises(ValueError, match="input_features is not equal"):
        selector.get_feature_names_out(["a", "b", "c", "d"])


def test_inverse_transform_puts_zeros_where_nothing_was_selected():
    X = np.column_stack([COLUMNS["noise"], COLUMNS["number"], COLUMNS["count"]])
    selector = NaiveBayesSelector(n_features=1, cv=0).fit(X, Y)
    back = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(back, X * [0, 1, 0])


def test_inverse_transform_of_a_frame():
    X = pandas_frame()[["noise", "number", "count"]]
    selector = NaiveBayesSelector(n_features=1, cv=0).fit(X, Y)
    back = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(back[:, 1], X["number"].to_numpy())
    assert back.shape == (N_ROWS, 3)


def test_nothing_selected_transforms_to_no_columns():
    X = pandas_frame()
    assert NaiveBayesSelector(n_features=0, cv=0).fit(X, Y).transform(X).shape == (N_ROWS, 0)


class Masked(SelectorMixin, BaseEstimator):
    """Scikit-learn's own selector, with a given mask: the specification."""

    def __init__(self, mask):
        self.mask = mask

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return self.mask


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_columns_are_picked_and_put_back_as_by_scikit_learn(kind):
    rng = np.random.default_rng(1)
    for _ in range(10):
        y = rng.permutation(np.arange(40) % 2)
        informative = y[:, None] * (rng.random((40, 3)) < 0.9)
        table = np.hstack([informative, rng.integers(0, 3, (40, 3))])[:, rng.permutation(6)]
        X = kind(table.astype(float))
        ours = NaiveBayesSelector(n_features=3, cv=0).fit(X, y)
        theirs = Masked(ours.support_).fit(X)
        pairs = [(ours.transform(X), theirs.transform(X))]
        pairs.append((ours.inverse_transform(pairs[0][0]), theirs.inverse_transform(pairs[0][1])))
        for mine, other in pairs:
            assert sparse.issparse(mine) == sparse.issparse(other)
            assert mine.dtype == other.dtype
            back = [each.toarray() if sparse.issparse(each) else each for each in (mine, other)]
            np.testing.assert_array_equal(*back)
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_columns_that_were_not_selected_cannot_be_put_back():
    X = np.column_stack([COLUMNS["noise"], COLUMNS["number"], COLUMNS["count"]])
    selector = NaiveBayesSelector(n_features=1, cv=0).fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 columns, but 1 were selected"):
        selector.inverse_transform(X[:, :2])
    with pytest.warns(UserWarning, match="No features were selected"):
        assert NaiveBayesSelector(n_features=0, cv=0).fit(X, Y).transform(X).shape == (N_ROWS, 0)
