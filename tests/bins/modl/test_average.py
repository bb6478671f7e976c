"""The average over partitions: against all of them, one by one; the compiled core against its twin."""

from itertools import combinations, pairwise
from math import comb, exp, isclose, lgamma, log

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.bins.modl.average import average_partitions, average_partitions_numpy, partition_priors
from bayesieve.bins.modl.code_lengths import to_nats, universal_cost
from bayesieve.bins.modl.tables import Tables


def stirling(n, k):
    return 1 if n == k else 0 if k in (0, n + 1) else stirling(n - 1, k - 1) + k * stirling(n - 1, k)


def brute_force(counts, unit, ordered, pseudo, lost):
    """Visit every partition."""
    n, n_classes = counts.shape
    share = counts.sum(axis=0) / counts.sum()

    def block_cost(mass):
        return lgamma(mass.sum() + n_classes) - lgamma(n_classes) - sum(lgamma(m + 1) for m in mass)

    total, curve = 0.0, np.zeros((n, n_classes))
    for n_blocks in range(2, n + 1):
        ways = comb(n - 1, n_blocks - 1) if ordered else sum(stirling(n, k) for k in range(1, n_blocks + 1))
        prior = to_nats(int(universal_cost(n_blocks - 1, n - 1))) + log(ways)
        for cuts in combinations(range(1, n), n_blocks - 1):
            borders = [0, *cuts, n]
            blocks = [counts[a:b].sum(axis=0) * unit for a, b in pairwise(borders)]
            probability = exp(-prior - sum(block_cost(mass) for mass in blocks))
            total += probability
            for a, b, mass in zip(borders, borders[1:], blocks, strict=False):
                for c in np.flatnonzero(share):
                    rest = max(mass[c] - lost, 0.0)
                    curve[a:b, c] += probability * log((rest + pseudo * share[c]) / share[c])
    return log(total) + block_cost(counts.sum(axis=0) * unit), curve / total


def random_counts(rng, largest=7):
    n, n_classes = int(rng.integers(2, largest)), int(rng.integers(2, 4))
    counts = rng.integers(0, 6, size=(n, n_classes))
    counts[0, 0] += 1
    if rng.random() < 0.2:
        counts[:, -1] = 0  # a class without rows
    return counts


@pytest.mark.parametrize("seed", range(draws(12, 30)))
def test_against_all_partitions(seed):
    rng = np.random.default_rng(seed)
    counts, unit = random_counts(rng), float(rng.choice([1.0, 0.5, 2.0]))
    ordered, pseudo = bool(rng.integers(2)), float(rng.choice([0.5, 2.0]))
    found = average_partitions(Tables.stack([counts], unit), [ordered], pseudo)
    evidence, curve = brute_force(counts, unit, ordered, pseudo, lost=0.0)
    assert isclose(found.log_bayes_factors[0], evidence, rel_tol=1e-6, abs_tol=1e-6)
    np.testing.assert_allclose(found.curves, curve, atol=1e-6)
    np.testing.assert_allclose(found.lowered, brute_force(counts, unit, ordered, pseudo, 1.0)[1], atol=1e-6)


@pytest.mark.skipif(core is None, reason="there is no compiled core")
@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_the_core_has_the_bits_of_its_twin(seed):
    rng = np.random.default_rng(seed)
    tables = []
    n_classes = int(rng.integers(1, 5))
    for _ in range(6):
        n = int(rng.integers(1, 45))
        mass = rng.multinomial(int(rng.integers(1, 2000)), rng.dirichlet(np.ones(n)))
        shares = rng.dirichlet(np.full(n_classes, 0.5), size=n)
        tables.append(np.array([rng.multinomial(m, p) for m, p in zip(mass, shares, strict=True)]))
    ordered = rng.random(6) < 0.5
    stacked = Tables.stack(tables, float(rng.choice([1.0, 0.25, 8.0])))
    twin = average_partitions_numpy(stacked, partition_priors(stacked, ordered), 2.0)
    for n_threads in (1, 2):
        found = average_partitions(stacked, ordered, 2.0, n_threads)
        for name in ("log_bayes_factors", "curves", "lowered"):
            np.testing.assert_array_equal(getattr(found, name), getattr(twin, name))


def test_many_blocks_are_summed_where_they_are_needed():
    # 40 pure runs in turn: partitions of few blocks are improbable beyond what a double can hold.
    counts = np.zeros((40, 2), dtype=np.int64)
    counts[np.arange(40), np.arange(40) % 2] = 500
    found = average_partitions(Tables.stack([counts]), [True])
    assert found.log_bayes_factors[0] > 10_000
    log_odds = found.curves[:, 1] - found.curves[:, 0]
    assert (np.sign(log_odds) == np.where(np.arange(40) % 2, 1, -1)).all()


def test_a_row_or_two_are_no_block_of_many():
    # A block of one row costs log 2 whatever its class, as a row of one big block does: noise would be followed.
    rng = np.random.default_rng(3)
    counts = np.eye(2, dtype=np.int64)[rng.integers(0, 2, 120)]
    few = Tables.stack([counts])
    assert not partition_priors(few, [True])[24:].any()
    assert partition_priors(Tables.stack([counts * 100]), [True]).all()
    curve = np.subtract(*average_partitions(few, [True]).curves.T)
    assert np.abs(np.diff(curve)).max() < 0.2


def test_a_part_with_everything_says_nothing():
    found = average_partitions(Tables.stack([np.array([[3, 4]]), np.array([[0, 0]])]), [True, False])
    assert not found.log_bayes_factors.any()
    assert not found.curves.any()


def test_noise_has_no_evidence():
    rng = np.random.default_rng(1)
    tables = [rng.multinomial(5, [0.5, 0.5], size=60) for _ in range(20)]
    assert (average_partitions(Tables.stack(tables), [True] * 20).log_bayes_factors < 2.0).all()
