"""Columns of numbers in text: the short way gives what the long way gives, on random cells."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from draws import draws

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
        short, said = typed(frame, TextRules(missing, **options))
        with monkeypatch.context() as patch:
            patch.setattr(text_columns, "_plain_numbers", lambda series, rules: None)
            long, said_long = typed(frame, TextRules(missing, **options))
        assert short.schema == long.schema, seed
        assert short.equals(long), seed
        assert said == said_long, seed


def typed(frame, rules):
    return type_columns(frame, Path("table.csv"), rules), rules.conversions
