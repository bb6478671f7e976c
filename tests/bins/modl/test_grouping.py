"""The search for groups: by hand, by its laws, and the compiled core against its twin."""

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.bins.modl.cells import PartitionRules
from bayesieve.bins.modl.code_lengths import COST_ONE
from bayesieve.bins.modl.criterion import BoullePrior, GroupShape, KhiopsPrior, group_cost
from bayesieve.bins.modl.group_state import Limits
from bayesieve.bins.modl.groups import find_groups, find_groups_numpy, group_values
from bayesieve.bins.modl.tables import Tables

needs_core = pytest.mark.skipif(core is None, reason="there is no compiled core")
PRIORS = [KhiopsPrior(5), BoullePrior()]
both_priors = pytest.mark.parametrize("prior", PRIORS, ids=["khiops", "2006"])

FEWER = 1 if core is not None else 10  # the twin is slow

CLEAR = [[30, 1], [2, 40], [25, 0], [1, 20], [28, 2], [0, 35]]


def random_table(rng, n_values, n_classes):
    """Return values of some hidden groups, some of them rare, some without weight."""
    n_hidden = rng.integers(1, 5)
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 1.0, 5.0])), size=n_hidden)
    scale = rng.choice([3, 20, 60, 200])
    sizes = np.minimum(rng.pareto(1.0, n_values) * scale / 5 + rng.integers(1, scale + 1, n_values), 400).astype(int)
    table = [rng.multinomial(n, shares[rng.integers(n_hidden)]) for n in sizes]
    return np.array(table) * (rng.random((n_values, 1)) >= rng.choice([0.0, 0.3]))


def find(counts, rules, fixed_first=False, unit=1.0):
    return find_groups(Tables.stack([np.asarray(counts)], unit), rules, [fixed_first])[0]


def bins(counts, found):
    return np.array([np.asarray(counts)[found.groups == g].sum(axis=0) for g in range(found.n_groups)])


def recount(counts, found, prior, fixed_first=False, unit=1.0):
    """Return the cost of what was found, from its definition."""
    mass = np.asarray(counts).sum(axis=1)
    is_free = (mass > 0) & ~(fixed_first & (np.arange(len(mass)) == 0))
    frequent = is_free & (mass * 2.0**found.granularity >= mass.sum()) if found.granularity else is_free
    n_values = frequent.sum() + (frequent.sum() < is_free.sum()) + (mass > 0).sum() - is_free.sum()
    shape = GroupShape(int(n_values), found.n_groups, found.n_garbage, found.granularity)
    return group_cost(bins(counts, found), unit, prior, shape).total


@both_priors
def test_a_clear_case(prior):
    found = find(CLEAR, PartitionRules(prior))
    assert found.groups.tolist() == [0, 1, 0, 1, 0, 1]
    assert found.groups.dtype == np.int32
    assert (found.n_groups, found.other, found.n_garbage) == (2, -1, 0)
    assert found.cost == recount(CLEAR, found, prior) < found.null_cost


@both_priors
@pytest.mark.parametrize(
    "counts", [[[0, 0]], [[0, 0], [0, 0]], [[5, 3]], [[5, 3], [0, 0]], [[4, 0], [5, 0]], [[1], [2]], [[1, 0], [0, 1]]]
)
@pytest.mark.parametrize("fixed_first", [False, True])
def test_nothing_to_group(counts, prior, fixed_first):
    found = find(counts, PartitionRules(prior), fixed_first)
    occurs = np.any(counts, axis=1)
    assert found.groups.tolist() == np.where(occurs, 0, -1).tolist()
    assert (found.n_groups, found.other, found.granularity) == (int(occurs.any()), -1, 0)
    assert found.cost == found.null_cost


def test_golden_costs_of_adult():
    # 34 291 rows, 15 attributes [Khiops' reference report]: construction, preparation, data. The bins are taken as
    # values, of which there are no more than in the report, so the groups must not cost more.
    reported = {
        (3.4012, 20.8234, 17935.5): [[15937, 6944], [10180, 1230]],
        (3.4012, 53.9185, 14859.9): [[8433, 6949], [7982, 886], [5269, 79], [3394, 227], [1039, 33]],
        (3.4012, 39.2070, 15068.3): [[8650, 6986], [11896, 579], [5571, 609]],
        (3.4012, 73.6660, 18638.4): [[24334, 7822], [1317, 90], [466, 262]],
    }
    for costs, counts in reported.items():
        found = find(counts, PartitionRules(KhiopsPrior(15)))
        assert found.n_groups == len(counts)
        assert found.cost / COST_ONE < sum(costs) + 0.06
    # Two values are two groups whatever the granularity: the same cost.
    found = find([[15937, 6944], [10180, 1230]], PartitionRules(KhiopsPrior(15)))
    assert found.cost / COST_ONE == pytest.approx(3.4012 + 20.8234 + 17935.5, abs=0.06)


