"""Cells of numbers: the compiled lookup and its twin agree, whatever the numbers are."""

import numpy as np
import pytest
from draws import draws

from bayesieve._native import available
from bayesieve.bins import Intervals
from bayesieve.bins.cells import cells_of, code_cells, code_cells_numpy, count_cells, count_cells_numpy
from bayesieve.data import Strata

pytestmark = pytest.mark.skipif(not available(), reason="needs the compiled core")

SPECIAL = np.array([0.0, -0.0, np.nan, -np.nan, 5e-324, -5e-324, 1e-45, 1e308, -1e308, 3.4e38, -3.4e38])


def draw_numbers(rng, n):
    """Return numbers of one of several shapes, some of them special."""
    numbers = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(-5, 6, n) / 4,
        lambda: np.exp(8 * rng.normal(size=n)),
        lambda: 1e6 + rng.random(n),
        lambda: np.full(n, rng.normal()),
        lambda: np.where(rng.random(n) < 0.01, 1e30, rng.random(n) * 1e-3),
    ][rng.integers(6)]()
    return np.where(rng.random(n) < 0.1, rng.choice(SPECIAL, n), numbers)


def draw_borders(rng, numbers):
    n = int(rng.choice([0, 1, 2, 30, 300, 3000]))
    finite = numbers[np.isfinite(numbers)]
    some = rng.choice(finite, n) if len(finite) else np.zeros(0)
    return np.unique(np.concatenate([some, np.nextafter(some, np.inf), rng.normal(size=n // 3)]) + 0.0)


@pytest.mark.parametrize("seed", range(draws(24, 60)))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counts_agree_with_the_twin(seed, dtype):
    rng = np.random.default_rng(seed)
    n, n_strata = int(rng.choice([0, 1, 7, 512, 1500])), int(rng.integers(1, 5))
    wide = draw_numbers(rng, n)
    borders = draw_borders(rng, wide)
    with np.errstate(over="ignore"):
        numbers = wide.astype(dtype)
    weights = None if seed % 2 else rng.integers(0, 2**40, n)
    strata = Strata(rng.integers(0, n_strata, n).astype(np.int32), n_strata, weights)
    for are_labels in (False, True):
        counts, others, infinite = count_cells(numbers, borders, strata, are_labels=are_labels)
        expected = count_cells_numpy(numbers, borders, strata, are_labels=are_labels)
        np.testing.assert_array_equal(counts, expected[0])
        np.testing.assert_array_equal(others, expected[1])
        assert infinite == expected[2]


@pytest.mark.parametrize("seed", range(draws(12, 30)))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_agree_with_the_twin_and_with_the_partition(seed, dtype):
    rng = np.random.default_rng(seed)
    wide = draw_numbers(rng, 700)
    with np.errstate(over="ignore"):
        numbers = wide.astype(dtype)
    bounds = draw_borders(rng, wide)
    special = tuple(np.unique(rng.choice(wide[np.isfinite(wide)] + 0.0, 3)).tolist()) if seed % 3 == 0 else ()
    missing = bool(seed % 2)
    partition = Intervals(bounds, missing, joined=None if missing or seed % 4 else 0, special=special)
    rows = rng.integers(0, 700, 900)
    codes, twin = (np.empty(900, dtype=np.uint16) for _ in range(2))
    code_cells(numbers, *cells_of(partition), rows, codes)
    code_cells_numpy(numbers, *cells_of(partition), rows, twin)
    np.testing.assert_array_equal(codes, twin)
    np.testing.assert_array_equal(codes, partition.code_numbers(numbers.astype(np.float64))[rows])


def test_infinite_numbers_are_found():
    strata = Strata(np.zeros(3, dtype=np.int32), 1)
    for dtype in (np.float32, np.float64):
        assert count_cells(np.array([1.0, -np.inf, 2.0], dtype=dtype), np.array([0.0]), strata)[2]
        largest = np.finfo(dtype).max
        assert not count_cells(np.array([largest, -largest, np.nan], dtype=dtype), np.array([0.0]), strata)[2]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"borders": np.array([1.0, 0.0])}, "borders must be finite and must not decrease"),
        ({"borders": np.array([np.nan])}, "borders must be finite and must not decrease"),
        ({"rows": np.array([3])}, "rows must be positions among the values"),
        ({"code_of_cell": np.array([0, 1, 256])}, "code_of_cell must fit the codes"),
        ({"numbers": np.arange(3)}, "values must be a contiguous float32 or float64 vector"),
    ],
)
def test_wrong_arguments_are_refused(change, sentence):
    arguments = {
        "numbers": np.arange(3.0),
        "borders": np.array([1.0]),
        "code_of_cell": np.arange(3),
        "rows": np.array([0]),
        "codes": np.empty(1, dtype=np.uint8),
    }
    with pytest.raises(ValueError, match=sentence):
        code_cells(**(arguments | change))
