"""Random contingency tables, with ties, gaps, pure runs and weights more often than nature has."""

import numpy as np

from bayesieve.bins.modl.cells import PartitionRules, TableTraits
from bayesieve.bins.modl.criterion import BoullePrior, KhiopsPrior


def random_table(rng, n_classes, sizes=(1, 2, 3, 8, 20, 60)):
    """Return a table: noise, or intervals with class shares of their own; one row per value, or several."""
    n_values = int(rng.choice(sizes))
    kind = rng.integers(7)
    if kind == 0:
        return ((rng.random((n_values, n_classes)) < 0.5) * rng.integers(1, 3, (n_values, n_classes))).astype(np.int64)
    n_intervals = int(rng.integers(1, 6))
    shares = rng.dirichlet(np.full(n_classes, 0.4), n_intervals)
    interval = np.sort(rng.integers(0, n_intervals, n_values))
    rows = rng.integers(1, 1 + (1, 4, 30)[kind % 3], n_values)
    return np.array([rng.multinomial(n, shares[i]) for n, i in zip(rows, interval, strict=True)], dtype=np.int64)


def random_prior(rng):
    return KhiopsPrior(int(rng.integers(1, 9))) if rng.random() < 0.5 else BoullePrior()


def random_rules(rng):
    """Return rules, more often than not without constraints."""
    min_size = float(rng.choice([0, 0, 0, 3, 10.5]))
    return PartitionRules(random_prior(rng), min_size, (None, None, None, 1, 2, 3, 5)[rng.integers(7)])


def random_traits(rng, n_classes):
    monotone = int(rng.integers(-1, 2)) if n_classes == 2 and rng.random() < 0.4 else 0
    return TableTraits(bool(rng.random() < 0.3), monotone)


def random_weights(rng, table):
    """Return a table in units, and the unit."""
    unit = float(rng.choice([1.0, 1.0, 1.0, 2.0, 0.5, 0.125, 2.0**-20]))
    return (table * int(rng.integers(1, 2**21)) if unit < 1e-3 else table), unit
