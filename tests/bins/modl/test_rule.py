"""MODL as a coding rule: from the summary of a column to bins, their level and their cost."""

from dataclasses import replace

import numpy as np
import pytest
from contingency import random_table
from draws import draws

from bayesieve.bins import MODL, Groups, Intervals, Summary, sum_by_bin
from bayesieve.bins.modl.code_lengths import to_nats
from bayesieve.bins.modl.criterion import PRIORS, GroupShape, group_cost, interval_cost
from bayesieve.data import Values

PRIOR_NAMES = pytest.mark.parametrize("prior", PRIORS)
CLEAR = [[20, 1], [18, 2], [1, 19], [2, 22]]
FLAT = [[5, 5], [6, 6], [5, 5], [4, 4]]


def numbers(counts, missing=(0, 0), labels=None, unit=1.0):
    labels = np.arange(len(counts), dtype=float) if labels is None else np.asarray(labels, dtype=float)
    return Summary("a", labels, np.array([*counts, missing], dtype=np.int64), unit)


def words(counts, missing=(0, 0), unit=1.0):
    labels = tuple(f"v{i:03d}" for i in range(len(counts)))
    return Summary("a", labels, np.array([*counts, missing], dtype=np.int64), unit)


def bins(partition, summary):
    return partition.bins_of(Values(summary.name, summary.labels)).tolist()


def counts_by_part(partition, summary):
    codes = np.array(bins(partition, summary))
    known = codes < partition.n_bins  # a missing value that never occurs is unseen
    assert not summary.counts[~known].any()
    return sum_by_bin(codes[known], summary.counts[known], partition.n_bins)


def describe(partition):
    return [partition.describe(code) for code in range(partition.n_bins + 1)]


class TestMissing:
    """Missing values that differ from all others, or are like the lowest value."""

    def test_numbers_own_bin(self):
        partition = MODL().learn(numbers(CLEAR, (9, 9)))
        assert describe(partition) == ["<= 1.5", "> 1.5", "missing", "unseen"]
        assert (partition.missing, partition.joined) == (True, None)

    def test_numbers_lowest(self):
        summary = numbers(CLEAR, (9, 1))
        partition = MODL(missing="lowest").learn(summary)
        assert describe(partition) == ["<= 1.5 or missing", "> 1.5", "unseen"]
        assert (partition.missing, partition.joined) == (False, 0)
        assert bins(partition, summary) == [0, 0, 1, 1, 0]

    def test_numbers_lowest_may_still_be_apart(self):
        partition = MODL(missing="lowest").learn(numbers(CLEAR, (1, 30)))
        assert describe(partition) == ["<= 1.5", "> 1.5", "missing", "unseen"]

    @pytest.mark.parametrize("missing", ["own_bin", "lowest"])
    @pytest.mark.parametrize("make", [numbers, words])
    def test_one_part_has_the_missing_values_too(self, make, missing):
        summary = make(FLAT, (4, 4))
        partition = MODL(missing=missing).learn(summary)
        assert (partition.n_bins, partition.missing, partition.joined) == (1, False, 0)
        assert bins(partition, summary) == [0] * 5
        assert partition.level == 0

    def test_labels_own_bin(self):
        partition = MODL().learn(words(CLEAR, (9, 9)))
        assert describe(partition) == ["v000, v001", "v002, v003", "missing", "unseen"]

    def test_labels_like_others(self):
        summary = words(CLEAR, (1, 30))
        partition = MODL(missing="lowest").learn(summary)
        assert describe(partition) == ["v002, v003 or missing", "v000, v001", "unseen"]  # missing is the first value
        assert bins(partition, summary) == [1, 1, 0, 0, 0]

    @pytest.mark.parametrize("make", [numbers, words])
    def test_missing_where_training_had_none(self, make):
        summary = make(CLEAR)
        assert bins(MODL().learn(summary), summary)[-1] == 2

    @pytest.mark.parametrize("missing", ["own_bin", "lowest"])
    @pytest.mark.parametrize("make", [numbers, words])
    def test_nothing_but_missing_values(self, make, missing):
        summary = make([[0, 0]] * 3, (7, 5))
        partition = MODL(missing=missing).learn(summary)
        assert (partition.n_bins, partition.level) == (1, 0)
        assert bins(partition, summary)[-1] == 0

    @pytest.mark.parametrize("make", [numbers, words])
    def test_missing_values_count_among_the_most_bins(self, make):
        summary = make([[30, 1], [1, 30], [30, 1]] if make is numbers else CLEAR, (15, 15))
        assert MODL(max_bins=1).learn(summary).n_bins == 1
        assert MODL(max_bins=2).learn(summary).n_bins <= 2
        assert MODL(max_bins=3).learn(summary).n_bins == 3


