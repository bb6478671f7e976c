"""Values of blocks: counted one by one while they are few, by the cells of a sample beyond."""

from itertools import pairwise

import numpy as np
import pytest
from draws import draws

from bayesieve.bins import MODL, Summary, value_counts as counted_values
from bayesieve.bins.partition import on_borders
from bayesieve.bins.value_counts import (
    ExpectedValues,
    Grid,
    ManyValues,
    ValueSample,
    count_column,
    count_on_grid,
    count_values,
    merge_samples,
    merge_values,
)
from bayesieve.data import Scale, Strata, Values, read_table
from bayesieve.data.blocks.row_blocks import merge_pairs, spread_rows
from bayesieve.exceptions import DataError

N_ROWS = 400_000


def strata_of(classes, weights=None):
    return Strata(np.asarray(classes, dtype=np.int32), 3, weights)


def sample_of(numbers, every=4, scale=Scale.numeric):
    return ValueSample("x", numbers[spread_rows(0, len(numbers), every)], scale)


@pytest.mark.parametrize("seed", range(draws(20, 50)))
def test_counts_of_blocks_are_those_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    classes, n_blocks = rng.integers(0, 3, 200), int(rng.integers(1, 8))
    numbers = np.where(rng.random(200) < 0.1, np.nan, rng.integers(0, 30, 200).astype(float))
    numbers = numbers.astype(rng.choice([np.float32, np.float64]))
    weights = None if seed % 2 else rng.integers(0, 5, 200)
    # Some of the values are expected, others turn up.
    expected = ExpectedValues("x", np.unique(rng.choice(np.arange(30.0), seed % 9)))
    by_block = [
        (numbers[i], strata_of(classes[i], None if weights is None else weights[i]))
        for i in np.array_split(np.arange(200), n_blocks)
    ]
    parts = [count_values(expected, some, Scale.numeric, strata) for some, strata in by_block]
    merged = merge_pairs(parts, merge_values)
    found = {label: merged.counts[k].tolist() for k, label in enumerate(merged.labels) if merged.counts[k].any()}
    units = np.ones(200, dtype=int) if weights is None else weights
    own = {
        float(v): [int(units[(numbers == v) & (classes == c)].sum()) for c in range(3)]
        for v in np.unique(numbers[~np.isnan(numbers)])
    }
    assert found == {v: counts for v, counts in own.items() if any(counts)}
    assert merged.counts[-1].tolist() == [int(units[np.isnan(numbers) & (classes == c)].sum()) for c in range(3)]


@pytest.mark.parametrize("seed", range(draws(4, 10)))
def test_labels_of_blocks_are_those_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, 200)
    labels = np.array([None, "a", "b", True, 3], dtype=object)[rng.integers(0, 5, 200)]
    table = read_table(labels[:, None])
    whole = count_column(table, 0, strata_of(classes))
    parts = [
        count_column(read_table(labels[i][:, None]), 0, strata_of(classes[i]))
        for i in np.array_split(np.arange(200), 7)
    ]
    merged = merge_pairs(parts, merge_values)
    assert list(merged.labels) == list(whole.labels)
    np.testing.assert_array_equal(merged.counts, whole.counts)


def test_more_numbers_than_expected_are_many(monkeypatch):
    monkeypatch.setattr(counted_values, "MOST_VALUES", 100)
    strata = strata_of(np.zeros(80, dtype=int))
    expected = ExpectedValues("x", np.arange(10.0))
    few = [count_values(expected, np.arange(a, a + 80.0), Scale.numeric, strata) for a in (0, 5, 60)]
    assert len(merge_values(few[0], few[1]).labels) == 85
    many = merge_values(few[0], few[2])
    assert many == ManyValues("x", Scale.numeric)
    assert merge_values(many, few[0]) == many
    assert merge_values(few[0], many) == many
    assert count_values(ExpectedValues("x", np.arange(-50.0, 0.0)), np.arange(80.0), Scale.numeric, strata) == many


def adversarial_columns():
    """Return columns that are hard to divide: sorted, with frequent values, with gaps, with outliers."""
    rng = np.random.default_rng(7)
    n = N_ROWS
    ramp = np.arange(n, dtype=float)
    spikes = np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(0, 2, n))
    return {
        "sorted": ramp,
        "descending, periodic": -(ramp % 1000) * n + ramp,
        "spikes": np.where(rng.random(n) < 0.004, 2.5, spikes),
        "outliers": np.where(rng.random(n) < 1e-4, 1e300, rng.normal(size=n)),
        "gap": np.where(rng.random(n) < 0.5, 1e-300, 1.0) * rng.random(n),
        "repeated": np.floor(rng.random(n) ** 3 * 50_000),
        "integers": rng.integers(0, 2**40, n).astype(float),
        "zipf": np.minimum(rng.zipf(1.2, n), 10**9).astype(float),
        "mostly missing": np.where(rng.random(n) < 0.95, np.nan, rng.random(n)),
        "float32": rng.random(n, dtype=np.float32),
        "geometric": np.sort(np.exp(rng.uniform(-600, 600, n))),
    }


COLUMNS = adversarial_columns()


