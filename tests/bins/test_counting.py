from collections import defaultdict

import numpy as np
import pytest

from bayesieve._native import core
from bayesieve.bins.codes import count_codes, count_codes_numpy

IMPLEMENTATIONS = {"public": count_codes, "numpy": count_codes_numpy}
if core is not None:
    IMPLEMENTATIONS["core"] = core.count_codes
kernels = pytest.mark.parametrize("count", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS.keys())


def count_by_hand(codes, target, weights, offsets, n_classes):
    cells = defaultdict(int)
    for j, column in enumerate(codes.tolist()):
        for code, c, weight in zip(column, target.tolist(), weights.tolist(), strict=True):
            cells[int(offsets[j]) + code, c] += weight
    counts = np.zeros((int(offsets[-1]), n_classes), dtype=np.int64)
    for cell, weight in cells.items():
        counts[cell] = weight
    return counts


def random_case(rng, n_columns, n_rows, dtype, largest_weight):
    largest_width = 7 if dtype == np.uint8 else 700
    widths = rng.integers(1, largest_width, size=n_columns, endpoint=True)
    codes = np.array([rng.integers(0, width, size=n_rows) for width in widths], dtype=dtype)
    n_classes = int(rng.integers(1, 5))
    return (
        codes.reshape(n_columns, n_rows),
        rng.integers(0, n_classes, size=n_rows, dtype=np.int32),
        rng.integers(0, largest_weight, size=n_rows, dtype=np.int64, endpoint=True),
        np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
        n_classes,
    )


@kernels
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("largest_weight", [0, 1, 9, 2**50, 2**55])
@pytest.mark.parametrize(("n_columns", "n_rows"), [(0, 0), (0, 5), (3, 0), (1, 1), (4, 60), (9, 33)])
def test_equals_counting_by_hand(count, dtype, largest_weight, n_columns, n_rows):
    rng = np.random.default_rng([n_columns, n_rows, largest_weight])
    case = random_case(rng, n_columns, n_rows, dtype, largest_weight)
    counts = count(*case)
    assert counts.dtype == np.int64
    assert counts.flags.c_contiguous
    np.testing.assert_array_equal(counts, count_by_hand(*case), strict=True)


@kernels
def test_sums_beyond_float64_are_exact(count):
    codes = np.zeros((1, 2), dtype=np.uint8)
    target = np.zeros(2, dtype=np.int32)
    weights = np.array([2**53, 1])
    assert count(codes, target, weights, np.array([0, 1]), 1)[0, 0] == 2**53 + 1
    weights = np.array([2**63 - 2, 1])
    assert count(codes, target, weights, np.array([0, 1]), 1)[0, 0] == 2**63 - 1


@kernels
@pytest.mark.parametrize(("dtype", "width"), [(np.uint8, 256), (np.uint16, 65536)])
def test_largest_code(count, dtype, width):
    codes = np.array([[width - 1, 0]], dtype=dtype)
    counts = count(codes, np.array([1, 0], dtype=np.int32), np.array([3, 4]), np.array([0, width]), 2)
    assert counts[width - 1].tolist() == [0, 3]
    assert counts[0].tolist() == [4, 0]
    assert counts.sum() == 3 + 4


@kernels
def test_read_only_arrays_are_accepted(count):
    case = random_case(np.random.default_rng(0), 2, 10, np.uint8, 3)
    for array in case[:4]:
        array.flags.writeable = False
    np.testing.assert_array_equal(count(*case), count_by_hand(*case))


def valid_case():
    return {
        "codes": np.array([[0, 1, 2], [1, 0, 1]], dtype=np.uint8),
        "target": np.array([0, 1, 1], dtype=np.int32),
        "weights": np.array([1, 2, 3]),
        "offsets": np.array([0, 3, 5]),
        "n_classes": 2,
    }


@kernels
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"codes": np.zeros((2, 3), dtype=np.int64)}, "codes must be a C-contiguous uint8 or uint16 array"),
        ({"codes": np.zeros(3, dtype=np.uint8)}, "codes must be a C-contiguous"),
        ({"codes": np.zeros((3, 2), dtype=np.uint8).T}, "codes must be a C-contiguous"),
        ({"target": np.zeros(2, dtype=np.int32)}, r"target must be a contiguous int32 array of shape \(n_rows,\)"),
        ({"target": np.zeros(3, dtype=np.int64)}, "target must be a contiguous int32"),
        ({"target": np.array([0, 2, 1], dtype=np.int32)}, "target must hold values from 0 to n_classes - 1"),
        ({"target": np.array([0, -1, 1], dtype=np.int32)}, "target must hold values from 0"),
        ({"weights": np.zeros(3)}, "weights must be a contiguous int64"),
        ({"weights": np.zeros(6, dtype=np.int64)[::2]}, "weights must be a contiguous int64"),
        ({"weights": np.array([1, -1, 1])}, "weights must not be negative"),
        ({"weights": np.array([2**62, 2**62, 0])}, r"weights must sum to less than 2\*\*63"),
        ({"offsets": np.array([0, 3])}, r"offsets must be a contiguous int64 array of shape \(n_columns \+ 1,\)"),
        ({"offsets": np.array([1, 4, 6])}, "offsets must start at 0"),
        ({"offsets": np.array([0, 3, 2])}, "offsets must not decrease"),
        ({"offsets": np.array([0, 3, 2**40])}, "a column must not have more than 65536 codes"),
        ({"offsets": np.array([0, 2, 4])}, "codes of a column must be smaller"),
        ({"n_classes": 0}, "n_classes must be at least 1"),
    ],
)
def test_refuses_bad_input_in_one_sentence(count, changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        count(*(valid_case() | changes).values())
