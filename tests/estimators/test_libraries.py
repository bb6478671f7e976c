"""The same table through every library gives the same selection and the same probabilities."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import plain_bayes
from numpy.testing import assert_array_equal
from sklearn.base import clone

from bayesieve import NaiveBayesSelector, check_data
from bayesieve.exceptions import DataError, PooledValuesWarning

N_ROWS = 200
DAY = dt.datetime(2020, 1, 1)


def make_rows():
    """Return columns of many types as lists with None for missing, and a target that depends on each."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N_ROWS)

    def flawed(make, share=0.1):
        return [None if rng.random() < share else make(int(c)) for c in y]

    return {
        "height": flawed(lambda c: float(c + rng.normal(scale=1.5))),
        "rooms": flawed(lambda c: int(c + rng.integers(0, 4))),
        "town": flawed(lambda c: "abcde"[min(4, c + int(rng.integers(0, 3)))]),
        "size": flawed(lambda c: ["small", "middle", "large"][c] if rng.random() < 0.6 else "large"),
        "member": flawed(lambda c: bool(rng.random() < 0.25 + 0.25 * c)),
        "since": flawed(lambda c: DAY + dt.timedelta(days=int(30 * c + rng.integers(0, 90)), microseconds=1)),
        "empty": [None] * N_ROWS,
        "noise": flawed(lambda c: float(rng.normal())),
    }, y


ROWS, Y = make_rows()


def from_polars():
    schema = {"rooms": pl.Int32, "town": pl.Categorical, "size": pl.Enum(["small", "middle", "large"])}
    return pl.DataFrame(ROWS, schema_overrides=schema)


def from_pandas_nullable():
    types = {
        "height": "Float64",
        "rooms": "Int64",
        "town": "string",
        "size": pd.CategoricalDtype(["small", "middle", "large"], ordered=True),
        "member": "boolean",
        "since": "datetime64[ns]",
        "noise": "Float64",
    }
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in ROWS.items()}).astype(types)


def from_pandas_plain():
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in ROWS.items()})
    return frame.astype({"height": "float64", "rooms": "float64", "town": "category", "since": "datetime64[us]"})


LIBRARIES = {
    "polars": from_polars,
    "pandas nullable": from_pandas_nullable,
    "pandas plain": from_pandas_plain,
    "pandas objects": lambda: pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in ROWS.items()}),
    "arrow": lambda: pa.table(ROWS),
    "pandas on arrow": lambda: pa.table(ROWS).to_pandas(types_mapper=pd.ArrowDtype),
}


def fit(X, y=Y, **parameters):
    return plain_bayes(**({"n_features": 7, "cv": 3, "discretizer": "equal_frequency"} | parameters)).fit(X, y)


REFERENCE = fit(from_polars())
WITH_MODL = fit(from_polars(), n_features="all", discretizer="modl")


@pytest.mark.parametrize("reference", [REFERENCE, WITH_MODL], ids=["equal_frequency", "modl"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_same_result_through_every_library(library, reference):
    X = LIBRARIES[library]()
    model = clone(reference).fit(X, Y)
    assert model.path_.to_dict() == reference.path_.to_dict()
    assert model.why_ == reference.why_
    assert list(model.why_) == list(ROWS)
    assert_array_equal(model.predict_proba(X), reference.predict_proba(from_polars()))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_model_reads_the_table_of_another_library(library):
    assert_array_equal(REFERENCE.predict_proba(LIBRARIES[library]()), REFERENCE.predict_proba(from_polars()))


def test_same_result_through_an_array_of_objects():
    X = np.array([list(row) for row in zip(*ROWS.values(), strict=True)], dtype=object)
    model = fit(X)
    assert model.path_.scores == REFERENCE.path_.scores
    assert model.path_.order == tuple(f"x{list(ROWS).index(name)}" for name in REFERENCE.path_.order)
    assert_array_equal(model.predict_proba(X), REFERENCE.predict_proba(from_polars()))


def test_reference_is_about_something():
    assert REFERENCE.n_features_ == 7
    assert REFERENCE.why_["empty"]["reason"] == "constant"
    assert REFERENCE.score(from_polars(), Y) > 0.6
    assert WITH_MODL.n_features_ == 6
    assert WITH_MODL.why_["empty"]["reason"] == "constant"
    assert WITH_MODL.why_["noise"]["reason"] == "uninformative: a single bin is optimal"
    assert WITH_MODL.score(from_polars(), Y) > 0.6


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.int64, np.uint8])
def test_numeric_arrays_equal_frames_of_their_columns(dtype):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 100, (N_ROWS, 4)).astype(dtype)
    y = (X[:, 2].astype(int) + rng.integers(0, 60, N_ROWS) > 80).astype(int)
    from_array = fit(X, y, n_features="all")
    from_frame = fit(pl.DataFrame(X, schema=["x0", "x1", "x2", "x3"]), y, n_features="all")
    assert from_array.path_.to_dict() == from_frame.path_.to_dict()
    assert_array_equal(from_array.predict_proba(X), from_frame.predict_proba(pd.DataFrame(X).add_prefix("x")))


