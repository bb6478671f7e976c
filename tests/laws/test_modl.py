"""Laws of optimal intervals: what must not matter, and how rarely noise is cut."""

import numpy as np
import pytest
from contingency import random_rules, random_table
from draws import draws
from hypothesis import given, settings, strategies as st

from bayesieve._native import core
from bayesieve.bins.modl.cells import PartitionRules, TableTraits
from bayesieve.bins.modl.criterion import BoullePrior, KhiopsPrior
from bayesieve.bins.modl.intervals import find_intervals
from bayesieve.bins.modl.tables import Tables

law = settings(deadline=None, derandomize=True, max_examples=draws(30, 60))
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
needs_core = pytest.mark.skipif(core is None, reason="its twin would need minutes")


def find(counts, rules, unit=1.0, **traits):
    return find_intervals(Tables.stack([counts], unit), rules, [TableTraits(**traits)])[0]


def table(rng, n_classes=None):
    return random_table(rng, n_classes or int(rng.integers(2, 6)), (2, 8, 20, 40))


def outcome(found):
    return found.cuts.tolist(), found.granularity, found.cost, found.null


@law
@given(seeds)
def test_names_of_classes_do_not_matter(rng):
    counts, rules = table(rng), random_rules(rng)
    order = rng.permutation(counts.shape[1])
    assert outcome(find(counts, rules)) == outcome(find(counts[:, order], rules))


@law
@given(seeds)
def test_rows_without_weight_do_not_matter(rng):
    counts, rules = table(rng), random_rules(rng)
    places = np.sort(rng.integers(0, len(counts) + 1, 5))
    cuts, *rest = outcome(find(counts, rules))
    padded_cuts, *padded_rest = outcome(find(np.insert(counts, places, 0, axis=0), rules))
    assert rest == padded_rest
    # A cut keeps its place after the last row on its left that has weight.
    filled = np.flatnonzero(counts.any(axis=1))
    padded = np.flatnonzero(np.insert(counts, places, 0, axis=0).any(axis=1))
    assert [(filled < cut).sum() for cut in cuts] == [(padded < cut).sum() for cut in padded_cuts]


@law
@given(seeds, st.integers(1, 9), st.sampled_from([2, 4, 1024]))
def test_weights_are_copies(rng, copies, unit):
    counts, rules = table(rng), random_rules(rng)
    many = outcome(find(counts * copies * unit, rules))
    assert outcome(find(counts * copies, rules, unit=float(unit))) == many
    assert outcome(find(counts * copies * unit**2, rules, unit=1.0 / unit)) == many


@law
@given(seeds, st.booleans())
def test_constraints_are_kept(rng, fixed_first):
    counts, rules = table(rng, 2), random_rules(rng)
    free = find(counts, PartitionRules(rules.prior))
    bound = find(counts, rules, fixed_first=fixed_first, monotone=1)
    assert len(bound.cuts) + 1 <= (rules.max_bins or len(counts) + 1)
    assert bound.null == free.null
    assert bound.cost <= bound.null
    if len(bound.cuts) > 0:
        sizes = np.add.reduceat(counts.sum(axis=1), np.append(0, bound.cuts))
        assert (sizes[int(fixed_first and counts[0].any()) :] >= rules.min_size).all()


@needs_core
@pytest.mark.parametrize(
    ("prior", "n_columns", "largest_share"),
    [
        (KhiopsPrior(1), draws(1000, 2000), 0.05),
        (KhiopsPrior(10_000), draws(3000, 10_000), 0.001),
        (BoullePrior(), draws(1000, 2000), 0.05),
    ],
)
def test_noise_is_rarely_cut(prior, n_columns, largest_share):
    rng = np.random.default_rng(0)
    n_rows, block, cut = 1000, 1000, 0
    for _ in range(n_columns // block):
        second = rng.integers(0, 2, block * n_rows)
        tables = Tables(np.column_stack([1 - second, second]), np.arange(block + 1) * n_rows)
        cut += sum(len(found.cuts) > 0 for found in find_intervals(tables, PartitionRules(prior), n_threads=2))
    assert cut <= largest_share * n_columns


@needs_core
def test_strong_signals_are_found():
    rng = np.random.default_rng(1)
    share = np.repeat([0.1, 0.6, 0.3, 0.9], 2500)
    for _ in range(20):
        second = rng.random(10_000) < share
        found = find(np.column_stack([~second, second]), PartitionRules(KhiopsPrior(10_000)))
        assert len(found.cuts) == 3
        assert np.abs(found.cuts - [2500, 5000, 7500]).max() < 100
