"""Users name columns in several ways, all of which give positions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector

from bayesieve.data import resolve_columns
from bayesieve.exceptions import ParameterError

NAMES = ["age", "wage", "town"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, []),
        ("wage", [1]),
        (2, [2]),
        (-1, [2]),
        (np.int64(0), [0]),
        (["town", "age", "town"], [0, 2]),
        (("town", 0), [0, 2]),
        ([True, False, True], [0, 2]),
        (np.array([False, True, False]), [1]),
        (pd.Index(["wage"]), [1]),
        (np.array(["wage"]), [1]),
        ([], []),
        pytest.param(lambda table: [name for name in table if "w" in name], [1, 2], id="function-names"),
        pytest.param(lambda table: 1, [1], id="function-position"),
    ],
    ids=str,
)
def test_ways_to_name_columns(wanted, expected):
    assert resolve_columns(wanted, NAMES, "keep", NAMES) == expected


def test_column_selector_of_scikit_learn():
    table = pd.DataFrame({"age": [1.5], "wage": [2], "town": ["a"]})
    assert resolve_columns(make_column_selector(dtype_include="number"), NAMES, "keep", table) == [0, 1]


def test_of_names_that_differ_in_case_the_one_with_the_same_case_is_suggested():
    with pytest.raises(ParameterError, match="did you mean 'Y'"):
        resolve_columns(" Y", ["x", "Y", "y"], "drop")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("TOWN", "drop names the column 'TOWN', which the table does not have; did you mean 'town'?"),
        (" town ", "drop names the column ' town ', which the table does not have; did you mean 'town'?"),
        ("towm", "drop names the column 'towm', which the table does not have; did you mean 'town'?"),
        (["zzz"], "drop names the column 'zzz', which the table does not have; its columns are 'age', 'wage', 'town'."),
        (3, "drop names column 3, but the table has 3 columns."),
        (-4, "drop names column -4, but the table has 3 columns."),
        ([True, False], "drop is a mask of 2 entries; 3 are expected, one per column."),
        (1.5, "drop must be column names or positions, got 1.5."),
        ([["age"]], "drop names the column ['age'], which the table does not have"),
    ],
    ids=str,
)
def test_refused_names(wanted, message):
    with pytest.raises(ParameterError) as caught:
        resolve_columns(wanted, NAMES, "drop")
    assert str(caught.value).startswith(message)
