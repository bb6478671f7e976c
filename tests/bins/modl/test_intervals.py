"""The search for intervals: by hand, against dynamic programming, and the compiled core against its twin."""

from fractions import Fraction

import numpy as np
import pytest
from contingency import random_prior, random_rules, random_table, random_traits, random_weights
from draws import draws

from bayesieve._native import core
from bayesieve.bins.modl.cells import PartitionRules, TableTraits, cell_starts, pure_runs
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.criterion import BoullePrior, KhiopsPrior, interval_cost
from bayesieve.bins.modl.intervals import find_intervals, find_intervals_numpy, search_exactly
from bayesieve.bins.modl.tables import Tables

needs_core = pytest.mark.skipif(core is None, reason="there is no compiled core")


def find(counts, rules, traits=None, unit=1.0):
    """Return what the core found; its twin must have found the same."""
    tables = Tables.stack([np.asarray(counts)], unit)
    traits = [traits or TableTraits()]
    found, expected = find_intervals(tables, rules, traits)[0], find_intervals_numpy(tables, rules, traits)[0]
    assert same(found, expected), (counts, rules, traits, unit)
    return found


def same(a, b):
    return (a.cuts.tolist(), a.granularity, a.cost, a.null) == (b.cuts.tolist(), b.granularity, b.cost, b.null)


def bins(counts, found):
    return np.add.reduceat(np.asarray(counts), np.append(0, found.cuts), axis=0)


def recount(counts, found, prior, unit=1.0):
    return interval_cost(bins(counts, found), unit, prior, found.granularity).total


CLEAR = [[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]]


@pytest.mark.parametrize("prior", [KhiopsPrior(), BoullePrior()])
def test_a_clear_case(prior):
    found = find(CLEAR, PartitionRules(prior))
    assert found.cuts.tolist() == [3]
    assert found.cost == recount(CLEAR, found, prior) < found.null
    assert found.null == interval_cost(np.sum(CLEAR, axis=0, keepdims=True), 1.0, prior).total


@pytest.mark.parametrize(
    "counts", [[[0, 0]], [[0, 0], [0, 0]], [[5, 3]], [[5, 3], [0, 0]], [[4, 0], [5, 0]], [[1], [2]]]
)
@pytest.mark.parametrize("prior", [KhiopsPrior(), BoullePrior()])
def test_nothing_to_cut(counts, prior):
    for traits in (TableTraits(), TableTraits(fixed_first=True)):
        found = find(counts, PartitionRules(prior), traits)
        assert (found.cuts.tolist(), found.granularity, found.cost) == ([], 0, found.null)


def test_an_empty_table_beside_others():
    tables = Tables.stack([np.empty((0, 2), dtype=np.int64), np.array(CLEAR), np.empty((0, 2), dtype=np.int64)])
    assert [found.cuts.tolist() for found in find_intervals(tables, PartitionRules(KhiopsPrior()))] == [[], [3], []]


def test_rows_without_weight_are_to_the_right_of_a_cut():
    counts = np.insert(np.array(CLEAR), 3, [[0, 0], [0, 0]], axis=0)
    assert find(counts, PartitionRules(KhiopsPrior())).cuts.tolist() == [3]


def test_missing_values_stay_apart():
    counts = [[2, 2], *CLEAR]
    assert find(counts, PartitionRules(KhiopsPrior())).cuts.tolist() == [4]
    assert find(counts, PartitionRules(KhiopsPrior()), TableTraits(fixed_first=True)).cuts.tolist() == [1, 4]


def test_missing_values_do_not_stay_apart_from_noise():
    counts = np.array([[3, 3], *[[1, 1]] * 30])
    assert find(counts, PartitionRules(KhiopsPrior()), TableTraits(fixed_first=True)).cuts.tolist() == []


def test_a_limit_on_bins():
    counts = np.repeat([[20, 1], [1, 20], [20, 1], [1, 20]], 5, axis=0)
    for limit in (1, 2, 3, 4, 5):
        found = find(counts, PartitionRules(BoullePrior(), max_bins=limit))
        assert len(found.cuts) + 1 == min(limit, 4)
    assert len(find(counts, PartitionRules(KhiopsPrior())).cuts) == 3