@pytest.mark.parametrize("dtype", [bool, str])
def test_nominal_arrays_equal_frames_of_their_columns(dtype):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (N_ROWS, 4)).astype(dtype)
    y = np.where(rng.random(N_ROWS) < 0.8, X[:, 1].astype(str) == X[0, 1].astype(str), rng.random(N_ROWS) < 0.5)
    from_array = fit(X, y, n_features="all")
    from_frame = fit(pl.DataFrame(X, schema=["x0", "x1", "x2", "x3"]), y, n_features="all")
    assert from_array.path_.to_dict() == from_frame.path_.to_dict()
    assert from_array.path_.order[0] == "x1"


def test_missing_values_are_a_value_of_their_own():
    y = np.arange(40) % 2
    X = pd.DataFrame({"a": np.where(y == 1, np.nan, 1.0), "b": np.where(y == 1, "x", None)})
    for column in ("a", "b"):
        model = plain_bayes(keep=column, n_features=1, cv=0).fit(X, y)
        assert model.score(X, y) == 1.0


@pytest.mark.filterwarnings("ignore:Values that training did not have")
@pytest.mark.parametrize("discretizer", ["equal_frequency", "modl", None])
@pytest.mark.parametrize("column", ["known", "color"])
def test_what_training_never_saw_is_no_evidence(column, discretizer):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    flipped = y ^ (rng.random(60) < 0.2)
    X = pl.DataFrame(
        {"known": y + rng.normal(size=60), "color": np.array(["r", "g"])[flipped], "other": rng.normal(size=60)}
    )
    unseen = {"known": pl.lit(None, pl.Float64), "color": pl.lit("blue")}
    missing = {"known": pl.lit(None, pl.Float64), "color": pl.lit(None, pl.String)}
    given = {"keep": "other", "cv": 0, "discretizer": discretizer}
    whole = fit(X, y, n_features=3, **given)
    without = fit(X, y, n_features=2, drop=column, **given)
    assert (whole.predict_proba(X) != without.predict_proba(X)).any()
    for strange in (unseen, missing):
        new = X.with_columns(strange[column].alias(column))
        assert_array_equal(whole.predict_proba(new), without.predict_proba(new))


