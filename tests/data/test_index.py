"""The compiled index of a column's numbers against its NumPy twin and against a dictionary, bit by bit."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.draws import draws

from bayesieve._native import core
from bayesieve.data.column import EncodedValues, index_columns, index_numbers, index_numbers_numpy

NAN = float("nan")
INF = float("inf")
TINY = 5e-324
LARGEST = float(np.finfo(float).max)
SMALLEST_NORMAL = float(np.finfo(float).tiny)
ODD = [
    0.0,
    -0.0,
    TINY,
    -TINY,
    3 * TINY,
    SMALLEST_NORMAL,
    -SMALLEST_NORMAL,
    LARGEST,
    -LARGEST,
    INF,
    -INF,
    NAN,
    1.0,
    -1.0,
]
BELOW_ONE = float(np.nextafter(1, 0))


def by_dictionary(numbers):
    """Index by definition: sort what occurs, look up what is asked."""
    distinct = sorted({value for value in numbers if not math.isnan(value)})
    position = {value: i for i, value in enumerate(distinct)}
    ids = [len(distinct) if math.isnan(value) else position[value] for value in numbers]
    return [abs(value) if value == 0 else value for value in distinct], ids


def same_bits(labels, expected):
    return labels.view(np.uint64).tolist() == np.asarray(expected, dtype=np.float64).view(np.uint64).tolist()


def check(numbers):
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    before = numbers.tobytes()
    expected_labels, expected_ids = by_dictionary(numbers.tolist())
    for index in (index_numbers, index_numbers_numpy):
        labels, ids = index(numbers)
        assert (labels.dtype, ids.dtype) == (np.float64, np.int32)
        assert same_bits(labels, expected_labels)  # a zero is plus zero
        assert ids.tolist() == expected_ids
    assert numbers.tobytes() == before


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [NAN],
        [NAN] * 5,
        [7.0],
        [7.0] * 5,
        [-0.0],
        [0.0, -0.0, 0.0],
        [-0.0, 0.0, NAN, -1.0],
        [TINY, -TINY, 0.0, -0.0, 2 * TINY, TINY],
        [LARGEST, -LARGEST, float(np.nextafter(LARGEST, 0))],
        [INF, -INF, LARGEST, NAN, INF],
        [1.0, BELOW_ONE, float(np.nextafter(1, 2)), 1.0],
        ODD,
        ODD[::-1] * 3,
    ],
    ids=str,
)
def test_small_columns(numbers):
    check(numbers)


@given(st.lists(st.floats() | st.sampled_from(ODD), max_size=60))
def test_any_floats(numbers):
    check(numbers)


def any_bits(rng, n_rows):
    """Return subnormals, infinities, NaN with any payload and sign: every pattern of 64 bits."""
    return rng.integers(0, 2**64, n_rows, dtype=np.uint64).view(np.float64)


def low_bits(rng, n_rows):
    """Return neighbors that differ in their last digits only."""
    return (np.float64(1.5).view(np.uint64) + rng.integers(0, 40, n_rows).astype(np.uint64)).view(np.float64)


DRAW = {
    "few": lambda rng, n_rows: rng.integers(-3, 4, n_rows).astype(float),
    "odd": lambda rng, n_rows: rng.choice(ODD, n_rows),
    "bits": any_bits,
    "low bits": low_bits,
    "high bits": lambda rng, n_rows: np.ldexp(rng.choice([-1.0, 1.0], n_rows), rng.integers(-1074, 1024, n_rows)),
    "subnormal": lambda rng, n_rows: rng.integers(-200, 200, n_rows) * TINY,
    "normal": lambda rng, n_rows: rng.normal(size=n_rows) * 10.0 ** rng.integers(-5, 6),
}


@pytest.mark.parametrize("kind", DRAW)
def test_thousands_of_random_columns(kind):
    rng = np.random.default_rng(list(DRAW).index(kind))
    for _ in range(600):
        numbers = DRAW[kind](rng, int(rng.choice([1, 2, 5, 30, 100, 400])))
        if rng.random() < 0.5:
            numbers[rng.random(len(numbers)) < rng.random()] = NAN
        check(numbers)


@pytest.mark.parametrize("n_values", [1, 2, 254, 255, 256, 257, 300, 1023, 1024, 1025])
@pytest.mark.parametrize("missing", [0, 40])
@pytest.mark.parametrize("kind", ["counts", "halves", "normal", "bits"])
def test_numbers_of_distinct_values_where_the_method_changes(n_values, missing, kind):
    rng = np.random.default_rng(n_values)
    values = {
        "counts": np.arange(n_values) - n_values // 2.0,
        "halves": np.ldexp(1.0, np.arange(n_values) - 600),
        "normal": rng.normal(size=n_values),
        "bits": np.float64(-3.0).view(np.uint64) + np.arange(n_values, dtype=np.uint64),
    }[kind]
    values = values.view(np.float64)
    assert len(set(values.tolist())) == n_values
    repeated = np.concatenate([values, rng.choice(values, 3 * n_values), np.full(missing, NAN)])
    for numbers in (values, values[::-1], rng.permutation(repeated), np.sort(repeated), repeated[::-1]):
        check(numbers)


def test_the_last_row_may_bring_the_value_too_many():
    few = np.tile(np.arange(256.0), 20)
    check(few)
    check(np.append(few, -1.0))
    check(np.append(few, NAN))
    check(np.append(few, [NAN, -0.0, 1e300]))


@pytest.mark.parametrize("kind", ["continuous", "few", "many", "whole", "constant", "sorted", "missing"])
def test_many_rows(kind):
    rng = np.random.default_rng(0)
    n_rows = 100_000
    continuous = rng.normal(size=n_rows)
    check(
        {
            "continuous": continuous,
            "few": rng.integers(0, 5, n_rows),
            "many": rng.integers(-700, 700, n_rows),
            "whole": rng.integers(-(10**9), 10**9, n_rows),
            "constant": np.full(n_rows, 3.25),
            "sorted": np.sort(continuous),
            "missing": np.where(rng.random(n_rows) < 0.9, NAN, continuous),
        }[kind]
    )


def spread(rng, n_rows):
    """Return numbers of which most are spread over their range, with ties, missing values and zeros of both signs."""
    scale = 10.0 ** rng.choice([-320, -300, -3, 0, 5, 300, 307])
    numbers = {
        "uniform": rng.random(n_rows),
        "normal": rng.normal(size=n_rows),
        "rounded": np.round(rng.random(n_rows), int(rng.integers(2, 5))),
        "clusters": rng.integers(0, 20, n_rows) + 1e-13 * rng.integers(0, 50, n_rows),
        "outlier": np.append(rng.random(n_rows - 1), 1e6),
        "close": 1.0 + 2.0**-52 * rng.integers(0, 1000, n_rows),
    }[str(rng.choice(["uniform", "normal", "rounded", "clusters", "outlier", "close"]))] - rng.choice([0.0, 0.5, 2.0])
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = numbers * scale
        numbers[rng.random(n_rows) < rng.choice([0.0, 0.1])] = NAN
        numbers[rng.random(n_rows) < rng.choice([0.0, 0.01])] *= 0.0
        numbers[rng.random(n_rows) < rng.choice([0.0, 0.001])] = rng.choice(ODD)
        return numbers.astype(rng.choice([np.float64, np.float64, np.float32]))


def test_numbers_that_are_spread_over_their_range():
    rng = np.random.default_rng(9)
    for _ in range(draws(150, 3000)):
        numbers = spread(rng, int(rng.choice([257, 400, 1023, 4095, 4096, 6000])))
        check(numbers)
        (labels,), (ids,) = index_columns(numbers[None, :])
        assert same_bits(labels, index_numbers(numbers.astype(np.float64))[0])
        assert np.argsort(ids, kind="stable").tolist() == np.argsort(numbers, kind="stable").tolist()


def test_so_many_rows_that_places_have_three_digits():
    numbers = np.random.default_rng(10).normal(size=2**19 + 5)
    numbers[::7] = numbers[0]
    labels, ids = index_numbers(numbers)
    expected_labels, expected_ids = index_numbers_numpy(numbers)
    assert same_bits(labels, expected_labels)
    assert np.array_equal(ids, expected_ids)


TYPES = "bBhHiIlLqQefdg"  # one letter per type of number, as NumPy names them


@pytest.mark.parametrize("char", TYPES)
@pytest.mark.parametrize("order", ["C", "F", "every other", "backward", "foreign bytes", "field"])
def test_numbers_of_any_type_and_layout(char, order):
    rng = np.random.default_rng(ord(char))
    dtype = np.dtype(char)
    for low, high in ((0, 3), (0, 128), (-5, 100)):
        drawn = rng.integers(max(low, 0) if dtype.kind == "u" else low, high, (6, 400)).astype(dtype)
        if dtype.kind == "f":
            drawn[1] /= 7
            drawn[2] = rng.normal(size=400)
            drawn[3, ::3] = NAN
        elif dtype.itemsize == 8:
            drawn[1] += np.iinfo(dtype).max - 2 * high  # beyond 2^53: rounded as NumPy rounds
        numbers = {
            "C": drawn,
            "F": np.asfortranarray(drawn),
            "every other": np.repeat(drawn, 2, axis=1)[:, ::2],
            "backward": drawn[:, ::-1].copy()[:, ::-1],
            "foreign bytes": drawn.astype(dtype.newbyteorder()),
            "field": np.rec.fromarrays([drawn, np.zeros(drawn.shape, np.int8)], names="a,b").a,
        }[order]
        labels, ids = index_columns(numbers)
        for j, column in enumerate(drawn):
            expected_labels, expected_ids = index_numbers_numpy(column.astype(np.float64))
            assert same_bits(labels[j], expected_labels)
            assert ids[j].tolist() == expected_ids.tolist()


@pytest.mark.parametrize("late", [0, 3, 4, 7, 255, np.nan])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_number_that_occurs_late_only(late, order):
    numbers = np.random.default_rng(0).integers(1, 4, (1000, 3)).astype(np.float64)
    numbers[numbers == late] = 2.0
    numbers[900, 1] = late
    labels, ids = index_columns(np.array(numbers, order=order).T)
    for column, own, places in zip(numbers.T, labels, ids, strict=True):
        expected_labels, expected_ids = index_numbers_numpy(column)
        np.testing.assert_array_equal(own, expected_labels)
        np.testing.assert_array_equal(places, expected_ids)


def test_numbers_that_share_their_first_bits():
    rng = np.random.default_rng(5)
    far = rng.integers(0, 5, 3000) * 1e100
    check(far + rng.integers(0, 1000, 3000))
    check(1.6e15 + rng.integers(0, 10**9, 3000))  # microseconds since 1970
    check(np.where(rng.random(3000) < 0.5, 1.0 + rng.integers(0, 700, 3000) * 2.0**-52, rng.normal(size=3000)))


@pytest.mark.skipif(core is None, reason="there is no compiled core")
@pytest.mark.parametrize("numbers", [np.zeros(4), np.zeros((1, 4), dtype=complex), np.zeros((1, 4), dtype=bool)])
def test_the_kernel_refuses_other_arrays(numbers):
    with pytest.raises(ValueError, match="floats or integers of shape"):
        core.index_columns(numbers, 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint32])
def test_encoded_values_by_looking_up_one_row_after_the_other(dtype):
    rng = np.random.default_rng(4)
    for n_entries, n_rows in product((0, 1, 5, 100), (60, 200)):
        least = 0 if dtype is np.uint32 and n_entries else -1
        positions = rng.integers(least, max(n_entries, least + 1), n_rows)
        if least < 0 and dtype is np.uint32:
            continue
        positions = np.repeat(positions.astype(dtype), 2)[::2]
        values = EncodedValues([f"v{k}" for k in range(n_entries)], positions)
        ids = rng.permutation(n_entries + 1).astype(np.int32)
        assert values.occurring == sorted({k for k in positions.tolist() if k >= 0})
        assert values.look_up(ids).tolist() == [int(ids[k]) for k in positions.tolist()]


@pytest.mark.skipif(core is None, reason="the compiled core checks its input")
@pytest.mark.parametrize("bad", [-2, 3, 127])
def test_positions_out_of_range_are_refused(bad):
    positions = np.array([0, bad], dtype=np.int8)
    with pytest.raises(ValueError, match="positions must be -1, or those of entries"):
        core.occurring_positions(positions, 3)
    with pytest.raises(ValueError, match="positions must be -1, or those of ids"):
        core.look_up_positions(positions, np.zeros(4, dtype=np.int32))