def test_the_least_size_of_a_part():
    counts = [[0, 6], [50, 1], [50, 1], [1, 50], [2, 50]]
    assert find(counts, PartitionRules(BoullePrior())).cuts.tolist() == [1, 3]
    assert find(counts, PartitionRules(BoullePrior(), min_size=6)).cuts.tolist() == [1, 3]
    assert find(counts, PartitionRules(BoullePrior(), min_size=7)).cuts.tolist() == [3]
    assert find(counts, PartitionRules(BoullePrior(), min_size=1000)).cuts.tolist() == []


def test_pure_runs():
    counts = np.array([[1, 0], [2, 0], [1, 1], [1, 1], [0, 3], [0, 1], [4, 0]])
    assert pure_runs(counts).tolist() == [0, 2, 3, 4, 6]


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_intervals(direction):
    rng = np.random.default_rng(3)
    several, n_tables = 0, draws(40, 150)
    for _ in range(n_tables):
        rows, shares = rng.integers(1, 60, 30), np.sort(rng.random(30))[::direction]
        second = rng.binomial(rows, shares)
        counts = np.column_stack([rows - second, second])
        found = find(counts, PartitionRules(random_prior(rng)), TableTraits(monotone=direction))
        shares = [second / (first + second) for first, second in bins(counts, found)]
        assert shares == sorted(shares, reverse=direction < 0)
        several += len(shares) > 2
    assert several > n_tables / 1.5


def test_monotone_needs_two_classes():
    tables = Tables.stack([np.ones((3, 3))])
    for search in (find_intervals, find_intervals_numpy):
        with pytest.raises(ValueError, match="monotone needs two classes"):
            search(tables, PartitionRules(KhiopsPrior()), [TableTraits(monotone=1)])


@pytest.mark.parametrize(
    ("counts", "unit", "sentence"),
    [
        ([[1, -1]], 1.0, "must not be negative"),
        ([[2**61, 2**61]], 2.0**-62, "less than 2"),
        ([[2**62, 2**62], [2**62, 2**62]], 2.0**-62, "less than 2"),
        ([[2**29, 2**29], [1, 0]], 1.0, "at most 2"),
        ([[1, 1]], 0.75, "power of two"),
    ],
)
def test_what_cannot_be_counted_is_refused(counts, unit, sentence):
    tables = Tables.stack([np.array(counts)], unit)
    for search in (find_intervals, find_intervals_numpy):
        with pytest.raises(ValueError, match=sentence):
            search(tables, PartitionRules(KhiopsPrior()))


