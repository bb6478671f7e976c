"""Summaries of blocks: merged exactly while values are few, by digests beyond."""

import numpy as np
import pytest

from bayesieve.coding import MODL, Grid, SketchedValues, Summary, count_values, merge_values, value_counts as tallied
from bayesieve.coding.partition import on_borders
from bayesieve.data import Scale, Strata, Values, merge_pairs, read_column

datasketches = pytest.importorskip("datasketches")


def tally(values, classes, weights=None, nominal=False):
    strata = Strata(np.asarray(classes, dtype=np.int32), 3, weights)
    column = read_column("x", np.asarray(values), nominal)
    numbers = (column.values, Scale.numeric) if column.ordered else None
    return count_values("x", numbers, lambda: column, strata)


def in_blocks(values, classes, n_blocks, **options):
    parts = zip(np.array_split(values, n_blocks), np.array_split(classes, n_blocks), strict=True)
    return merge_pairs([tally(*each, **options) for each in parts], merge_values)


@pytest.mark.parametrize("seed", range(50))
def test_counts_of_blocks_are_those_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, 200)
    numbers = np.where(rng.random(200) < 0.1, np.nan, rng.integers(0, 30, 200).astype(float))
    labels = np.array([None, "a", "b", True, 3], dtype=object)[rng.integers(0, 5, 200)]
    for values, nominal in ((numbers, False), (labels, True)):
        whole, merged = tally(values, classes, nominal=nominal), in_blocks(values, classes, 7, nominal=nominal)
        assert list(merged.labels) == list(whole.labels)
        np.testing.assert_array_equal(merged.counts, whole.counts)


def test_many_values_are_sketched_alike_from_the_same_blocks(monkeypatch):
    monkeypatch.setattr(tallied, "MOST_VALUES", 1000)
    rng = np.random.default_rng(0)
    values = np.where(rng.random(30_000) < 0.3, 0.0, rng.lognormal(0, 2, 30_000))
    classes = (rng.random(30_000) < np.where(values > 1.0, 0.7, 0.2)).astype(int)
    found = [in_blocks(values, classes, 11) for _ in range(2)]
    assert isinstance(found[0], SketchedValues)
    grid, again = map(Grid.of, found)
    np.testing.assert_array_equal(grid.borders, again.borders)
    assert 0.0 in grid.labels
    counted = grid.count(values, Strata(classes.astype(np.int32), 2))
    share = counted.counts.sum(axis=1)[:-1] / len(values) * len(grid.labels)
    assert share[grid.labels == 0.0] / len(grid.labels) == pytest.approx(0.3, abs=0.02)
    assert np.sort(share)[-2] < 20  # cells of 30,000 rows are small: of ten million, twice their share
    # Bounds lie on borders, so that what was counted is what is coded.
    learnt = MODL().learn(Summary("x", counted.labels, counted.counts, 1.0))
    partition = on_borders(learnt, Values("x", grid.labels, borders=grid.borders))
    assert set(partition.bounds) <= set(grid.borders)
    parts = partition.bins_of(Values("x", grid.labels))[:-1]
    by_cell = [counted.counts[:-1][parts == k].sum() for k in range(partition.n_bins)]
    assert np.bincount(partition.code_numbers(values), minlength=partition.n_bins).tolist() == by_cell


@pytest.mark.parametrize("seed", range(20))
def test_cells_count_every_number_once(seed):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(-5, 6, 8).astype(float))
    grid = Grid("x", labels, (labels[:-1] + labels[1:]) / 2)
    numbers = np.where(rng.random(300) < 0.1, np.nan, rng.integers(-9, 10, 300) / 2)
    classes, weights = rng.integers(0, 3, 300).astype(np.int32), rng.integers(0, 4, 300)
    cells = np.where(np.isnan(numbers), len(labels), [int((grid.borders < x).sum()) for x in numbers])
    for given in (None, weights):
        expected = np.zeros((len(labels) + 1, 3), dtype=np.int64)
        np.add.at(expected, (cells, classes), 1 if given is None else given)
        np.testing.assert_array_equal(grid.count(numbers, Strata(classes, 3, given)).counts, expected)


def test_infinite_numbers_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(tallied, "MOST_VALUES", 10)
    values = np.append(np.arange(100.0), np.inf)
    with pytest.raises(ValueError, match="Column 'x' has infinite values"):
        tally(np.append(values[:-1], np.inf), np.zeros(101, dtype=int))
