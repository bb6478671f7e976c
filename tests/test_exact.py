import math

import numpy as np
import pytest

from bayesieve.exact import (
    FIXED_ONE,
    exp_nonpositive,
    fixed_logs,
    log_positive,
    nearest_fixed,
    ordered_sum,
    pool_violators,
    to_fixed,
)

# Bit patterns: any machine, NumPy or compiled twin that gives others would break ties in its own way.
EXP_BITS = {
    -1e-10: "0x1.ffffffff24190p-1",
    -0.1: "0x1.cf46d99d52b3ap-1",
    -0.34657359027997264: "0x1.6a09e667f3bccp-1",
    -0.5: "0x1.368b2fc6f960ap-1",
    -1.0: "0x1.78b56362cef38p-2",
    -2.718281828459045: "0x1.0e49787e20548p-4",
    -10.0: "0x1.7cd79b5647c9ap-15",
    -36.7: "0x1.0998b04bdd190p-53",
    -100.0: "0x1.a8c1f14e2af5dp-145",
    -699.5: "0x1.c89c2e339b392p-1010",
}
LOG_BITS = {
    0.1: "-0x1.26bb1bbb55515p+1",
    0.3333333333333333: "-0x1.193ea7aad030bp+0",
    0.5: "-0x1.62e42fefa39efp-1",
    0.7071067811865475: "-0x1.62e42fefa39f1p-2",
    0.75: "-0x1.269621134db92p-2",
    1.0000000001: "0x1.b7cdffffa18d8p-34",
    1.5: "0x1.9f323ecbf984cp-2",
    3.0: "0x1.193ea7aad030bp+0",
    10.0: "0x1.26bb1bbb55516p+1",
    100001.0: "0x1.7069f7a2d94f6p+3",
    1e-09: "-0x1.4b927f32bffb8p+4",
}


def one(function, x):
    return float(function(np.array([x]))[0])


@pytest.mark.parametrize(("x", "bits"), EXP_BITS.items())
def test_exp_has_these_bits(x, bits):
    assert one(exp_nonpositive, x).hex() == bits


@pytest.mark.parametrize(("x", "bits"), LOG_BITS.items())
def test_log_has_these_bits(x, bits):
    assert one(log_positive, x).hex() == bits


def exp_grid():
    rng = np.random.default_rng(0)
    return np.concatenate([-np.geomspace(1e-300, 700.0, 20_000), -rng.random(20_000) * 50, [0.0, -0.0, -700.0]])


def test_exp_is_within_its_documented_error():
    grid = exp_grid()
    expected = np.array([math.exp(x) for x in grid.tolist()])
    assert (np.abs(exp_nonpositive(grid) - expected) <= 2.0**-50 * expected).all()


def test_log_is_within_its_documented_error():
    rng = np.random.default_rng(1)
    grid = np.concatenate([np.geomspace(1e-12, 1e12, 20_000), rng.random(20_000) + 2.0**-40, 1 + rng.random(20_000)])
    expected = np.array([math.log(x) for x in grid.tolist()])
    assert (np.abs(log_positive(grid) - expected) <= 2.0**-50 * np.maximum(1.0, np.abs(expected))).all()


def test_log_of_extreme_numbers():
    for x in (2.0**-1022, 1e-300, 1e300, 1.7e308):
        assert one(log_positive, x) == pytest.approx(math.log(x), rel=2.0**-50)


def test_exp_is_zero_below_its_range_and_one_at_zero():
    assert one(exp_nonpositive, -700.0) > 0.0
    assert one(exp_nonpositive, math.nextafter(-700.0, -math.inf)) == 0.0
    assert one(exp_nonpositive, -1e18) == 0.0
    assert one(exp_nonpositive, 0.0) == 1.0


