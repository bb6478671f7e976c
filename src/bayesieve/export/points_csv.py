# SPDX-License-Identifier: BSD-3-Clause
"""The scorecard of a fitted classifier as CSV, for a spreadsheet."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesieve.data.files.output import inert_text
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.explain.scorecard_table import PointScale, scorecard_columns
from bayesieve.export.exported_model import additive_scorecard, deciding_amounts, known_amount, scoring_model
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["scorecard_cells", "scorecard_csv"]

_DECIMALS = 11  # of points, which are multiples of 2^-40
_WHOLE = 1e15  # whole numbers below it are written as such


def scorecard_csv(
    model: PredictionMixin,
    *,
    max_bins: int | None = None,
    scale: PointScale | None = None,
    separator: str = ",",
    decimal: str = ".",
) -> str:
    """Return the scorecard of a model as CSV: a row for the intercept, and one row per bin and per cell of a pair.

    Parameters
    ----------
    model : fitted classifier
        A classifier whose log-odds are a sum over columns, such as `ScorecardClassifier`, or a `BenefitClassifier` over
        one, whose table has rows of the log-odds, and then rows of the expected amount, unless a column has it.
    max_bins : int or None, default=None
        Maximum number of bins per column; None for no merging.
    scale : PointScale or None, default=None
        Adds a column of whole points, see ``scorecard``.
    separator : str, default=","
        The character between values.
    decimal : str, default="."
        The decimal mark of numbers.

    Returns
    -------
    text : str
        Points have at most 11 decimals, so that their sums are those of the model; shares, rates and the like have six
        digits. Text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    text = io.StringIO(newline="")
    # Minimal quoting leaves a carriage return as it is, and a spreadsheet would begin a row there.
    plain, quoted = (
        csv.writer(text, lineterminator="\n", quoting=q, delimiter=separator)
        for q in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    columns = scorecard_cells(model, max_bins=max_bins, scale=scale)
    written = [[_written(value, name, decimal) for value in values] for name, values in columns.items()]
    for cells in ([*map(inert_text, columns)], *zip(*written, strict=True)):
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)
    return text.getvalue()


def scorecard_cells(
    model: PredictionMixin, *, max_bins: int | None = None, scale: PointScale | None = None
) -> dict[str, list[Any]]:
    """Return the columns of the same table, with its numbers as they are written."""
    card = additive_scorecard(model, "a scorecard", max_bins)
    columns = scorecard_columns(card, scale, scoring_model(model).positive_index_)
    amounts = deciding_amounts(model, "a scorecard") if known_amount(model) is None else None
    if amounts is not None:
        columns = _with_amounts(columns, amounts)
    return {name: [_shortened(value, name) for value in values] for name, values in columns.items()}


def _shortened(value: Any, column: str) -> Any:
    """Return a number with the digits that it is written with."""
    if not isinstance(value, float):
        return value
    is_exact = column == "points" or (value.is_integer() and abs(value) < _WHOLE)
    return round(value, _DECIMALS) if is_exact else float(f"{value:.6g}")


def _written(value: Any, column: str, decimal: str) -> str:
    if isinstance(value, float) and column != "points":
        text = f"{value:.0f}" if value.is_integer() and abs(value) < _WHOLE else f"{value:.6g}"
        return text.replace(".", decimal)
    if isinstance(value, float):
        return repr(value).replace(".", decimal)
    return inert_text(value) if isinstance(value, str) else "" if value is None else repr(value)


def _with_amounts(columns: Mapping[str, list[Any]], amounts: AmountModel) -> dict[str, list[Any]]:
    """Return the table with a first column that tells rows of the log-odds from rows of the amount below them."""
    rows = [("", "intercept", amounts.start)]
    for table in amounts.tables:
        bins = [table.partition.describe(code) for code in range(table.partition.n_bins)]
        rows += [(table.name, words, step) for words, step in zip(bins, table.table.tolist(), strict=False)]
    names, bins, steps = (list(each) for each in zip(*rows, strict=True))
    below = {"column": names, "bin": bins, "points": in_units(np.array(steps)).tolist()}
    above = {"score": ["log-odds"] * len(columns["column"]), **columns}
    below["score"] = ["amount"] * len(names)
    return {name: [*values, *below.get(name, [None] * len(names))] for name, values in above.items()}
