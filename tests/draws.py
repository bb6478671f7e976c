"""How many random cases a test draws: some each time, and all of them by ``make nightly``."""

import os

ALL_DRAWS = os.environ.get("BAYESIEVE_DRAWS") == "all"


def draws(few, many):
    """Return the number of cases."""
    return many if ALL_DRAWS else few