def test_log_of_a_power_of_two_is_that_many_log_two():
    assert one(log_positive, 1.0) == 0.0
    assert one(log_positive, 2.0) == math.log(2)
    assert one(log_positive, 2.0**40) == 40 * math.log(2)
    assert one(log_positive, 0.5) == -math.log(2)


def steps_around(points, n):
    """Return dense runs of neighboring numbers (spaced 2^-45 relative) around each point."""
    return np.concatenate([p * (1 + np.arange(-n, n + 1) * 2.0**-45) for p in sorted(points)])


def test_exp_is_monotone():
    # The reduction changes its multiple of log 2 at odd halves of log 2; a step down would show there.
    joints = [-(k + 0.5) * math.log(2) for k in range(60)]
    for grid in (np.linspace(-700, 0, 500_000), *(np.sort(steps_around([x], 500)) for x in joints)):
        assert (np.diff(exp_nonpositive(grid)) >= 0).all()


def test_log_is_monotone():
    joints = [math.sqrt(0.5) * 2.0**k for k in range(-30, 30)] + [1.0, 2.0, 0.5]
    for grid in (np.geomspace(1e-13, 1e13, 500_000), *(steps_around([x], 500) for x in joints)):
        assert (np.diff(log_positive(grid)) >= 0).all()


def test_the_place_in_an_array_does_not_matter():
    grid = exp_grid()[:1001]
    alone = [one(exp_nonpositive, x) for x in grid.tolist()]
    assert exp_nonpositive(grid).tolist() == alone
    assert [one(log_positive, -x) for x in grid[1:].tolist()] == log_positive(-grid[1:]).tolist()


def test_fixed_point_rounds_halves_to_even():
    halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5]) / FIXED_ONE
    assert to_fixed(halves).tolist() == [0, 2, 2, 0, -2]
    assert to_fixed(np.array([1.0, -3.25])).tolist() == [2**40, -13 * 2**38]
    assert nearest_fixed(halves).tolist() == (to_fixed(halves) / FIXED_ONE).tolist()


def test_sums_are_added_in_order():
    x = np.random.default_rng(2).normal(size=(5, 1000, 3)) * 2.0 ** np.arange(-30, 30, 20)
    assert ordered_sum(x) == sum(x.ravel().tolist())
    for axis in (0, 1, 2, -1):
        lines = np.moveaxis(x, axis, -1)
        expected = [sum(line.tolist()) for line in lines.reshape(-1, lines.shape[-1])]
        assert ordered_sum(x, axis=axis).ravel().tolist() == expected
    assert ordered_sum(np.empty(0)) == 0.0
    assert ordered_sum(np.empty((0, 2)), axis=0).tolist() == [0.0, 0.0]


def test_logarithms_in_fixed_point_are_those_of_the_core():
    rng = np.random.default_rng(3)
    x = np.exp2(rng.uniform(-1022, 1023, (700, 3)))
    x[:5] = [[1.0] * 3, [2.0**-1022] * 3, [np.finfo(float).max] * 3, [0.5, 2.0, 4.0], [1 - 2.0**-53, 1 + 2.0**-52, 3.0]]
    for shape in ((700, 3), (2100,), (0, 3)):
        some = x.ravel()[: int(np.prod(shape))].reshape(shape)
        np.testing.assert_array_equal(fixed_logs(some), to_fixed(log_positive(some)))
    np.testing.assert_array_equal(fixed_logs(x[:, 1]), fixed_logs(x)[:, 1])


def test_violators_are_pooled():
    counts = np.array([[2, 1], [1, 1], [3, 1], [0, 1]])  # shares 1/3, 1/2, 1/4, 1: the second and third pool to 1/3
    assert pool_violators(counts, 1).tolist() == [0, 1, 3]
    assert pool_violators(counts[::-1], -1).tolist() == [0, 1, 3]
    assert pool_violators(counts, -1).tolist() == [0, 2]  # 2/5 and 2/5
    assert pool_violators(counts, -1, equals=True).tolist() == [0]
