# SPDX-License-Identifier: BSD-3-Clause
"""The search for intervals against the optimal partition, and on noise."""

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.modl.cells import PartitionRules
from bayesieve.bins.modl.code_lengths import TOLERANCE, to_nats
from bayesieve.bins.modl.criterion import BoullePrior, KhiopsPrior
from bayesieve.bins.modl.intervals import OptimalIntervals, find_intervals, find_intervals_numpy, search_exactly
from bayesieve.bins.modl.tables import Tables
from benchmarks.report import Row, Section

__all__ = ["run"]

Ints = NDArray[np.int64]

_SIZES = {40: 400, 150: 200}  # most values of a table, and number of tables with each number of classes
_FULL_FACTOR = 5  # times as many tables with --full
_NOISE_ROWS, _NOISE_COLUMNS = 1_000, 10_000


def run(full: bool) -> Section:
    """Count tables whose partition is not optimal, and columns of noise with several bins."""
    rows, notes = [], []
    for prior in (KhiopsPrior(), BoullePrior()):
        for most_values, n_tables in _SIZES.items():
            by_classes = [
                _against_exact(prior, k, most_values, n_tables * (_FULL_FACTOR if full else 1)) for k in (2, 3, 5)
            ]
            excess = np.concatenate(by_classes)
            name = f"prior {prior.name}, at most {most_values} values: tables with excess cost"
            rows.append(Row(name, int((excess > TOLERANCE).sum()), len(excess), "tables", 0.02))
            notes.append(f"{name}: at most {to_nats(int(excess.max())):.3g} nats")
    notes.append("tables of 2, 3 and 5 classes count if the optimal partition, or ours, has a cut")
    return Section("Optimality of intervals, and noise", "of", [*rows, *_noise()], notes)


def _against_exact(prior: KhiopsPrior | BoullePrior, n_classes: int, most_values: int, n_tables: int) -> Ints:
    """Return the excess cost of each table that has a cut."""
    rng = np.random.default_rng(7)
    tables = Tables.stack([_random_table(rng, n_classes, most_values) for _ in range(n_tables)])
    rules = PartitionRules(prior)
    ours, best = find_intervals(tables, rules), find_intervals_numpy(tables, rules, search=search_exactly)
    return np.array([a.cost - b.cost for a, b in zip(ours, best, strict=True) if _is_cut(a) or _is_cut(b)])


def _is_cut(intervals: OptimalIntervals) -> bool:
    return len(intervals.cuts) > 0


def _random_table(rng: np.random.Generator, n_classes: int, most_values: int) -> Ints:
    """Return class counts of some values, with rates that change at some of them."""
    n_values = int(rng.integers(2, most_values + 1))
    n_rates = int(rng.integers(1, 2 + most_values // 8))
    rates = rng.dirichlet(np.full(n_classes, rng.choice([0.2, 1.0])), n_rates)
    where = np.sort(rng.integers(0, n_rates, n_values))
    mass = 1 + rng.poisson(rng.choice([0.5, 3.0, 20.0]), n_values)
    return np.array([rng.multinomial(m, rates[k]) for m, k in zip(mass, where, strict=True)], dtype=np.int64)


def _noise() -> list[Row]:
    """Find intervals of columns without ties that are independent of the class."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, _NOISE_ROWS)
    # A column's counts are the classes in the order of its values, which is any order.
    random_orders = (rng.permutation(y) for _ in range(_NOISE_COLUMNS))
    tables = Tables.stack([np.eye(2, dtype=np.int64)[order] for order in random_orders])
    rows = []
    for n_columns, tables_of, most in ((_NOISE_COLUMNS, "in one table", 0.001), (1, "each its own table", 0.05)):
        intervals = find_intervals(tables, PartitionRules(KhiopsPrior(n_columns)))
        n_cut = sum(_is_cut(each) for each in intervals)
        name = f"columns of noise that are cut, {_NOISE_ROWS:,} rows, {tables_of}"
        rows.append(Row(name, n_cut, _NOISE_COLUMNS, "columns", most))
    return rows