def nearest_borders(mass, granularity):
    """Return the starts of cells by definition, with exact fractions."""
    size, total, cumulative = 2**granularity, sum(mass), np.cumsum(mass).tolist()
    starts = {0}
    for q in range(1, size):
        aim = Fraction(total * q, size)
        distance = min(abs(c - aim) for c in cumulative)
        nearest = [i + 1 for i, c in enumerate(cumulative) if abs(c - aim) == distance]
        starts.add(nearest[0] if q <= size // 2 else nearest[-1])
    return sorted(starts - {len(mass)})


def test_cells_are_nearest_to_equal_weight():
    rng = np.random.default_rng(4)
    for _ in range(60):
        mass = rng.integers(1, rng.choice([2, 4, 30]), int(rng.integers(1, 40)))
        for granularity in range(1, 6):
            if 2**granularity < mass.sum():
                assert cell_starts(mass, 1.0, granularity).tolist() == nearest_borders(mass.tolist(), granularity)


def test_cells_of_very_different_weights_are_nearest_to_equal_weight():
    rng = np.random.default_rng(5)
    for _ in range(draws(10, 30)):
        mass = np.where(rng.random(int(rng.integers(1, 6))) < 0.5, 1, rng.integers(1, 3000, 1))
        for granularity in range(1, 12):
            if 2**granularity < mass.sum():
                assert cell_starts(mass, 1.0, granularity).tolist() == nearest_borders(mass.tolist(), granularity)


@pytest.mark.parametrize("unit", [1.0, 2.0**-20, 2.0**4])
def test_weights_of_very_different_size_are_as_fast_as_others(unit):
    rng = np.random.default_rng(6)
    for heavy in draws((10**6,), (10**4, 10**6, 2**20)):
        counts = rng.integers(0, 2, (30, 2)) * np.where(rng.random((30, 2)) < 0.5, 1, heavy)
        tables = Tables.stack([counts], unit)
        (one,), (other,) = (
            search(tables, PartitionRules(KhiopsPrior())) for search in (find_intervals, find_intervals_numpy)
        )
        assert one.cuts.tolist() == other.cuts.tolist()
        assert one.granularity == other.granularity


def test_the_core_is_its_twin():
    rng = np.random.default_rng(5)
    cut, n_tables = 0, draws(50, 700)
    for _ in range(n_tables):
        n_classes = int(rng.choice([1, 2, 2, 2, 3, 4, 6]))
        counts, unit = random_weights(rng, random_table(rng, n_classes))
        if rng.random() < 0.3:
            counts[rng.random(len(counts)) < 0.3] = 0
        found = find(counts, random_rules(rng), random_traits(rng, n_classes), unit)
        cut += len(found.cuts) > 0
    assert cut > n_tables / 9


def test_the_core_is_its_twin_on_longer_tables():
    rng = np.random.default_rng(6)
    for n_classes in (2, 2, 3):
        find(random_table(rng, n_classes, (2000,)), PartitionRules(KhiopsPrior(10)))
        find(random_table(rng, n_classes, (1000,)), PartitionRules(BoullePrior()))


@pytest.mark.parametrize("kind", ["six rates", "in turn", "in pairs", "noise", "heavy", "rare"])
def test_the_core_is_its_twin_where_merges_tie(kind):
    """Single rows have few different counts, so that keys and costs of cuts are equal, or but for rounding."""
    rng = np.random.default_rng(9)
    rows = np.arange(n := draws(160, 2000))
    second = {
        "six rates": rng.random(n) < np.array([0.2, 0.6, 0.35, 0.7, 0.1, 0.5])[rows * 6 // n],
        "in turn": rows % 2 == 1,
        "in pairs": (rows // 2) % 2 == 2 * rows // n,
        "noise": rng.random(n) < 0.5,
        "heavy": rng.random(n) < rows / n,
        "rare": rng.random(n) < 0.02,
    }[kind]
    counts = np.eye(2, dtype=np.int64)[second.astype(int)] * (1 + 9 * (kind == "heavy"))
    find(counts, PartitionRules(KhiopsPrior()))
    find(counts[:200], PartitionRules(KhiopsPrior(), 7.0))
    find(counts[:200], PartitionRules(BoullePrior()))
    find(counts[:200] * 1000, PartitionRules(KhiopsPrior(), max_bins=3), TableTraits(fixed_first=True), 2.0**-10)


def test_the_search_finds_the_optimum():
    rng = np.random.default_rng(7)
    missed, several, n_tables = 0, 0, draws(60, 700)
    for _ in range(n_tables):
        n_classes = int(rng.integers(2, 5))
        tables = Tables.stack([random_table(rng, n_classes, (6, 12, 25, 40))])
        rules = PartitionRules(random_prior(rng))
        found = find_intervals(tables, rules)[0]
        best = find_intervals_numpy(tables, rules, search=search_exactly)[0]
        assert found.cost == recount(tables[0], found, rules.prior) if tables[0].any() else found.cost == 0
        # Granularities are chosen before the winner's is made coarser, so that a worse one may end up a bit better.
        assert found.cost >= best.cost - TOLERANCE or found.granularity != best.granularity
        missed += found.cost > best.cost + TOLERANCE
        several += len(best.cuts) > 1
    assert several > n_tables / 7
    assert missed <= 0.02 * n_tables


def test_the_prior_of_2006_begins_more_than_once():
    """Merged greedily, this table has six intervals that no small change improves; four are cheaper."""
    shares = "20000 10010 60000 0000d 00100 00001 00200 00201 02001 0a000 70000 07000 00600 00001 02100 00201 00100"
    counts = np.array([[int(digit, 16) for digit in row] for row in shares.split()])
    rules = PartitionRules(BoullePrior())
    best = find_intervals_numpy(Tables.stack([counts]), rules, search=search_exactly)[0]
    assert best.cuts.tolist() == [3, 8, 12]
    assert find(counts, rules).cost == best.cost


@needs_core
def test_threads_do_not_matter():
    rng = np.random.default_rng(8)
    tables = Tables.stack([random_table(rng, 3) for _ in range(300)])
    traits = [random_traits(rng, 3) for _ in range(300)]
    for rules in (PartitionRules(KhiopsPrior(300)), PartitionRules(BoullePrior(), 4.0, 5)):
        one = find_intervals(tables, rules, traits, n_threads=1)
        assert all(map(same, one, find_intervals(tables, rules, traits, n_threads=2)))
        alone = [find_intervals(Tables.stack([tables[t]]), rules, [traits[t]])[0] for t in range(300)]
        assert all(map(same, one, alone))
