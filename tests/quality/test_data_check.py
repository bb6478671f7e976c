"""What a check of a table finds, and what it leaves alone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesieve import MODLDiscretizer, check_data
from bayesieve.data import read_table
from bayesieve.exceptions import DataError
from bayesieve.quality import leaks_target
from bayesieve.quality.findings import _by_appearance, quote
from bayesieve.quality.leaks import _may_leak

N = 400
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.3).astype(int)


def table():
    number = RNG.normal(size=N)
    town = RNG.choice(["a", "b", "c"], N)
    return {
        "plain": RNG.normal(size=N),
        "town": town,
        "id": np.arange(N),
        "stray": [("error" if i == 16 else str(i % 60)) for i in range(N)],
        "comma": [f"{i % 50},5" for i in range(N)],
        "when": [f"{i % 12 + 1:02}/{i % 11 + 1:02}/2020" for i in range(N)],
        "same": np.ones(N),
        "nothing": [None] * N,
        "half": [None if i % 3 else "x" for i in range(N)],
        "number": number,
        "copy": number,
        "recoded": np.where(town == "a", "x", np.where(town == "b", "y", "z")),
        "cases": RNG.choice(["Yes", "yes", "no"], N),
        "leak": Y * 2 + 1,
        "leaking_number": Y + RNG.random(N) / 2,
        "zero": np.where(np.arange(N) % 20 == 3, 0, RNG.integers(60, 99, N)),
        "never": np.where(np.arange(N) % 10 == 3, -1, RNG.integers(0, 40, N)),
        "percent": np.append(np.full(30, 100), RNG.choice(np.arange(50, 91), N - 30)),
        "code": np.append(np.full(30, 999), RNG.choice(np.arange(50, 91), N - 30)),
        "endless": np.where(np.arange(N) == 5, np.inf, 1.5),
    }


EXPECTED = {
    "id": ["identifier"],
    "stray": ["nearly numeric"],
    "comma": ["numbers as text"],
    "when": ["dates as text"],
    "same": ["constant"],
    "nothing": ["empty"],
    "half": ["missing"],
    "copy": ["duplicate"],
    "recoded": ["duplicate"],
    "cases": ["spelling"],
    "leak": ["leak"],
    "leaking_number": ["leak"],
    "zero": ["special value"],
    "never": ["special value"],
    "code": ["special value"],
    "endless": ["infinite"],
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_every_kind_is_found_and_nothing_else(library):
    checked = check_data(library(table()), Y)
    found = {column.name: list(column.findings) for column in checked.columns if column.findings}
    assert found == EXPECTED
    assert [column.type for column in checked.columns][:3] == ["numeric", "categorical", "integer"]
    assert [finding for finding in checked.findings if finding.column is None] == []
    (stray,) = [finding for finding in checked.findings if finding.column == "stray"]
    assert stray.cells == ((17, "error"),)
    assert str(stray).startswith("Column 'stray': 399 of 400 values are numbers, but row 17 has 'error'")
    frame = checked.to_frame()
    assert isinstance(frame, library)
    assert list(frame["name"]) == list(table())
    assert checked.to_dict()["findings"][0]["column"] == "id"


def test_arrays_and_tables_without_target_are_checked():
    X = np.column_stack([RNG.normal(size=N), np.ones(N), Y])
    assert [str(each) for each in check_data(X).findings] == ["Column 'x1': every row has the same value."]
    assert [each.kind for each in check_data(X, Y).findings] == ["constant", "leak"]
    with pytest.raises(DataError, match="The target has 3 rows and the table has 400"):
        check_data(X, [0, 1, 1])


def test_the_target():
    X = pd.DataFrame({"a": RNG.normal(size=2000)})
    for y, words in (
        (np.arange(2000) < 40, "has 2.0% of the rows, so predicting the other class is right in 98.0%"),
        (np.arange(2000) < 5, "has 5 rows only"),
        (RNG.normal(size=2000), "2,000 different values"),
        (np.ones(2000), "fewer than two classes"),
        ([None, *"ab" * 999, "a"], "missing in 1 of 2,000 rows"),
    ):
        assert words in str(check_data(X, np.array(y, dtype=object)))
    assert check_data(X, np.arange(2000) < 500).findings == ()


def test_copied_rows_are_counted():
    drawn = np.random.default_rng(0).integers(0, 40, 100)
    X = pd.DataFrame({"a": drawn, "b": RNG.normal(size=40)[drawn]})
    assert str(check_data(X)) == "Nothing was found."  # few different values: rows may be alike by chance
    X = pd.DataFrame({"a": np.arange(100) % 50, "b": RNG.normal(size=50)[np.arange(100) % 50]})
    assert "50 of 100 rows are copies of another row, which a fit keeps in one fold" in str(check_data(X))
    X["c"] = [*range(60), *range(40)]
    X.loc[60:, ["a", "b"]] = X.loc[:39, ["a", "b"]].to_numpy()
    assert "40 of 100 rows are copies" in str(check_data(X))


def test_a_leak_is_what_optimal_bins_show():
    """Columns that are ruled out without bins are not leaks by their bins."""
    n_checked = 0
    for noise in (0.0, 0.0005, 0.002, 0.01, 0.1, 0.5):
        flipped = np.where(RNG.random(3000) < noise, 1, 0)
        y = (np.arange(3000) % 4 == 0).astype(np.int32)
        for values in (y ^ flipped, (y ^ flipped) + RNG.random(3000) / 3, RNG.normal(size=3000)):
            (partition,) = MODLDiscretizer().fit(values[:, None], y).partitions_.values()
            if leaks_target(partition.counts):
                assert _may_leak(read_table(values[:, None]).column(0), y, 2)
                n_checked += 1
    assert n_checked >= 4


@pytest.mark.parametrize("seed", range(20))
def test_codes_by_appearance_are_those_of_a_sort(seed):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, rng.integers(1, 40), rng.integers(0, 60)).astype(np.int32)
    seen = {}
    expected = [seen.setdefault(each, len(seen)) for each in ids.tolist()]
    assert _by_appearance(ids).tolist() == expected


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_integers_that_are_the_same_number_are_found(frame):
    big = np.array([2**53, 2**53 + 1] * 50)
    checked = check_data(frame({"big": big, "even": 2 * big - 2**53, "near": big - 2**53}))
    assert [(each.kind, each.column) for each in checked.findings if each.column != "near"] == [("rounded", "big")]
    assert str(checked.findings[0]) == "Column 'big': 2 different integers beyond 2^53 are read as 1 number."


@pytest.mark.parametrize("name", ["bought", pd.Series([0], name="bought")])
def test_a_column_that_has_nearly_the_name_of_the_target_is_found(name):
    X = pd.DataFrame({"Bought ": RNG.normal(size=N), "bought_before": RNG.normal(size=N)})
    given = {"target_name": name} if isinstance(name, str) else {}
    y = Y if isinstance(name, str) else pd.Series(Y, name=name.name)
    (finding,) = check_data(X, y, **given).findings
    assert (finding.kind, finding.column) == ("name", "Bought ")
    assert "differs from that of the target, 'bought', in case or blanks only" in finding.message
    assert not check_data(X, Y).findings


def test_a_file_without_names_is_noticed():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "39": rng.integers(20, 60, 300),
            "Private": rng.choice(["Private", "State-gov"], 300),
            "13": rng.integers(5, 20, 300),
            "2174.5": np.where(rng.random(300) < 0.5, 2174.5, 0.0),
            "weight": rng.normal(size=300),
        }
    )
    (finding,) = [each for each in check_data(rows).findings if each.kind == "header"]
    assert str(finding) == (
        "The names of 4 of 5 columns, such as '39' and 'Private', are values of these columns: does the file "
        "begin with a row instead of the names?"
    )
    named = rows.set_axis(["age", "job", "13", "gain", "weight"], axis=1)
    assert not [each for each in check_data(named).findings if each.kind == "header"]
    for first in (0, 1):  # pandas and people number columns, whose values may be these numbers, too
        numbered = pd.DataFrame(rng.integers(0, 9, (200, 6))).set_axis(range(first, first + 6), axis=1)
        assert not [each for each in check_data(numbered).findings if each.kind == "header"]


def test_long_texts_are_cut_to_where_they_differ():
    story = "a story that is much longer than what is shown of it"
    texts = [f"{story} End", f"{story} end"] * 50
    (found,) = [each for each in check_data(pd.DataFrame({"story": texts})).findings if each.kind == "spelling"]
    assert "'…is shown of it End', '…is shown of it end'" in str(found)
    assert quote(["x" * 40, "y"]) == f"'{'x' * 30}…', 'y'"
    assert (
        quote([f"{story} One more, and on", f"{story} one"])
        == "'…is shown of it One more, and o…', '…is shown of it one'"
    )