def test_a_garbage_group_takes_what_says_nothing():
    # Three groups that say something, and forty values of the same shares in between.
    rng = np.random.default_rng(0)
    counts = [[90, 10], [80, 9], [10, 90], [7, 75], *([n, n] for n in rng.integers(8, 40, 40).tolist())]
    found = find(counts, PartitionRules(KhiopsPrior(1)))
    assert found.n_groups == 3
    assert found.groups.tolist() == [0, 0, 1, 1, *[2] * 40]
    assert found.other == 2
    assert found.n_garbage > 0
    assert found.cost == recount(counts, found, KhiopsPrior(1))


def test_rare_values_are_pooled_and_new_values_follow_them():
    counts = [[200, 10], [1, 0], [10, 200], [0, 1], [1, 0], [0, 1], [1, 0]]
    found = find(counts, PartitionRules(KhiopsPrior(1)))
    assert len({found.groups[v] for v in (1, 3, 4, 5, 6)}) == 1
    assert found.other == found.groups[1] == found.n_groups - 1


@both_priors
def test_all_values_different_is_one_group(prior):
    rng = np.random.default_rng(0)
    counts = np.eye(2, dtype=np.int64)[rng.integers(0, 2, 20_000)]
    assert find(counts, PartitionRules(prior)).n_groups == 1


