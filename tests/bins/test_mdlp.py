"""Recursive entropy cuts: by hand, against the definition in floats, and the compiled core against its twin."""

import math

import numpy as np
import pytest
from contingency import random_table, random_traits, random_weights
from draws import draws

from bayesieve.bins.mdlp import MdlpRules, find_mdlp_cuts, find_mdlp_cuts_numpy
from bayesieve.bins.modl.cells import TableTraits
from bayesieve.bins.modl.tables import Tables


def find(counts, rules=None, traits=None, unit=1.0):
    """Return what the core found; its twin must have found the same."""
    tables = Tables.stack([np.asarray(counts)], unit)
    rules, traits = rules or MdlpRules(), [traits or TableTraits()]
    cuts = find_mdlp_cuts(tables, rules, traits)[0].tolist()
    assert cuts == find_mdlp_cuts_numpy(tables, rules, traits)[0].tolist(), (counts, rules, traits, unit)
    return cuts


def entropy(counts):
    return -sum(m / counts.sum() * math.log2(m / counts.sum()) for m in counts.tolist() if m)


def by_definition(counts, first=0):
    """Cut as in the paper, in bits, all cuts tried; also return how clear the narrowest decision was."""
    margin = math.inf
    n, k, h = counts.sum(), (counts.sum(axis=0) > 0).sum(), entropy(counts.sum(axis=0))
    scores = []
    for cut in range(1, len(counts)):
        left, right = counts[:cut].sum(axis=0), counts[cut:].sum(axis=0)
        scores.append(h - (left.sum() * entropy(left) + right.sum() * entropy(right)) / n)
    if not scores:
        return [], margin
    best = 1 + int(np.argmax(scores))
    left, right = counts[:best].sum(axis=0), counts[best:].sum(axis=0)
    delta = math.log2(3**k - 2) - (k * h - (left > 0).sum() * entropy(left) - (right > 0).sum() * entropy(right))
    bound = (math.log2(n - 1) + delta) / n
    margin = abs(scores[best - 1] - bound)
    ordered = sorted(scores)
    if len(scores) > 1 and scores[best - 1] > bound:
        margin = min(margin, ordered[-1] - ordered[-2])
    if scores[best - 1] <= bound:
        return [], margin
    low, low_margin = by_definition(counts[:best], first)
    high, high_margin = by_definition(counts[best:], first + best)
    return [*low, first + best, *high], min(margin, low_margin, high_margin)


def test_a_clear_case():
    assert find([[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]]) == [3]


def test_a_cut_that_just_pays():
    # N rows of one bit each; the price is log2(N - 1) + log2(3^2 - 2) - 2 · 1.
    for n in (1, 2, 3, 4, 5):
        pays = 2 * n > math.log2(2 * n - 1) + math.log2(7) - 2
        assert find([[n, 0], [0, n]]) == ([1] if pays else [])


def test_the_definition_is_met():
    rng = np.random.default_rng(0)
    compared, cut = 0, 0
    for _ in range(n_tables := draws(200, 600)):
        counts = random_table(rng, int(rng.integers(2, 5)), (5, 20, 40))
        counts = counts[counts.any(axis=1)]
        if not len(counts):
            continue
        expected, margin = by_definition(counts)
        if margin > 1e-7:  # floats and integers may decide apart only where it is a draw
            assert find(counts) == expected
            compared += 1
            cut += len(expected) > 0
    assert compared > 0.58 * n_tables
    assert cut > n_tables / 6


def test_the_core_is_its_twin():
    rng = np.random.default_rng(1)
    for _ in range(draws(400, 1000)):
        n_classes = int(rng.choice([1, 2, 2, 3, 6]))
        counts, unit = random_weights(rng, random_table(rng, n_classes))
        if rng.random() < 0.3:
            counts[rng.random(len(counts)) < 0.3] = 0
        rules = MdlpRules(float(rng.choice([0, 0, 5])), (None, None, 1, 2, 4)[rng.integers(5)])
        find(counts, rules, random_traits(rng, n_classes), unit)


def test_many_classes():
    counts = np.kron(np.eye(40, dtype=np.int64), np.full((2, 1), 30))
    assert find(counts) == list(range(2, 80, 2))


def test_bounds():
    counts = np.repeat([[20, 1], [1, 20], [20, 1], [1, 20]], 5, axis=0)
    assert [len(find(counts, MdlpRules(max_bins=limit))) + 1 for limit in (1, 2, 3, 4, 5)] == [1, 2, 3, 4, 4]
    assert find([[0, 60], [50, 1], [50, 1], [1, 50]]) == [1, 3]
    assert find([[0, 60], [50, 1], [50, 1], [1, 50]], MdlpRules(min_size=61)) == []


def test_missing_values():
    counts = [[2, 2], [9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]]
    assert find(counts, traits=TableTraits(fixed_first=True)) == [1, 4]
    assert find([[5, 5], [9, 9], [8, 8]], traits=TableTraits(fixed_first=True)) == []
    assert find([[30, 1], [9, 90], [8, 88]], traits=TableTraits(fixed_first=True)) == [1]


@pytest.mark.parametrize("counts", [[[0, 0]], [[5, 3]], [[4, 0], [5, 0]], [[1], [2]]])
def test_nothing_to_cut(counts):
    assert find(counts) == []


def test_weights_are_copies():
    rng = np.random.default_rng(2)
    for _ in range(50):
        counts = random_table(rng, 3, (8, 20))
        assert find(counts, unit=4.0) == find(counts * 4) == find(counts * 8, unit=0.5)


def test_threads_do_not_matter():
    rng = np.random.default_rng(3)
    tables = Tables.stack([random_table(rng, 3) for _ in range(200)])
    one, two = (find_mdlp_cuts(tables, MdlpRules(), n_threads=n) for n in (1, 2))
    assert [cuts.tolist() for cuts in one] == [cuts.tolist() for cuts in two]


def test_monotone_needs_two_classes():
    for search in (find_mdlp_cuts, find_mdlp_cuts_numpy):
        with pytest.raises(ValueError, match="monotone needs two classes"):
            search(Tables.stack([np.ones((3, 3))]), MdlpRules(), [TableTraits(monotone=1)])
