"""Counts of every fold in few passes, against a recount of its training rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from bayesieve.data import LabeledRows, read_table, read_target, read_weights
from bayesieve.fit.memory_learning import Fold, FoldCounter, sampled_rows, scored_weight


def draw_rows(rng, n_rows, weighted):
    table = pd.DataFrame({"a": rng.integers(0, 5, n_rows), "b": rng.choice(["x", "y", None], n_rows)})
    weights = read_weights(rng.integers(0, 4, n_rows) if weighted else None, n_rows)
    y = np.arange(n_rows) % 3
    return LabeledRows(read_table(table), read_target(y, n_rows, weights), weights)


def draw_folds(rng, n_rows, kind):
    """Return training rows: disjoint parts left out, any part left out, rows drawn again and again, all rows."""
    if kind == "parts":
        fold_of = rng.integers(0, 20, n_rows)  # more than a pass takes
        training = [np.flatnonzero(fold_of != f) for f in range(20)]
    elif kind == "overlapping":
        training = [np.flatnonzero(rng.random(n_rows) < 0.7) for _ in range(4)]
    else:
        training = [rng.integers(0, n_rows, n_rows), np.arange(n_rows), rng.integers(0, n_rows, 2 * n_rows)]
    return [Fold(rows, np.arange(0)) for rows in [*training, np.arange(n_rows), training[0]]]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["parts", "overlapping", "repeated"])
def test_counts_of_folds_are_those_of_their_training_rows(kind, weighted):
    rng = np.random.default_rng(3)
    for n_rows in (3, 40, 200):
        rows = draw_rows(rng, n_rows, weighted)
        folds = draw_folds(rng, n_rows, kind)
        counter = FoldCounter(rows, folds)
        batch = rows.table.batch(0, 2)
        counts, masses = counter.count(batch), counter.masses(rows)
        few = counts.take(slice(1, 3))
        for f, fold in enumerate(folds):
            expected = np.zeros((batch.offsets[-1], 3), dtype=np.int64)
            for j, column in enumerate(batch.columns):
                for i in fold.training:
                    place = batch.offsets[j] + column.ids[i]
                    expected[place, rows.target.codes[i]] += rows.weights.units[i]
            assert_array_equal(counts[f], expected)
            assert_array_equal(few[f], expected[1:3])
            assert_array_equal(masses[f], expected[: batch.offsets[1]].sum(axis=0))


def test_folds_that_leave_out_different_rows_share_a_pass():
    rows = draw_rows(np.random.default_rng(0), 60, weighted=False)
    parts = [Fold(np.flatnonzero(np.arange(60) % 4 != f), np.arange(0)) for f in range(4)]
    # Of three classes: the rows that no fold leaves out, and those of each of four folds.
    assert FoldCounter(rows, [*parts, Fold(np.arange(60), np.arange(0))]).n_strata == 3 * 5
    assert FoldCounter(rows, [Fold(np.arange(60), np.arange(0))]).n_strata == 3


def test_the_weight_of_validation_rows_counts_each_row_once():
    rng = np.random.default_rng(0)
    rows, other = draw_rows(rng, 30, weighted=True), draw_rows(rng, 9, weighted=True)
    everything = np.arange(30)
    folds = [Fold(everything, np.arange(0, 20)), Fold(everything, np.arange(10, 25)), Fold(everything, other)]
    expected = rows.weights.units[:25].sum() * rows.unit + other.weights.units.sum() * other.unit
    assert scored_weight(rows, folds) == expected


def test_sampled_rows_are_spread_over_all():
    assert_array_equal(sampled_rows(5), np.arange(5))
    sample = sampled_rows(10_000)
    assert len(sample) == 1000
    assert (sample[0], sample[-1]) == (0, 9999)
    assert set(np.diff(sample)) <= {10, 11}