@pytest.mark.parametrize("name", COLUMNS)
def test_no_cell_of_several_values_holds_many_rows(name):
    numbers = COLUMNS[name]
    grid = sample_of(numbers).grid()
    assert (np.diff(grid.labels) > 0).all()
    assert (np.diff(grid.borders) > 0).all()
    assert (grid.labels[:-1] <= grid.borders).all()
    assert (grid.labels[1:] > grid.borders).all()
    assert len(grid.labels) <= 8193
    values, sizes = np.unique(numbers[~np.isnan(numbers)].astype(np.float64), return_counts=True)
    cells = grid.borders.searchsorted(values)
    n_values, rows = np.bincount(cells), np.bincount(cells, weights=sizes)
    assert rows[n_values > 1].max(initial=0) <= 5 / 4096 * N_ROWS
    assert n_values[cells[sizes >= N_ROWS / 256]].max(initial=1) == 1  # frequent values are alone
    if sizes.max() == 1:
        assert rows.max() <= 3 / 4096 * N_ROWS
    counted = count_on_grid(grid, numbers, Strata(np.zeros(N_ROWS, dtype=np.int32), 1))
    np.testing.assert_array_equal(counted.counts[: len(rows), 0], rows)
    assert counted.counts[-1, 0] == np.isnan(numbers).sum()


def test_samples_do_not_depend_on_blocks():
    numbers = COLUMNS["spikes"]
    whole = sample_of(numbers)
    for ends in ([0, 150_000, N_ROWS], [0, 7, 8, 300_001, N_ROWS]):
        parts = [ValueSample("x", numbers[a:b][spread_rows(a, b - a, 4)], Scale.numeric) for a, b in pairwise(ends)]
        np.testing.assert_array_equal(merge_pairs(parts, merge_samples).numbers, whole.numbers)


def test_bounds_lie_on_borders():
    """So that what was counted is what is coded."""
    numbers = COLUMNS["spikes"][:100_000]
    rng = np.random.default_rng(0)
    classes = (rng.random(len(numbers)) < np.where(numbers > 1.0, 0.7, 0.2)).astype(int)
    grid = sample_of(numbers).grid()
    counted = count_on_grid(grid, numbers, Strata(classes.astype(np.int32), 2))
    learned = MODL().learn(Summary("x", grid.labels, counted.counts, 1.0))
    partition = on_borders(learned, Values("x", grid.labels, borders=grid.borders))
    assert set(partition.bounds) <= set(grid.borders)
    parts = partition.bins_of(Values("x", grid.labels))[:-1]
    by_cell = [counted.counts[:-1][parts == k].sum() for k in range(partition.n_bins)]
    assert np.bincount(partition.code_numbers(numbers), minlength=partition.n_bins).tolist() == by_cell


@pytest.mark.parametrize("numbers", [[], [np.nan], [3.0], [3.0, 3.0, 4.0], [-0.0, 0.0, np.nan]])
def test_small_samples_have_a_grid_too(numbers):
    grid = ValueSample("x", np.array(numbers), Scale.numeric).grid()
    assert len(grid.labels) == len(grid.borders) + 1
    assert (np.diff(grid.labels) > 0).all()


def test_infinite_numbers_are_refused_by_name():
    values, strata = np.append(np.arange(100.0), -np.inf), Strata(np.zeros(101, dtype=np.int32), 1)
    for count in (
        lambda: count_values(ExpectedValues("x", np.arange(5.0)), values, Scale.numeric, strata),
        lambda: count_on_grid(Grid("x", np.arange(2.0), np.array([0.5])), values, strata),
        lambda: ValueSample("x", values, Scale.numeric).labels(),
    ):
        with pytest.raises(ValueError, match="Column 'x' has infinite values"):
            count()


def test_kinds_of_blocks_must_agree():
    dates, labels = ValueSample("x", np.arange(3.0), Scale.date), None
    numbers = ValueSample("x", np.arange(3.0), Scale.numeric)
    nothing = ValueSample("x", np.full(3, np.nan), Scale.numeric)
    assert merge_samples(nothing, labels) is None
    assert merge_samples(dates, nothing).scale is merge_samples(nothing, dates).scale is Scale.date
    for a, b in ((dates, numbers), (numbers, labels), (labels, numbers)):
        with pytest.raises(ValueError, match="Column 'x' holds different kinds of values"):
            merge_samples(a, b)


def test_blocks_of_other_kinds_are_refused_by_name():
    strata = strata_of(np.zeros(4, dtype=int))
    numbers = count_values(ExpectedValues("x0", np.empty(0)), np.arange(4.0), Scale.numeric, strata)
    dates = count_values(ExpectedValues("x0", np.empty(0)), np.arange(4.0), Scale.date, strata)
    nothing = count_values(ExpectedValues("x0", np.empty(0)), np.full(4, np.nan), Scale.numeric, strata)
    labels = count_column(read_table(np.array([["a"], ["b"], ["a"], ["c"]], dtype=object)), 0, strata)
    many, many_dates = ManyValues("x0", Scale.numeric), ManyValues("x0", Scale.date)
    different = [(numbers, dates), (numbers, labels), (many, labels), (many, dates), (many, many_dates)]
    for one, other in different:
        for pair in ((one, other), (other, one)):
            with pytest.raises(DataError, match="Column 'x0' holds different kinds of values"):
                merge_values(*pair)
    assert merge_values(many, nothing) == merge_values(nothing, many) == many
    assert merge_values(nothing, labels).labels == labels.labels


def test_columns_of_more_labels_than_can_be_counted_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(counted_values, "_MOST_LABELS", 3)
    strata, few = strata_of(np.zeros(3, dtype=int)), [["a", "b", "c"], ["b", "c", "d"]]
    one, other = (count_column(read_table(np.array(each, dtype=object)[:, None]), 0, strata) for each in few)
    assert merge_values(one, one).counts[:, 0].tolist() == [2, 2, 2, 0]
    with pytest.raises(DataError, match="Column 'x0' has more than 3 distinct labels"):
        merge_values(one, other)
    table = read_table(np.array([*"abcd"], dtype=object)[:, None])
    with pytest.raises(DataError, match="Column 'x0' has more than 3 distinct labels"):
        count_column(table, 0, strata_of(np.zeros(4, dtype=int)))
