"""Estimates of scores contain the exact ones, however far apart the scores of classes are."""

from dataclasses import replace

import numpy as np
import pytest
from cases import make_segments, plain_case
from draws import draws

from bayesieve._native import available
from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import Change, MemoryEngine, MemorySegments

pytestmark = pytest.mark.skipif(not available(), reason="only the compiled core estimates scores")

OCTAVE = np.log(2.0) * 2.0**40  # one power of two in scores of rows
ONE_ROW = plain_case([[0]] * 4, [0], n_classes=3)


def engine_of(start, ratios, criterion):
    """Return an engine for one row of class 0; ``ratios`` has a line per column, in powers of two per class.

    They are those of a weight that changes from 1/4 to 1: ratios of a whole column are refused by their largest
    difference between any two classes.
    """
    (segment,) = make_segments(ONE_ROW)
    entries = np.zeros_like(segment.tables.entries)
    entries[segment.tables.offsets[:-1]] = np.rint(np.array(ratios) / 0.75 * OCTAVE)
    tables = replace(segment.tables, start=np.rint(np.array(start) * OCTAVE).astype(np.int64), entries=entries)
    return MemoryEngine(MemorySegments([replace(segment, tables=tables)]), NaiveBayes(), CRITERIA[criterion])


def assert_contained(engine, n_columns):
    exact = engine.score([(Change(j, 0.25, 1.0),) for j in range(n_columns)], exact=True)
    columns, ones = np.arange(n_columns, dtype=np.int32), np.ones(n_columns)
    for effort in (0, 1):
        middle, radius = engine._rows.estimate(columns, 0.25 * ones, ones, np.arange(n_columns + 1), effort=effort).T
        assert (np.abs(middle - exact) <= radius + 1e-12).all()


@pytest.mark.parametrize("criterion", ["brier", "log_loss", "error_probability"])
@pytest.mark.parametrize("far", [30, 39, 41, 50, 59, 61])
def test_two_wrong_classes_that_move_apart(criterion, far):
    """A class below 2^-126 of the largest is 0 in single precision, but matters where two ratios move it up again."""
    start = [0.0, 60.0, 60.0 - 127.0]
    ratios = [[0.0, -far, far], [0.0, far, -far], [0.0, -far, 0.0], [0.0, 0.0, far]]
    assert_contained(engine_of(start, ratios, criterion), 4)


@pytest.mark.parametrize("seed", range(draws(40, 4000)))
def test_random_classes_far_apart(seed):
    rng = np.random.default_rng(seed)
    start, ratios = rng.uniform(-80, 80, 3), rng.uniform(-70, 70, (4, 3)) * rng.integers(0, 2, (4, 1))
    assert_contained(engine_of(start, ratios, ["brier", "log_loss", "error_probability"][seed % 3]), 4)