def null_cost(summary, prior):
    return interval_cost(summary.counts.sum(axis=0, keepdims=True), summary.unit, prior).total


@PRIOR_NAMES
def test_shares_of_the_cost_of_intervals(prior):
    rng = np.random.default_rng(0)
    several = 0
    for _ in range(60):
        table = random_table(rng, 3, (12, 25))
        if not table.any():
            continue
        summary = numbers(table, (0, 0, 0))
        partition = MODL(prior, n_columns=7).learn(summary)
        model = PRIORS[prior](n_attributes=7)
        counts = counts_by_part(partition, summary)
        terms = partition.cost
        assert terms.construction + terms.preparation + terms.data == terms.total
        null = to_nats(null_cost(summary, model))
        assert partition.level == pytest.approx(1 - terms.total / null)
        # A granularity is not kept; one of them must give the cost.
        granularities = range(1, 12) if partition.n_bins > 1 and model.granular else [0]
        costs = [interval_cost(counts, 1.0, model, g) for g in granularities if len(counts) <= 2**g or g == 0]
        assert {to_nats(cost.construction) for cost in costs} == {terms.construction}
        assert {to_nats(cost.data) for cost in costs} == {terms.data}
        assert min(abs(to_nats(cost.preparation) - terms.preparation) for cost in costs) < 1e-9
        several += partition.n_bins > 1
    assert several > 10


def test_shares_of_the_cost_of_groups():
    rng = np.random.default_rng(1)
    several = 0
    for _ in range(60):
        table = random_table(rng, 2, (6, 12))
        summary = words(table)
        if not summary.mass.any():
            continue
        partition = MODL("2006").learn(summary)
        shape = GroupShape(int((summary.mass > 0).sum()), partition.n_bins)
        cost = group_cost(counts_by_part(partition, summary), 1.0, PRIORS["2006"](), shape)
        terms = partition.cost
        assert [terms.construction, terms.preparation, terms.data] == pytest.approx(
            [to_nats(cost.construction), to_nats(cost.preparation), to_nats(cost.data)], abs=1e-7
        )
        several += partition.n_bins > 1
    assert several > 10


def test_levels_are_between_nothing_and_everything():
    assert MODL().learn(numbers(FLAT)).level == 0
    weak, strong = (MODL().learn(numbers(counts)).level for counts in (CLEAR, [[40, 0], [0, 40]]))
    assert 0 < weak < strong < 1


@pytest.mark.parametrize("make", [numbers, words])
def test_the_number_of_columns_matters_to_khiops(make):
    summary = make(CLEAR)
    few, many = (MODL().for_table(n).learn(summary) for n in (1, 1000))
    assert many.cost.total - few.cost.total == pytest.approx(np.log(1000))
    assert many.level < few.level
    old = [MODL("2006").for_table(n).learn(summary).cost for n in (1, 1000)]
    assert old[0] == old[1]
    # One bin is not a choice of a column.
    assert MODL().for_table(1000).learn(make(FLAT)).cost == MODL().learn(make(FLAT)).cost


def test_a_weak_column_is_no_longer_chosen_among_many():
    summary = numbers([[12, 4], [4, 12]])
    assert MODL().learn(summary).n_bins == 2
    assert MODL().for_table(100_000).learn(summary).n_bins == 1


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_bounds_are_between_neighbours(scale):
    rng = np.random.default_rng(2)
    for _ in range(20):
        labels = np.sort(rng.normal(size=4)) * scale
        partition = MODL().learn(numbers(CLEAR, labels=labels))
        assert len(partition.bounds) == 1
        assert labels[1] < partition.bounds[0] < labels[2]


