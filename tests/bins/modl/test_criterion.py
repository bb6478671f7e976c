import math

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.bins.modl.code_lengths import (
    COST_ONE,
    log_bell,
    log_factorial,
    log_factorial_cost,
    log_star,
    normalizer,
    to_cost,
    to_nats,
    universal_cost,
)
from bayesieve.bins.modl.criterion import (
    BoullePrior,
    GroupShape,
    KhiopsPrior,
    bin_costs,
    finest_granularity,
    group_cost,
    interval_cost,
    level,
)

needs_core = pytest.mark.skipif(core is None, reason="there is no compiled core")


def test_log_factorials_are_within_rounding_of_the_truth():
    x = np.concatenate([np.arange(2000), np.linspace(0, 40, 4001), [1e5, 1e6 + 0.5, 1e9]])
    truth = np.array([math.lgamma(value + 1) for value in x.tolist()])
    assert np.abs(log_factorial(x) - truth).max() <= 1e-13 * truth.max()
    small = x < 2000
    assert np.abs(log_factorial(x) - truth)[small].max() < 1e-11


def test_whole_log_factorials_are_those_of_exact_products():
    for n in range(40):
        assert abs(int(log_factorial_cost(n)) - math.log(math.factorial(n)) * COST_ONE) <= 0.5 + 1e-5
    assert log_factorial_cost([0, 1]).tolist() == [0, 0]


def test_the_largest_log_factorial_fits():
    assert int(log_factorial_cost(2.0**30 + 100)) < 2**63


def test_iterated_logarithms():
    assert log_star([1, 2, 4, 16, 65536])[0].tolist() == [0, 1, 3, 7, 23]
    assert log_star([1, 2, 4, 16, 65536])[1].tolist() == [1, 2, 8, 128, 2**23]
    assert float(log_star(3)[0]) == pytest.approx(math.log2(3) + math.log2(math.log2(3)), abs=1e-15)


def test_normalizers():
    assert [normalizer(1), normalizer(2)] == [1.0, 1.5]
    assert normalizer(3) == pytest.approx(1.71031, abs=5e-6)
    assert normalizer(15) == pytest.approx(2.10885, abs=5e-6)


@pytest.mark.parametrize("bound", [2047, 2048, 2049, 3000, 65535, 65536, 65537, 300_000])
def test_normalizers_are_sums(bound):
    assert normalizer(bound) == pytest.approx(math.fsum(1 / log_star(np.arange(1, bound + 1))[1]), abs=1e-9)


@pytest.mark.parametrize("bound", [1, 2, 15, 5000, 100_000])
def test_universal_codes_are_probabilities(bound):
    costs = universal_cost(np.arange(1, bound + 1), bound)
    assert math.fsum(math.exp(-to_nats(int(cost))) for cost in costs) == pytest.approx(1, abs=1e-8)


def count_partitions(n):
    """Return S(n, k) for k = 0 .. n, from S(n, k) = k S(n-1, k) + S(n-1, k-1)."""
    row = [1]
    for size in range(1, n + 1):
        row = [0, *(k * (row[k] if k < size else 0) + row[k - 1] for k in range(1, size + 1))]
    return row


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 150])
def test_numbers_of_groupings(n):
    counts = count_partitions(n)
    for k in range(1, n + 1):
        assert log_bell(n, k) == pytest.approx(math.log(sum(counts[: k + 1])), abs=1e-9)


def test_a_part_by_hand():
    preparation, data = bin_costs(np.array([[3, 1, 0]]), 1.0)
    assert to_nats(int(preparation[0])) == pytest.approx(math.log(math.comb(4 + 2, 2)), abs=1e-8)
    assert to_nats(int(data[0])) == pytest.approx(math.log(4), abs=1e-8)


def test_the_criterion_of_2006_by_hand():
    counts = np.array([[3, 1], [0, 2]])
    cost = interval_cost(counts, 1.0, BoullePrior())
    # log m, C(m+I-1, I-1) = C(7, 1), C(m_i+1, 1) = 5 and 3, 4!/(3! 1!) = 4, 2!/2! = 1
    assert to_nats(cost.total) == pytest.approx(math.log(6 * 7 * 5 * 3 * 4), abs=1e-7)
    assert to_nats(cost.data) == pytest.approx(math.log(4), abs=1e-7)


def test_the_criterion_of_2005_by_hand():
    # 4 values in 2 groups: B(4, 2) = 2^3
    cost = group_cost(np.array([[3, 1], [0, 2]]), 1.0, BoullePrior(), GroupShape(4, 2))
    assert to_nats(cost.total) == pytest.approx(math.log(4 * 8 * 5 * 3 * 4), abs=1e-7)


