"""Columns of numbers in text: the short way gives what the long way gives, and numbers are those of Python."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from draws import draws

from bayesieve.data import read_file
from bayesieve.data.files import text_columns
from bayesieve.data.files.table_file import MISSING
from bayesieve.data.files.text_columns import TextRules, type_columns

CELLS = (
    ["1", "12", "-3", "+4", "0", "-0"],
    ["1.5", "-2.", ".5", "1e3", "0.25"],
    ["", " ", None, "NA", " NA ", "?"],
    ["nan", "NaN", "inf", "-inf"],
    [" 7", "8 ", "\t9"],
    ["007", "-01", " 05", "+00"],
    ["a", "12%", "1,000", "2024-01-31", "9223372036854775808"],
)


def random_column(rng):
    kinds = [CELLS[k] for k in np.flatnonzero(rng.random(len(CELLS)) < rng.choice([0.2, 0.4]))] or [CELLS[0]]
    cells = [cell for kind in kinds for cell in kind]
    return [cells[k] for k in rng.integers(0, len(cells), rng.integers(1, 12))]


@pytest.mark.parametrize("part", range(10))
def test_the_short_way_changes_nothing(part, monkeypatch):
    for seed in range(part, draws(150, 1500), 10):
        rng = np.random.default_rng(seed)
        missing = (*MISSING, ("12", "-", "inf", "0")[rng.integers(4)]) if seed % 3 == 0 else MISSING
        frame = pl.DataFrame({"x": pl.Series(random_column(rng), dtype=pl.String)})
        options = {"decimal": "," if seed % 7 == 0 else ".", "coerce": seed % 5 == 0}
        short, warned = typed(frame, TextRules(missing, **options))
        with monkeypatch.context() as patch:
            patch.setattr(text_columns, "_plain_numbers", lambda series, rules: None)
            long, warned_long = typed(frame, TextRules(missing, **options))
        assert short.schema == long.schema, seed
        assert short.equals(long), seed
        assert warned == warned_long, seed


def typed(frame, rules):
    return type_columns(frame, Path("table.csv"), rules), rules.conversions


@pytest.mark.parametrize("seed", range(draws(20, 500)))
def test_decimals_have_the_bits_of_python(seed, tmp_path):
    rng = np.random.default_rng(seed)
    cells = ["-0.0", ".5", "9007199254740993.5", "0.1000000000000000055", "4.9e-324", "1.7976931348623157e308", "1e22"]
    bits = rng.integers(0, 2**63, 200, dtype=np.uint64).view(np.float64)
    cells += [repr(float(number)) for number in bits[np.isfinite(bits)]]
    cells += [f"{rng.integers(10**18)}.{rng.integers(10**18)}e{rng.integers(-300, 280)}" for _ in range(200)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b", *(f"{cell},{i}" for i, cell in enumerate(cells))]))
    frame = read_file(path)
    assert list(map(repr, frame["a"])) == [repr(float(cell)) for cell in cells]
    assert frame["b"].to_list() == list(range(len(cells)))


@pytest.mark.parametrize("text", ["1_000", "0x1F", "1e", "e5", "1.2.3", "\u0663", "-", "007", "true"])
def test_what_is_no_number_stays_text(text, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a,b\n{text},1\n2,2\n", encoding="utf-8")
    assert read_file(path)["a"].to_list() == [text, "2"]


@pytest.mark.parametrize("first", [b"\n", b"  \n"])
def test_a_blank_first_line_is_no_header(first, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(first + b"a\n1\n2\n")
    assert read_file(path).to_dict(as_series=False) == {"a": [1, 2]}


@pytest.mark.parametrize("separator", ["1", "-", "e", ".", "§"])
def test_separators_that_numbers_may_have_or_that_take_several_bytes(separator, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a{separator}b\n2{separator}3\n4{separator}5\n", encoding="utf-8")
    assert read_file(path, separator=separator).to_dict(as_series=False) == {"a": [2, 4], "b": [3, 5]}
