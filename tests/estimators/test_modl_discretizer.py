"""The discretizer on tables: libraries, options, weights, strange columns, and what must not matter."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bayesieve import MODLDiscretizer
from bayesieve.bins import Groups, Intervals
from bayesieve.exceptions import DataError, ParameterError

N_ROWS = 400


def make_rows():
    """Return columns as lists with None for missing, and a target of two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_ROWS)

    def flawed(values):
        return [None if gone else value for gone, value in zip(rng.random(N_ROWS) < 0.1, values, strict=True)]

    return {
        "height": flawed((y + rng.normal(scale=0.7, size=N_ROWS)).tolist()),
        "rooms": (2 * y + rng.integers(0, 4, N_ROWS)).tolist(),
        "town": flawed([["a", "b", "c", "d"][i] for i in np.where(y, rng.integers(0, 3, N_ROWS), 3)]),
        "member": (rng.random(N_ROWS) < 0.2 + 0.6 * y).tolist(),
        "noise": rng.normal(size=N_ROWS).tolist(),
    }, y


ROWS, Y = make_rows()
X = pl.DataFrame(ROWS)


def fit(table=X, y=Y, sample_weight=None, **parameters):
    return MODLDiscretizer(**parameters).fit(table, y, sample_weight)


def learned_state(model):
    """Return all that was learned, to compare it."""
    return {name: repr(partition) for name, partition in model.partitions_.items()}


def bins(model):
    """Return the parts alone, in words."""
    return {name: [p.describe(code) for code in range(p.n_bins)] for name, p in model.partitions_.items()}


REFERENCE = fit()


def test_the_reference_is_about_something():
    assert [type(p) for p in REFERENCE.partitions_.values()] == [Intervals, Intervals, Groups, Groups, Intervals]
    assert [p.n_bins for p in REFERENCE.partitions_.values()] == [5, 3, 3, 2, 1]
    assert (REFERENCE.levels_ > 0).tolist() == [True, True, True, True, False]
    assert REFERENCE.levels_.tolist() == [p.level for p in REFERENCE.partitions_.values()]


