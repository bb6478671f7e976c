"""The order of columns does not matter for a scorecard, with pairs, copies of columns and weights of rows."""

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut
from draws import draws, meetings
from numpy.testing import assert_array_equal

from bayesieve import ScorecardClassifier


def several_kinds(n_classes, rng, n_rows=400):
    """Return numbers, whole numbers, numbers with gaps, labels, a copy, two columns that interact, and a target."""
    a, b = rng.normal(size=(2, n_rows))
    y = np.where(rng.random(n_rows) < 0.8, (a * b > 0) + (n_classes > 2) * (a > 0), rng.integers(0, n_classes, n_rows))
    x = rng.normal(size=(4, n_rows)) + y * rng.choice([0, 0.5, 1.0], (4, 1))
    x[2, ::7] = np.nan
    labels = np.array(list("abcdef"))[np.clip(x[3] + 3, 0, 5).astype(int)]
    return pd.DataFrame({"a": a, "b": b, "c": x[0], "d": x[1].round(), "e": x[2], "f": labels, "copy": x[0]}), y


def _content(name):
    """Return the name of what a column holds: of two columns with the same values the first is taken."""
    return "c" if name == "copy" else name


@pytest.mark.parametrize(("n_classes", "place"), meetings([2, 3, 5], ["memory", "blocks"]))
@pytest.mark.parametrize("seed", range(draws(1, 20)))
def test_no_bit_of_a_scorecard_depends_on_the_order_of_columns(n_classes, place, seed):
    rng = np.random.default_rng([n_classes, seed])
    table, y = several_kinds(n_classes, rng)
    weights = rng.integers(0, 4, len(y)) + 0.5 if seed % 2 else None
    models = []
    for each in (table, table[rng.permutation(table.columns)]):
        model = ScorecardClassifier(n_features=("auto", "best")[seed % 2], n_pairs=2, n_jobs=1)
        rows = (each, y, weights) if place == "memory" else (cut(each, y, weights), None)
        models.append((model.fit(*rows), each))
    pairs = [{frozenset(map(_content, pair.names)) for pair in model.scorecard_.pairs} for model, _ in models]
    assert pairs[0] == pairs[1] != set()
    assert_array_equal(*(each.predict_proba(columns) for each, columns in models))