class TestTablesAtPredictionTime:
    """A model on columns a, b, c meets other tables."""

    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    y = (X["a"] + 0.3 * X["b"] > 0).astype(int)

    @pytest.mark.parametrize("kind", [NaiveBayesSelector, plain_bayes])
    @pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
    @pytest.mark.parametrize(
        "change",
        [lambda X: X.assign(d=1.0), lambda X: X[["a", "b"]], lambda X: X[["b", "c", "a"]]],
        ids=["another", "selected", "reordered"],
    )
    def test_columns_are_found_by_name(self, kind, library, change):
        model = kind(n_features=2, keep=["a", "b"], cv=0).fit(library(self.X), self.y)
        method = model.predict_proba if kind is plain_bayes else model.transform
        assert_array_equal(np.asarray(method(library(change(self.X)))), np.asarray(method(library(self.X))))

    @pytest.mark.parametrize("kind", [NaiveBayesSelector, plain_bayes])
    def test_an_absent_column_is_named(self, kind):
        model = kind(n_features=2, keep=["a", "b"], cv=0).fit(self.X, self.y)
        method = model.predict if kind is plain_bayes else model.transform
        with pytest.raises(DataError, match="The table has no column 'b', which the model uses; it uses 'a', 'b'"):
            method(self.X[["a", "c"]])

    def test_array_of_another_width(self):
        model = plain_bayes(n_features=2, cv=0).fit(self.X.to_numpy(), self.y)
        with pytest.raises(ValueError, match="X has 2 features, but SelectiveNaiveBayes is expecting 3"):
            model.predict(self.X.to_numpy()[:, :2])

    def test_array_after_a_frame_warns(self):
        model = plain_bayes(n_features=2, cv=0).fit(self.X, self.y)
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict(self.X.to_numpy())

    @pytest.mark.parametrize("discretizer", ["equal_frequency", None])
    def test_numbers_turned_into_strings(self, discretizer):
        model = plain_bayes(keep="b", n_features=1, cv=0, discretizer=discretizer)
        model.fit(self.X, self.y)
        with pytest.raises(DataError, match="'b' was numeric in training and now holds"):
            model.predict(self.X.assign(b=self.X["b"].astype(str)))

    def test_strings_turned_into_numbers(self):
        words = self.X.assign(b=np.where(self.X["b"] > 0, "high", "low"))
        model = plain_bayes(keep="b", n_features=1, cv=0).fit(words, self.y)
        with pytest.raises(DataError, match="'b' had labels such as 'high' in training and now holds numbers"):
            model.predict(self.X)

    def test_infinite_values(self):
        model = plain_bayes(keep="b", n_features=1, cv=0).fit(self.X, self.y)
        with pytest.raises(DataError, match="'b' has infinite values"):
            model.predict(self.X.assign(b=np.inf))

    def test_columns_that_were_not_selected_are_not_read(self):
        model = plain_bayes(keep="b", n_features=1, cv=0).fit(self.X, self.y)
        assert_array_equal(model.predict(self.X.assign(a="any")), model.predict(self.X))


def test_other_time_units_at_prediction_time():
    rng = np.random.default_rng(0)
    days = rng.integers(0, 300, 100)
    y = (days > 150).astype(int)
    X = days.astype("datetime64[D]")[:, None]
    model = plain_bayes(n_features=1, cv=0).fit(X, y)
    for unit in ("h", "s", "ns"):
        assert_array_equal(model.predict_proba(X.astype(f"datetime64[{unit}]")), model.predict_proba(X))
    assert model.score(X, y) > 0.9


def test_too_many_values_are_pooled_with_one_warning():
    n_rows = 70_000
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    X = pd.DataFrame({"id": rng.permutation(n_rows), "a": y ^ (rng.random(n_rows) < 0.3)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Training rows of both folds have as many values as well.
        folds = [(np.arange(68_000), np.arange(68_000, n_rows)), (np.arange(2_000, n_rows), np.arange(2_000))]
        selector = NaiveBayesSelector(discretizer=None, cv=folds).fit(X, y)
    assert [w.category for w in caught] == [PooledValuesWarning]
    assert (
        str(caught[0].message)
        == "Column 'id' has 70000 distinct values and at most 65535 are expected; the 4466 rarest share a bin."
    )
    assert caught[0].filename == __file__
    assert selector.path_.order == ("a",)


def test_a_dictionary_of_arrow_in_pandas_is_a_column_of_categories():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    words = pd.Series(np.where(rng.random(100) < 0.2, "u", np.where(y, "v", "w"))).mask(np.arange(100) == 3)
    arrow = words.astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))
    plain, of_arrow = (pd.DataFrame({"c": values, "n": y}) for values in (words, arrow))
    fitted = [plain_bayes(keep=["c", "n"], cv=0).fit(X, y) for X in (plain, of_arrow)]
    assert_array_equal(*(model.predict_proba(X) for model, X in zip(fitted, (of_arrow, plain), strict=True)))
    assert_array_equal(fitted[0].predict_proba(plain), fitted[0].predict_proba(of_arrow))
    assert len(check_data(of_arrow, y).columns) == 2