LIBRARIES = {
    "polars": lambda: X,
    "polars categories": lambda: X.with_columns(pl.col("town").cast(pl.Categorical), pl.col("rooms").cast(pl.Int8)),
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas nullable": lambda: pd.DataFrame(ROWS).convert_dtypes(),
    "pandas categories": lambda: pd.DataFrame(ROWS).astype({"town": "category"}),
    "arrow": lambda: pa.table(ROWS),
    "objects": lambda: np.array([list(row) for row in zip(*ROWS.values(), strict=True)], dtype=object),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_agree(library):
    table = LIBRARIES[library]()
    model = fit(table)
    assert list(learned_state(model).values()) == list(learned_state(REFERENCE).values())
    assert_array_equal(model.transform(table), REFERENCE.transform(X))


def test_dense_and_sparse_arrays_agree_with_a_frame():
    rng = np.random.default_rng(1)
    array = rng.integers(-2, 4, (N_ROWS, 6)) * (rng.random((N_ROWS, 6)) < 0.4)
    y = (array[:, 0] > 0) ^ (rng.random(N_ROWS) < 0.1)
    array = array.astype(float)
    array[:5, 1] = np.nan
    frame = pd.DataFrame(array).add_prefix("x")
    expected = fit(frame, y)
    assert expected.partitions_["x0"].n_bins > 1
    for table in (array, np.asfortranarray(array), array.astype(np.float32), *map(lambda kind: kind(array), FORMATS)):
        model = fit(table, y)
        assert learned_state(model) == learned_state(expected)
        assert_array_equal(model.transform(table), expected.transform(frame))


FORMATS = [sparse.csr_array, sparse.csc_matrix, sparse.coo_array]


def test_output_in_the_library_asked_for():
    plain = REFERENCE.transform(X)
    assert plain.dtype == np.int32
    for library in ("pandas", "polars"):
        frame = clone(REFERENCE).set_output(transform=library).fit_transform(X, Y)
        assert type(frame).__module__.split(".")[0] == library
        assert list(frame.columns) == list(ROWS) == REFERENCE.get_feature_names_out().tolist()
        assert_array_equal(frame.to_numpy(), plain)


@pytest.mark.parametrize("parameters", [{}, {"missing": "lowest"}, {"prior": "2006"}, {"special_values": [0, 3]}])
def test_training_rows_reproduce_the_counts(parameters):
    model = fit(**parameters)
    codes = model.transform(X)
    for j, (name, partition) in enumerate(model.partitions_.items()):
        counted = np.zeros((partition.n_bins, 2), dtype=int)
        np.add.at(counted, (codes[:, j], Y), 1)
        assert partition.counts.tolist() == counted.tolist()
        table = model.binning_table(name)
        assert table["bin"].to_list() == bins(model)[name]
        assert table["count"].to_list() == counted.sum(axis=1).tolist()
        assert sum(table["share"].to_list()) == pytest.approx(1)


def test_a_binning_table_by_hand():
    table = pd.DataFrame({"a": np.repeat(["x", "y"], [40, 60])})
    y = np.repeat(["no", "yes", "no", "yes"], [30, 10, 6, 54])
    shown = fit(table, y).binning_table("a")
    assert isinstance(shown, pd.DataFrame)
    assert shown["bin"].to_list() == ["x", "y"]
    assert shown["count no"].to_list() == [30, 6]
    assert shown["count yes"].to_list() == [10, 54]
    assert shown["rate"].to_list() == [0.25, 0.9]
    # log (P(x | yes) / P(x | no)), where each cell has 1 / 101 more
    expected = np.log((10 + 1 / 101) / (64 + 2 / 101)) - np.log((30 + 1 / 101) / (36 + 2 / 101))
    assert shown["weight of evidence"][0] == pytest.approx(expected)
    with pytest.raises(ParameterError, match="did you mean 'a'"):
        fit(table, y).binning_table("A")


def test_a_binning_table_of_several_classes():
    y = np.array(["u", "v", "w"])[np.minimum(2, ROWS["rooms"])]
    shown = fit(y=y).binning_table(1)
    rates = np.column_stack([shown[f"rate {label}"] for label in "uvw"])
    assert rates.sum(axis=1) == pytest.approx(1)
    assert {f"weight of evidence {label}" for label in "uvw"} < set(shown.columns)


def test_new_values():
    new = X.head(3).with_columns(town=pl.Series(["new", None, "a"]), rooms=pl.Series([-100, 2, 100]), noise=None)
    codes = REFERENCE.transform(new)
    assert codes[0, 2] == REFERENCE.partitions_["town"].other
    assert codes[1, 2] == REFERENCE.partitions_["town"].n_bins - 1
    assert codes[:, 1].tolist()[::2] == [0, 2]
    assert codes[:, 4].tolist() == [1, 1, 1]  # training had no missing noise
    paper = fit(prior="2006")
    assert paper.partitions_["town"].other is None
    assert paper.transform(new)[0, 2] == paper.partitions_["town"].n_bins  # unseen


class TestWishes:
    """What the user wants of single columns."""

    def test_given_bins(self):
        model = fit(user_splits={"height": [0.5], "town": [["a", "d"], ["b", "c"]]})
        assert bins(model)["height"] == ["<= 0.5", "> 0.5", "missing"]
        assert bins(model)["town"] == ["a, d", "b, c", "missing"]
        assert np.isnan(model.levels_).tolist() == [True, False, True, False, False]
        assert bins(model)["rooms"] == bins(REFERENCE)["rooms"]
        assert model.partitions_["height"].counts.sum() == N_ROWS

    def test_special_values(self):
        model = fit(special_values={"rooms": [3, 3, -1]})
        partition = model.partitions_["rooms"]
        assert partition.special == (-1, 3)
        assert partition.counts[-1].tolist() == np.bincount(Y[np.array(ROWS["rooms"]) == 3], minlength=2).tolist()
        assert partition.counts[-2].tolist() == [0, 0]
        everywhere = fit(special_values=[3.0])
        assert [getattr(p, "special", None) for p in everywhere.partitions_.values()] == [(3,), (3,), None, None, (3,)]

    @pytest.mark.parametrize("trend", ["increasing", "decreasing"])
    def test_trends(self, trend):
        wave = np.arange(600) // 100
        y = (wave % 2) ^ (np.random.default_rng(0).random(600) < 0.1 + 0.02 * wave)
        table = pd.DataFrame({"a": np.arange(600.0), "b": np.arange(600.0)})
        free, bound = fit(table, y), fit(table, y, monotone={"a": trend})
        rates = [fit.binning_table("a")["rate"].to_list() for fit in (free, bound)]
        assert rates[0] != sorted(rates[0], reverse=trend == "decreasing")
        assert rates[1] == sorted(rates[1], reverse=trend == "decreasing")
        assert bins(bound)["b"] == bins(free)["b"] == bins(free)["a"]
        assert bins(fit(table, y, monotone=trend))["b"] == bins(bound)["a"]

    def test_trends_of_all_numeric_columns_leave_labels_alone(self):
        assert bins(fit(monotone="increasing"))["town"] == bins(REFERENCE)["town"]

    def test_the_most_bins_and_the_least_rows(self):
        for most in (1, 2, 3):
            model = fit(max_bins=most)
            assert max(p.n_bins for p in model.partitions_.values()) == most
        model = fit(min_bin_size=150)
        for partition in model.partitions_.values():
            assert partition.counts[: partition.n_bins - partition.missing].sum(axis=1).min() >= 150
        assert model.partitions_["rooms"].n_bins < REFERENCE.partitions_["rooms"].n_bins

    @pytest.mark.parametrize("which", ["rooms", 1, ["rooms"], [False, True, False, False, False]])
    def test_numbers_without_order(self, which):
        model = fit(categorical=which)
        words = fit(X.with_columns(pl.col("rooms").cast(pl.String)))
        assert isinstance(model.partitions_["rooms"], Groups)
        assert bins(model) == bins(words)
        assert model.levels_.tolist() == words.levels_.tolist()
        assert_array_equal(model.transform(X), words.transform(X.with_columns(pl.col("rooms").cast(pl.String))))

    @pytest.mark.parametrize(
        ("parameters", "error", "sentence"),
        [
            ({"user_splits": {"heigt": [1]}}, ParameterError, "user_splits names the column 'heigt'.*'height'"),
            ({"user_splits": {"height": ["x"]}}, ParameterError, r"user_splits\['height'\] must be a list of finite"),
            ({"user_splits": {"town": [["a"]]}}, ParameterError, r"user_splits\['town'\] leaves out the category 'b'"),
            ({"special_values": {"town": [1]}}, DataError, "special_values names the column 'town', which is not nume"),
            ({"special_values": {"height": ["x"]}}, ParameterError, r"special_values\['height'\] must be finite"),
            ({"special_values": [np.nan]}, ParameterError, r"special_values\['height'\] must be finite"),
            ({"special_values": {"rooms": [1]}, "categorical": "rooms"}, DataError, "'rooms', which is not numeric"),
            ({"monotone": {"town": "increasing"}}, DataError, "monotone names the column 'town', which is not numeric"),
            ({"monotone": {"height": "up"}}, ParameterError, r"monotone\['height'\] must be 'increasing' or"),
            ({"monotone": {"height": [1]}}, ParameterError, r"monotone\['height'\] must be 'increasing' or"),
            ({"categorical": ["towm"]}, ParameterError, "categorical names the column 'towm'.*'town'"),
            ({"max_bins": 0}, ValueError, "max_bins"),
            ({"min_bin_size": -1}, ValueError, "min_bin_size"),
            ({"prior": "2007"}, ValueError, "prior"),
        ],
    )
    def test_refused(self, parameters, error, sentence):
        with pytest.raises(error, match=sentence):
            fit(**parameters)

    def test_trends_need_two_classes(self):
        with pytest.raises(ParameterError, match="two classes; this one has 3"):
            fit(y=np.arange(N_ROWS) % 3, monotone="increasing")


def test_weights_are_copies():
    weights = np.random.default_rng(2).integers(0, 4, N_ROWS)
    copies = np.repeat(np.arange(N_ROWS), weights)
    weighted, copied = fit(sample_weight=weights), fit(X[copies], Y[copies])
    assert learned_state(weighted) == learned_state(copied)
    assert learned_state(fit(sample_weight=weights)) != learned_state(REFERENCE)


def test_fractional_weights():
    halves = fit(sample_weight=np.full(N_ROWS, 0.5))
    twice = fit(X.vstack(X), np.tile(Y, 2), np.full(2 * N_ROWS, 0.5))
    assert [p.cost.total for p in twice.partitions_.values()] == [p.cost.total for p in REFERENCE.partitions_.values()]
    assert bins(twice) == bins(REFERENCE)
    for name, partition in twice.partitions_.items():
        assert partition.counts.tolist() == REFERENCE.partitions_[name].counts.tolist()
    assert (halves.levels_ <= REFERENCE.levels_).all()


def test_threads_do_not_matter():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(300, 30)).round(1)
    y = table[:, :5].sum(axis=1) > 0
    one, two = (fit(table, y, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert learned_state(one) == learned_state(two)
    assert_array_equal(one.transform(table), two.transform(table))


class TestStrangeColumns:
    """Columns that real tables have."""

    y = np.repeat([0, 1], 50)

    def fit(self, values, **parameters):
        return fit(pd.DataFrame({"a": values}), self.y, **parameters)

    @pytest.mark.parametrize("dtype", [float, object])
    def test_all_missing(self, dtype):
        model = self.fit(np.full(100, np.nan, dtype=dtype))
        assert model.levels_.tolist() == [0]
        assert bins(model) == {"a": ["missing"]}
        assert model.transform(pd.DataFrame({"a": [np.nan, 1.0]})).ravel().tolist() == [0, 1]
        assert model.binning_table("a")["count"].to_list() == [100]

    @pytest.mark.parametrize("value", [3.5, "x", True])
    def test_constant(self, value):
        model = self.fit([value] * 100)
        assert (model.partitions_["a"].n_bins, model.levels_[0]) == (1, 0)
        assert model.partitions_["a"].counts.tolist() == [[50, 50]]

    def test_missing_values_that_say_everything(self):
        for present in (1.0, "x"):
            model = self.fit([present if c else None for c in self.y])
            assert model.partitions_["a"].counts.tolist() == [[0, 50], [50, 0]]
            assert model.levels_[0] > 0.5

    def test_a_value_for_each_row(self):
        assert self.fit(np.arange(100.0)).partitions_["a"].bounds.tolist() == [49.5]
        assert self.fit([f"{i}" for i in range(100)]).levels_[0] == 0  # a label that occurs once is uninformative

    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinite_values_are_refused_by_name(self, value):
        with pytest.raises(DataError, match="Column 'a' has infinite values"):
            self.fit([value, *range(99)])
        model = self.fit(np.arange(100.0))
        with pytest.raises(DataError, match="Column 'a' has infinite values"):
            model.transform(pd.DataFrame({"a": [value]}))

    def test_extreme_numbers(self):
        largest = np.finfo(float).max
        table = pd.DataFrame({"a": np.repeat([-largest, largest], 50), "b": np.repeat([0.0, 5e-324], 50)})
        assert_array_equal(fit(table, self.y).transform(table), np.column_stack([self.y, self.y]))

    def test_mixed_types(self):
        values = np.array([("x" if i % 2 else 1.5) if i < 50 else (2 if i % 2 else True) for i in range(100)], object)
        model = self.fit(values)
        (first, second) = model.partitions_["a"].groups
        assert {frozenset(map(str, first)), frozenset(map(str, second))} == {
            frozenset({"x", "1.5"}),
            frozenset({"2", "True"}),
        }
        codes = model.transform(pd.DataFrame({"a": values})).ravel()
        numbers = np.array([i for i, value in enumerate(values) if type(value) in (int, float)])
        only_numbers = pd.DataFrame({"a": values[numbers].astype(float)})
        assert_array_equal(model.transform(only_numbers).ravel(), codes[numbers])

    def test_dates(self):
        days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(100)]
        model = self.fit(days)
        assert_array_equal(model.transform(pd.DataFrame({"a": days})).ravel(), self.y)
        words = model.binning_table("a")["bin"].tolist()
        last, first = days[int(np.argmax(self.y)) - 1], days[int(np.argmax(self.y))]
        bound = words[0].removeprefix("<= ")
        assert last <= dt.datetime.fromisoformat(bound).date() <= first
        assert words == [f"<= {bound}", f"> {bound}"]

    def test_text_where_training_had_numbers(self):
        with pytest.raises(DataError, match="Column 'a' was numeric in training and now holds 'x'"):
            self.fit(np.arange(100.0)).transform(pd.DataFrame({"a": ["x"]}))


def test_a_failed_fit_is_not_fitted():
    for model in (MODLDiscretizer(), fit(pl.DataFrame({"a": range(N_ROWS)}))):
        with pytest.raises(DataError, match="infinite"):
            model.fit(pl.DataFrame({"a": [np.inf] * N_ROWS}), Y)
        with pytest.raises(NotFittedError):
            model.transform(X)
        with pytest.raises(NotFittedError):
            model.binning_table(0)


class TestWhatMustNotMatter:
    """Names of classes and categories, the order of rows and columns, the scale of numbers."""

    def test_names_of_classes(self):
        renamed = fit(y=np.array(["first", "second"])[Y])
        assert bins(renamed) == bins(REFERENCE)
        assert renamed.levels_.tolist() == REFERENCE.levels_.tolist()

    def test_order_of_classes(self):
        swapped = fit(y=1 - Y)
        assert bins(swapped) == bins(REFERENCE)
        assert swapped.levels_.tolist() == REFERENCE.levels_.tolist()
        for name, partition in swapped.partitions_.items():
            assert partition.counts[:, ::-1].tolist() == REFERENCE.partitions_[name].counts.tolist()

    def test_order_of_rows(self):
        order = np.random.default_rng(4).permutation(N_ROWS)
        assert learned_state(fit(X[order], Y[order])) == learned_state(REFERENCE)

    def test_order_of_columns(self):
        assert learned_state(fit(X[:, ::-1])) == learned_state(REFERENCE)

    def test_names_of_categories(self):
        swap = {"a": "z", "b": "y", "c": "x", "d": "w"}
        model = fit(X.with_columns(pl.col("town").replace(swap)))
        expected = {frozenset(swap[value] for value in group) for group in REFERENCE.partitions_["town"].groups}
        assert set(map(frozenset, model.partitions_["town"].groups)) == expected
        assert model.levels_.tolist() == REFERENCE.levels_.tolist()

    @pytest.mark.parametrize("grow", [lambda c: c.exp(), lambda c: c * 1000 - 7, lambda c: c.rank("dense")])
    def test_scale_of_numbers(self, grow):
        model = fit(X.with_columns(grow(pl.col("height")).alias("height")))
        for name, partition in model.partitions_.items():
            assert partition.counts.tolist() == REFERENCE.partitions_[name].counts.tolist()
        assert model.levels_.tolist() == REFERENCE.levels_.tolist()


def test_noise_is_hardly_ever_informative():
    rng = np.random.default_rng(5)
    numbers = pd.DataFrame(rng.normal(size=(1000, 200))).add_prefix("n")
    labels = pd.DataFrame(rng.integers(0, [2] * 25 + [5] * 25 + [50] * 50, (1000, 100)).astype(str)).add_prefix("l")
    for y in (rng.integers(0, 2, 1000), rng.random(1000) < 0.05, rng.integers(0, 5, 1000)):
        assert (fit(pd.concat([numbers, labels], axis=1), y).levels_ > 0).sum() <= 1


@pytest.mark.parametrize("weight", [2.0**60, 2.0**64, 1e300])
def test_counts_of_large_weights_are_positive(weight):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 1)) + y[:, None]
    (partition,) = MODLDiscretizer().fit(X, y, sample_weight=np.full(60, weight)).partitions_.values()
    np.testing.assert_allclose(partition.counts.sum(axis=0), np.bincount(y) * weight, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.SmallWeightsWarning")
@pytest.mark.parametrize("weight", [1.0, 1e-300])
@pytest.mark.parametrize("size", [2.0**63, 1e300])
def test_a_bin_larger_than_any_table_leaves_one_bin(weight, size):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame({"a": rng.normal(size=60) + 3 * y, "b": np.array(["u", "v", "w"])[rng.integers(0, 2, 60) + y]})
    fitted = MODLDiscretizer(min_bin_size=size).fit(X, y, sample_weight=np.full(60, weight))
    assert [partition.n_bins for partition in fitted.partitions_.values()] == [1, 1]
