"""Names and places do not matter: no bit of a model depends on what classes, columns and categories are called.

Nor does one depend on the order in which their names sort, or on the order of the columns, but for ties: columns with
equal scores enter in the order of the table, and categories with the same weight of rows of each class are in the order
of their names, unless the model is a scorecard of tables that are fitted together.
"""

import os

import numpy as np
import pytest
from cut_tables import cut
from invariant_fits import ESTIMATORS, IN_BLOCKS, answer_of, columns_of, fitted, random_table

CASES = [(name, n, "memory") for name, (_, of_two) in ESTIMATORS.items() for n in ([2] if of_two else [2, 3])]
CASES += [(name, n, "blocks") for name, n, _ in CASES if name in IN_BLOCKS]
EXACT = ("ScorecardClassifier", "MODLDiscretizer", "FilterSelector", "Vote", "Boost", "NaiveBayesSelector")
N_ROWS = 240
N_TABLES = int(os.environ.get("BAYESIEVE_RENAMINGS", len(CASES)))  # `make renamings` draws 500

pytestmark = [
    pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning"),
    pytest.mark.filterwarnings("ignore::bayesieve.exceptions.ClippedSelectionWarning"),
]


def other_classes(names, rng):
    """Return other names of the classes, which sort in another order."""
    reverse = names[::-1] - 7
    texts = np.array([f"{letter}_{name}" for letter, name in zip(rng.permutation(list("zyxwv")), names, strict=False)])
    return (reverse, texts)[rng.integers(2)]


def other_columns(table, rng):
    """Return the table with other names of its columns, which sort in another order, and what they were."""
    before = dict(zip((f"c{place}" for place in rng.permutation(table.shape[1])), table.columns, strict=True))
    return table.set_axis(list(before), axis=1), before


def other_categories(table, rng):
    """Return the table with other names of its categories, which sort in another order."""
    changed = table.copy()
    for name in table.select_dtypes(object).columns:
        before = sorted(table[name].unique())
        after = [f"w{place:02d}" for place in rng.permutation(len(before))]
        changed[name] = table[name].map(dict(zip(before, after, strict=True)))
    return changed


def renamings(table, names, rng):
    """Yield what is changed: a table, what its columns were called, and the names of classes."""
    same = {name: name for name in table.columns}
    yield "classes", table, same, other_classes(names, rng)
    yield "columns", *other_columns(table, rng), names
    yield "order", table[rng.permutation(table.columns)], same, names
    yield "categories", other_categories(table, rng), same, names


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_names_and_places_do_not_matter(seed):
    name, n_classes, place = CASES[seed % len(CASES)]
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, N_ROWS) if seed % 2 and name != "FilterSelector, relieff" else np.ones(N_ROWS)
    table, y = random_table(rng, n_classes, weights, with_ties=name.startswith(EXACT))
    names = np.arange(n_classes)

    def answer(table, before, names):
        rows = (table, names[y], weights) if place == "memory" else (cut(table, names[y], weights), None, None)
        positive = names[1].item() if n_classes == 2 else None
        model = fitted(name, *rows, positive, before=before)
        return columns_of(model, before), answer_of(model, table, names.tolist(), before)

    expected = answer(table, {each: each for each in table.columns}, names)
    tolerance = 1e-12 if name == "WrapperSelector" else 0.0  # its scores are sums of scikit-learn, by class
    for what, *changed in renamings(table, names, rng):
        columns, numbers = answer(*changed)
        assert columns == expected[0], what
        np.testing.assert_allclose(numbers, expected[1], rtol=0, atol=tolerance, err_msg=what)
