"""How many random cases a test draws: some each time, and all of them by ``make nightly``."""

import os
from itertools import product

ALL_DRAWS = os.environ.get("BAYESIEVE_DRAWS") == "all"


def draws(few, many):
    """Return the number of cases."""
    return many if ALL_DRAWS else few


def meetings(*axes):
    """Return so many combinations of the axes' values that each value is in one; all of them by ``make nightly``."""
    axes = [list(axis) for axis in axes]
    if ALL_DRAWS:
        return list(product(*axes))
    return [tuple(axis[i % len(axis)] for axis in axes) for i in range(max(map(len, axes)))]
