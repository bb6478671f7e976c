"""The search for groups against all partitions of a few values."""

from functools import cache
from math import ceil, log2

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.bins.modl.cells import PartitionRules
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.criterion import BoullePrior, GroupShape, KhiopsPrior, bin_costs
from bayesieve.bins.modl.groups import find_groups
from bayesieve.bins.modl.tables import Tables

NEVER = 2**60
FEWER = 1 if core is not None else 5  # the twin is slow


def random_table(rng, n_values, n_classes):
    n_hidden = rng.integers(1, 5)
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0])), size=n_hidden)
    sizes = rng.integers(1, rng.choice([5, 30, 200]), n_values) * rng.choice([1, 3], n_values)
    return np.array([rng.multinomial(n, shares[rng.integers(n_hidden)]) for n in sizes])


@cache
def all_partitions(n):
    """Return the blocks of each partition of n values as sets of bits, 0 where there is no further block."""
    found = [[1]]
    for v in range(1, n):
        grown = []
        for blocks in found:
            grown += [[*blocks[:b], blocks[b] | 1 << v, *blocks[b + 1 :]] for b in range(len(blocks))]
            grown.append([*blocks, 1 << v])
        found = grown
    return np.array([blocks + [0] * (n - len(blocks)) for blocks in found])


def pool(values, granularity):
    """Values below N / 2^g become one."""
    if granularity == 0:
        return values[0]
    free, total = values
    rare = free.sum(axis=1) * 2**granularity < total
    return np.concatenate([free[~rare], free[rare].sum(axis=0, keepdims=True)]) if rare.any() else free


def least_cost(values, fixed, granularity, rules, total):
    """Return the cost of the best of all groupings into two groups and more, every group tried as garbage."""
    n, n_fixed = len(values), len(fixed)
    blocks = all_partitions(n)
    members = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    counts = members @ values
    bins = sum(bin_costs(counts, 1.0))
    bins[counts.sum(axis=1) < rules.min_size] = NEVER
    bins[0] = 0
    sizes = members.sum(axis=1)[blocks]
    n_groups = (blocks > 0).sum(axis=1) + n_fixed
    fixed_cost = int(sum(bin_costs(fixed, 1.0)).sum())
    sums = bins[blocks].astype(object).sum(axis=1) + fixed_cost
    best = NEVER
    for k in range(2, min(n + n_fixed, rules.max_bins or n + n_fixed) + 1):
        for m in range(n - k + n_fixed + 2 if rules.prior.granular and n + n_fixed > 7 and k > 2 else 1):
            fits = (n_groups == k) & ((sizes == m).any(axis=1) | (m == 0))
            if fits.any():
                shape = GroupShape(n + n_fixed, k, m, granularity)
                stated = rules.prior.construction(k) + rules.prior.groups(shape, total)
                best = min(best, stated + sums[fits].min())
    return best


def optimum(counts, rules, fixed_first):
    """Return the least cost over all granularities, and over those that the search explores before it coarsens."""
    seen = counts[counts.any(axis=1)]
    fixed = seen[: int(fixed_first and counts[0].any())]
    free, total = seen[len(fixed) :], int(counts.sum())
    null = int(sum(bin_costs(counts.sum(axis=0), 1.0))) + rules.prior.construction(1)
    null += rules.prior.groups(GroupShape(len(seen), 1), float(total))
    if len(seen) < 2 or not len(free):
        return null, null
    granularities = range(1, ceil(log2(total))) if rules.prior.granular else [0]
    least = explored = null
    before, last = 0, 0
    spaces = {g: pool((free, total), g) for g in granularities}
    finest = len(spaces[granularities[-1]]) if len(spaces) else 0
    for g, values in spaces.items():
        n = len(values) + len(fixed)
        cost = least_cost(values, fixed, g, rules, float(total))
        least = min(least, cost)
        is_last = len(values) == finest and not last
        if is_last or (not last and n >= 1.5 * before and 1.5 * n <= len(seen)):
            explored, before = min(explored, cost), n
        last = last or is_last
    return least, explored


def compare(rng, n_values, n_classes, prior, n_tables):
    """Return how many tables were split, had garbage, and cost more than the optimum."""
    n_split = n_garbage = n_missed = 0
    for _ in range(n_tables):
        counts = random_table(rng, int(rng.integers(2, n_values + 1)), n_classes)
        rules = PartitionRules(prior, float(rng.choice([0, 0, 0, 15])), (None, None, 2, 3)[rng.integers(4)])
        fixed_first = bool(rng.integers(2))
        found = find_groups(Tables.stack([counts]), rules, [fixed_first])[0]
        least, explored = optimum(counts, rules, fixed_first)
        assert found.cost >= least
        n_missed += found.cost > explored + TOLERANCE
        n_split += found.n_groups > 1
        n_garbage += found.n_garbage > 0
    return n_split, n_garbage, n_missed


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("prior", [KhiopsPrior(3), BoullePrior()], ids=["khiops", "2006"])
def test_the_search_finds_the_optimum(prior, n_classes):
    n_tables = draws(32, 300) // FEWER
    n_split, _, n_missed = compare(np.random.default_rng(n_classes), 6, n_classes, prior, n_tables)
    assert n_split > n_tables // 5
    assert n_missed <= 3


def garbage_table(rng):
    """Return two values that say something, and six that say little."""
    noise = [(n + rng.integers(-2, 3), n) for n in rng.integers(20, 90, 6)]
    return np.array([[rng.integers(80, 200), 2], [3, rng.integers(80, 200)], *noise])


@pytest.mark.slow
def test_the_search_finds_the_best_garbage():
    rng = np.random.default_rng(0)
    n_tables, n_garbage = draws(6, 25), 0
    for _ in range(n_tables):
        counts, rules = garbage_table(rng), PartitionRules(KhiopsPrior(1))
        found = find_groups(Tables.stack([counts]), rules)[0]
        least, explored = optimum(counts, rules, False)
        assert least <= found.cost <= explored + TOLERANCE
        n_garbage += found.n_garbage > 0
    assert n_garbage > 0.4 * n_tables