@PRIOR_NAMES
def test_labels_without_weight_do_not_matter(prior):
    rng = np.random.default_rng(3)
    for make in (numbers, words):
        for _ in range(draws(12, 30)):
            summary = make(random_table(rng, 2, (12,)), (2, 1))
            with_more = _with_empty_labels(rng, summary)
            rule = MODL(prior)
            assert repr(rule.learn(with_more)) == repr(rule.learn(summary))


def _with_empty_labels(rng, summary):
    """Return the summary with labels of no weight among the others."""
    n_labels = len(summary.labels)
    where = np.sort(rng.integers(0, n_labels + 1, 5))
    counts = np.insert(summary.counts, where, 0, axis=0)
    if isinstance(summary.labels, np.ndarray):
        low, high = (np.append(-9.0, summary.labels)[where], np.append(summary.labels, 99.0)[where])
        more = low + (high - low) * (1 + np.arange(5)) / 7
        labels = np.insert(summary.labels, where, more)
    else:
        labels = tuple(np.insert(np.array(summary.labels, dtype=object), where, [f"empty {i}" for i in range(5)]))
    return replace(summary, labels=labels, counts=counts)


def test_unseen_labels_go_where_rare_ones_went():
    # Twelve rare values of a row or two each are a pool, which takes values that are unseen in training.
    summary = words([[60, 2], [3, 70], *[[1, 1]] * 6, *[[1, 0], [0, 1]] * 3])
    partition = MODL().learn(summary)
    assert isinstance(partition, Groups)
    assert partition.other is not None
    assert bins(partition, Summary("a", ("new", "v000"), np.zeros((3, 2)), 1.0))[:2] == [partition.other, 0]


def test_unseen_labels_are_unseen_without_a_pool():
    partition = MODL("2006").learn(words(CLEAR))
    assert partition.other is None
    assert bins(partition, Summary("a", ("new",), np.zeros((2, 2)), 1.0)) == [2, 2]


@pytest.mark.parametrize("make", [numbers, words])
def test_units_of_weight(make):
    whole, halves = make(CLEAR, (3, 4)), make(np.array(CLEAR) * 2, (6, 8), unit=0.5)
    assert repr(MODL().learn(halves)) == repr(MODL().learn(whole))
    assert MODL().learn(make(CLEAR, (3, 4), unit=4.0)).level > MODL().learn(whole).level


def test_kinds_are_learnt_together_and_stay_in_place():
    summaries = [words(CLEAR), numbers(CLEAR), words(FLAT), numbers(FLAT), numbers([[0, 0]], (3, 3))]
    together = MODL().learn_all(summaries, n_threads=2)
    assert [repr(each) for each in together] == [repr(MODL().learn(summary)) for summary in summaries]
    assert [type(each) for each in together] == [Groups, Intervals, Groups, Intervals, Groups]
    assert MODL().learn_all([]) == []


def test_monotone_columns_by_name():
    summary = numbers([[1, 30], [30, 1], [1, 30]])
    assert MODL().learn(summary).n_bins == 3
    bounds = {sign: MODL(monotone={"a": sign}).learn(summary).bounds.tolist() for sign in (1, -1)}
    assert bounds == {1: [1.5], -1: [0.5]}
    assert MODL(monotone={"b": 1}).learn(summary).n_bins == 3


@pytest.mark.parametrize(("make", "n_bins"), [(numbers, [3, 2, 1]), (words, [2, 2, 1])])
def test_the_least_size_of_a_part(make, n_bins):
    # Labels of 8 and 51 rows are alike, and need no limit to be one group.
    summary = make([[0, 8], [50, 1], [1, 50]])
    partitions = [MODL(min_bin_size=least).learn(summary) for least in (0, 51, 52)]
    assert [partition.n_bins for partition in partitions] == n_bins
    assert counts_by_part(partitions[1], summary).sum(axis=1).min() >= 51