def test_a_garbage_group_by_hand():
    # 10 values, 4 of them garbage, 3 groups: V' = 6, K' = 2, B(6, 2) = 2^5
    shape = GroupShape(10, 3, 4, 2)
    counts = np.array([[30, 0], [0, 30], [2, 2]])
    bins = sum(int(c.sum()) for c in bin_costs(counts, 1.0))
    code = [(5, 8), (1, 5), (2, 6)]
    universal = sum(math.log(normalizer(m)) + math.log(2) * float(log_star(n)[0]) for n, m in code)
    expected = 2 * math.log(2) + math.log(9) + universal + 6 * math.log(10) - math.log(720) + math.log(32)
    assert finest_granularity(64) == 6
    cost = group_cost(counts, 1.0, KhiopsPrior(9), shape)
    assert to_nats(cost.total - bins) == pytest.approx(expected, abs=1e-7)


def test_granularities():
    assert [finest_granularity(n) for n in (1, 2, 3, 4, 5, 1024, 1025)] == [0, 1, 2, 2, 3, 10, 11]
    assert finest_granularity(3.25) == 2


def test_weights_are_copies():
    counts = np.array([[3, 1], [0, 2]])
    for prior in (KhiopsPrior(3), BoullePrior()):
        assert interval_cost(counts, 4.0, prior, 2) == interval_cost(counts * 4, 1.0, prior, 2)
        assert interval_cost(counts * 8, 0.25, prior, 2) == interval_cost(counts * 2, 1.0, prior, 2)


def test_no_level_is_below_zero():
    assert level(6, 4) == 0.0
    assert level(1, 4) == 0.75
    assert level(0, 0) == 0.0


@needs_core
def test_compiled_bins_have_the_same_bits():
    rng = np.random.default_rng(0)
    for unit in (1.0, 2.0, 0.25, 2.0**-20):
        for n_classes in (1, 2, 3, 6):
            counts = rng.integers(0, 2 ** rng.integers(1, 22, (300, 1)), (300, n_classes))
            expected = sum(bin_costs(counts, unit))
            assert core.modl_bin_costs(counts, unit).tolist() == expected.tolist()
    huge = rng.integers(0, 2**24, (20, 2))  # beyond the table
    assert core.modl_bin_costs(huge, 1.0).tolist() == sum(bin_costs(huge, 1.0)).tolist()


@needs_core
def test_compiled_interval_structures_have_the_same_bits():
    rng = np.random.default_rng(1)
    for _ in range(draws(200, 600)):
        total = float(rng.choice([2.0 ** rng.integers(1, 29), rng.integers(2, 10**6), rng.random() * 900 + 1.5]))
        granularity = int(rng.integers(1, finest_granularity(total) + 1))
        n_bins = int(rng.integers(1, min(2**granularity, math.ceil(total)) + 1))
        n_attributes = int(rng.integers(0, 1000))
        for name, prior in (("khiops", KhiopsPrior(n_attributes)), ("2006", BoullePrior())):
            expected = int(prior.intervals(np.array(n_bins), total, granularity)) + prior.construction(n_bins)
            assert core.modl_interval_structure(name, n_attributes, total, n_bins, granularity) == expected


@needs_core
def test_compiled_group_structures_have_the_same_bits():
    rng = np.random.default_rng(2)
    for _ in range(draws(250, 800)):
        n_values = int(2 ** rng.uniform(1, 11))
        n_garbage = int(rng.integers(2, n_values - 2)) if n_values > 7 and rng.random() < 0.5 else 0
        kept = n_values - n_garbage
        n_groups = int(rng.integers(2, kept + 1)) if n_garbage else int(rng.integers(1, kept + 1))
        shape = GroupShape(n_values, n_groups + (n_garbage > 0), n_garbage, int(rng.integers(0, 10)))
        key = (shape.n_values, shape.n_groups, shape.n_garbage, shape.granularity)
        for name, prior in (("khiops", KhiopsPrior(5)), ("2006", BoullePrior())):
            expected = prior.groups(shape, 5000.0) + prior.construction(shape.n_groups)
            assert core.modl_group_structure(name, 5, 5000.0, key) == expected


def test_costs_round_halves_to_even():
    assert to_cost(np.array([0.5, 1.5, -0.5]) / COST_ONE).tolist() == [0, 2, 0]
