"""Errors among columns of two codes: 16-bit leads against the reference engine, near every rounding."""

import numpy as np
import pytest
from draws import draws

from bayesieve._native import available, core
from bayesieve.bins import Codes
from bayesieve.models import NaiveBayes, Tables
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import Change, MemoryEngine, MemorySegments, ReferenceEngine, Segment

pytestmark = pytest.mark.skipif(not available(), reason="only the compiled core scans")

ONE = 2**40


def draw_segment(rng, n_columns, n_classes, n_rows, scale):
    """Return a segment of binary codes; entries are few different numbers, so that leads tie or nearly so."""
    codes = rng.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
    codes[rng.random(n_columns) < 0.1] = 0
    n_bins, place = np.full(n_columns, 2), np.arange(n_columns)
    entries = rng.integers(-4, 5, (n_columns, 3, n_classes)) * scale + rng.integers(-2, 3, (n_columns, 3, n_classes))
    tables = Tables(
        rng.integers(-3, 4, n_classes) * scale, entries.reshape(-1, n_classes), np.arange(n_columns + 1) * 3
    )
    target = np.sort(rng.integers(0, n_classes, n_rows)).astype(np.int32)
    narrow = Codes(codes, np.empty((0, n_rows), dtype=np.uint16), place, n_bins)
    return Segment(narrow, target, np.ones(n_rows, dtype=np.int64), n_classes, tables)


def engines(segments):
    return [kind(MemorySegments(segments), NaiveBayes(), CRITERIA["error"]) for kind in (MemoryEngine, ReferenceEngine)]


@pytest.mark.parametrize("seed", range(draws(60, 2000)))
def test_the_best_moves_are_those_of_the_reference(seed):
    rng = np.random.default_rng(seed)
    n_columns, n_classes = 12, int(rng.integers(2, 7))  # beyond five classes there are no leads
    scale = int(rng.choice([1, 3, 1 << 20, ONE // 7, 40 * ONE]))
    sizes = rng.choice([1, 31, 64, 65, 300, 2100], 2)
    segments = [draw_segment(rng, n_columns, n_classes, int(size), scale) for size in sizes]
    ours, reference = engines(segments)
    weights = dict.fromkeys(range(int(rng.integers(0, 6))), 1.0)
    assert ours.reset(weights) == reference.reset(weights)
    after = {j: 0.0 if j in weights else 1.0 for j in range(n_columns)}
    if seed % 3 == 0:  # other weights than 0 and 1, of which some add more than a whole column
        after = {j: float(rng.choice([0.25, 0.5, 3.0, -2.0])) for j in range(n_columns)}
    moves = [(Change(j, weights.get(j, 0.0), after[j]),) for j in range(n_columns)]
    exact = reference.score(moves, exact=True)
    np.testing.assert_array_equal(ours.score(moves, exact=True), exact)
    best = np.sort(exact)[-2:]
    np.testing.assert_array_equal(np.sort(ours.score(moves))[-2:], best)


@pytest.mark.parametrize("seed", range(draws(60, 2000)))
def test_estimates_contain_the_exact_scores(seed):
    rng = np.random.default_rng(seed)
    scale = int(rng.choice([1, 1 << 30, ONE, 20 * ONE]))
    segment = draw_segment(rng, 20, int(rng.integers(2, 6)), int(rng.choice([5, 200, 2100])), scale)
    ours, _ = engines([segment])
    ours.reset(dict.fromkeys(range(5), 1.0))
    columns, before, after = np.arange(5, 20, dtype=np.int32), np.zeros(15), np.ones(15)
    middle, radius = ours._rows.estimate(columns, before, after, np.arange(16), effort=0).T
    exact = ours.score([(Change(j, 0.0, 1.0),) for j in range(5, 20)], exact=True)
    constant = exact - middle
    assert (constant.max() - constant.min()) <= 2 * radius.max() + 1e-12
    if core.vector_build() == "avx512":  # posteriors so far apart are not scanned
        assert np.isfinite(radius).all()