@both_priors
def test_noise_is_seldom_split(prior):
    rng = np.random.default_rng(1)
    tables = [rng.multinomial(25, [0.3, 0.5, 0.2], size=30) for _ in range(400 // FEWER)]
    found = find_groups(Tables.stack(tables), PartitionRules(prior))
    assert sum(one.n_groups > 1 for one in found) <= 4


@both_priors
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_values_and_classes_does_not_matter(prior, n_classes):
    rng = np.random.default_rng([3, n_classes])
    for _ in range(150 // FEWER):
        counts = random_table(rng, int(rng.integers(2, 40)), n_classes)
        values, classes = rng.permutation(len(counts)), rng.permutation(n_classes)
        found = find(counts, PartitionRules(prior))
        for shown, undo in ((counts[values], slice(None)), (counts[:, classes], np.argsort(classes))):
            other = find(shown, PartitionRules(prior))
            assert other.cost == found.cost
            assert sorted(bins(shown, other)[:, undo].tolist()) == sorted(bins(counts, found).tolist())


@both_priors
def test_weights_are_copies(prior):
    rng = np.random.default_rng(4)
    tables = [random_table(rng, int(rng.integers(2, 12)), 3) for _ in range(100 // FEWER)]
    copied = find_groups(Tables.stack([4 * counts for counts in tables]), PartitionRules(prior))
    # 2^20 units a row leave the tabulated log-factorials.
    for units, unit in ((1, 4.0), (16, 0.25), (2**22, 2.0**-20)):
        weighted = find_groups(Tables.stack([units * counts for counts in tables], unit), PartitionRules(prior))
        for a, b in zip(copied, weighted, strict=True):
            assert (a.groups.tolist(), a.cost, a.null_cost) == (b.groups.tolist(), b.cost, b.null_cost)


def test_results_keep_their_promises():
    rng = np.random.default_rng(5)
    n_split = 0
    for _ in range(600 // FEWER):
        counts = random_table(rng, int(rng.integers(1, 30)), int(rng.integers(2, 5)))
        rules = PartitionRules(PRIORS[rng.integers(2)], float(rng.choice([0, 0, 20])), (None, 1, 2, 4)[rng.integers(4)])
        fixed_first = bool(rng.integers(2))
        found = find(counts, rules, fixed_first)
        seen = counts.any(axis=1)
        assert ((found.groups >= 0) == seen).all()
        assert set(found.groups[seen].tolist()) == set(range(found.n_groups))
        assert found.n_groups <= (rules.max_bins or len(counts))
        assert found.cost <= found.null_cost
        if found.n_groups <= 1:
            continue
        n_split += 1
        assert found.cost == recount(counts, found, rules.prior, fixed_first)
        apart = fixed_first and bool(seen[0])
        if apart:
            assert (found.groups == 0).nonzero()[0].tolist() == [0]
        assert (bins(counts, found)[int(apart) :].sum(axis=1) >= rules.min_size).all()
        firsts = [np.flatnonzero(found.groups == g)[0] for g in range(found.n_groups - (found.other >= 0))]
        assert firsts == sorted(firsts)
        assert found.other in (-1, found.n_groups - 1)
    assert n_split > 100 // FEWER


def assert_twins_agree(rng, n_values, n_tables):
    for _ in range(n_tables):
        counts = random_table(rng, int(rng.integers(1, n_values)), int(rng.integers(1, 5)))
        prior = KhiopsPrior(int(rng.integers(1, 30))) if rng.integers(2) else BoullePrior()
        rules = PartitionRules(prior, float(rng.choice([0, 0, 5, 40])), (None, None, 1, 2, 3, 5)[rng.integers(6)])
        tables = Tables.stack([counts], float(rng.choice([1.0, 1.0, 0.25, 2.0])))
        fixed_first = [bool(rng.integers(2))]
        compiled, twin = (f(tables, rules, fixed_first)[0] for f in (find_groups, find_groups_numpy))
        assert compiled.groups.tolist() == twin.groups.tolist()
        names = ("n_groups", "other", "n_garbage", "granularity", "cost", "null_cost")
        assert [getattr(compiled, name) for name in names] == [getattr(twin, name) for name in names]


@needs_core
def test_core_and_twin_agree():
    assert_twins_agree(np.random.default_rng(6), n_values=11, n_tables=draws(120, 1000))


@pytest.mark.slow
@needs_core
def test_core_and_twin_agree_on_many_values():
    # Above 128 items, both start from fewer.
    assert_twins_agree(np.random.default_rng(7), n_values=60, n_tables=draws(15, 40))
    assert_twins_agree(np.random.default_rng(8), n_values=350, n_tables=draws(3, 6))


@needs_core
def test_core_and_twin_agree_without_tabulated_factorials():
    rng = np.random.default_rng(9)
    for n_classes in (2, 3):
        counts = random_table(rng, 12, n_classes) * 2**16
        limits = Limits()
        found = find(counts, PartitionRules(KhiopsPrior()), unit=2.0**-16)
        assert found.groups.tolist() == group_values(counts, 2.0**-16, KhiopsPrior(), False, limits).groups.tolist()


@needs_core
def test_threads_do_not_matter():
    rng = np.random.default_rng(10)
    tables = Tables.stack([random_table(rng, int(rng.integers(1, 40)), 3) for _ in range(200)])
    one, two = (find_groups(tables, PartitionRules(KhiopsPrior()), n_threads=n) for n in (1, 2))
    assert [(a.groups.tolist(), a.cost) for a in one] == [(b.groups.tolist(), b.cost) for b in two]


def test_ten_thousand_values():
    # Shares 0.2 and 0.8: groups are found although each value has about ten rows.
    rng = np.random.default_rng(11)
    counts = np.array(
        [rng.multinomial(n, [p, 1 - p]) for n, p in zip(rng.poisson(10, 10_000), [0.2, 0.8] * 5000, strict=True)]
    )
    if core is None:
        counts = counts[:300]
    found = find(counts, PartitionRules(BoullePrior()))
    assert found.n_groups == 2
    agreeing = (found.groups == np.arange(len(counts)) % 2)[counts.any(axis=1)].mean()
    assert max(agreeing, 1 - agreeing) > 0.9


def valid_arguments():
    return {
        "counts": np.array([[3, 1], [2, 2], [1, 4]]),
        "offsets": np.array([0, 2, 3]),
        "unit": 1.0,
        "prior": "khiops",
        "n_attributes": 3,
        "fixed_first": np.zeros(2, dtype=np.uint8),
        "min_size": 0,
        "max_bins": 9,
        "n_threads": 1,
    }


@needs_core
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"counts": np.zeros(3, dtype=np.int64)}, "counts must be a C-contiguous int64 matrix"),
        ({"counts": np.zeros((3, 2))}, "counts must be a C-contiguous int64 matrix"),
        ({"counts": np.zeros((3, 0), dtype=np.int64)}, "there must be a class"),
        ({"counts": np.array([[1, 1], [1, -1], [1, 1]])}, "counts must not be negative"),
        ({"counts": np.full((3, 2), 2**61)}, r"the counts of a table must add up to less than 2\*\*62"),
        ({"counts": np.full((3, 2), 2**30)}, r"the weights of a table must add up to at most 2\*\*30"),
        ({"offsets": np.array([], dtype=np.int64)}, "offsets must start at 0"),
        ({"offsets": np.array([1, 2, 3])}, "offsets must start at 0"),
        ({"offsets": np.array([0, 4, 3])}, "offsets must not decrease"),
        ({"offsets": np.array([0, 1, 2])}, "offsets must end at the number of rows"),
        ({"unit": 0.3}, "unit must be a power of two"),
        ({"prior": "flat"}, "prior must be 'khiops' or '2006'"),
        ({"fixed_first": np.zeros(1, dtype=np.uint8)}, "fixed_first must be a contiguous uint8 vector"),
    ],
)
def test_the_core_refuses_bad_input_in_one_sentence(changes, sentence):
    assert core.modl_groups(**valid_arguments())[0].shape == (3,)
    with pytest.raises(ValueError, match=sentence):
        core.modl_groups(**(valid_arguments() | changes))
