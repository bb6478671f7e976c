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
from bayesieve.export.exported_model import additive_scorecard, deciding_amounts, scoring_model
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["scorecard_csv"]

_DECIMALS = 11  # of points, which are multiples of 2^-40


def scorecard_csv(model: PredictionMixin, *, max_bins: int | None = None, scale: PointScale | None = None) -> str:
    """Return the scorecard of a model as CSV: a row for the intercept, and one row per bin and per cell of a pair.

    Parameters
    ----------
    model : fitted classifier
        A classifier whose log-odds are a sum over columns, such as `ScorecardClassifier`, or a `BenefitClassifier` over
        one, whose table has rows of the log-odds, and then rows of the expected amount.
    max_bins : int or None, default=None
        Maximum number of bins per column; None for no merging.
    scale : PointScale or None, default=None
        Adds a column of whole points, see ``scorecard``.

    Returns
    -------
    text : str
        Points have at most 11 decimals, so that their sums are those of the model; shares, rates and the like have six
        digits. Text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    card = additive_scorecard(model, "a scorecard", max_bins)
    columns = scorecard_columns(card, scale, scoring_model(model).positive_index_)
    amounts = deciding_amounts(model, "a scorecard")
    if amounts is not None:
        columns = _with_amounts(columns, amounts)
    text = io.StringIO(newline="")
    # Minimal quoting leaves a carriage return as it is, and a spreadsheet would begin a row there.
    plain, quoted = (csv.writer(text, lineterminator="\n", quoting=q) for q in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    written = [[_written(value, name) for value in values] for name, values in columns.items()]
    for cells in ([*map(inert_text, columns)], *zip(*written, strict=True)):
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)
    return text.getvalue()


def _written(value: Any, column: str) -> str:
    if isinstance(value, str):
        return inert_text(value)
    if isinstance(value, float) and column != "points":
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return repr(round(value, _DECIMALS) if isinstance(value, float) else value)


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
    return {name: [*values, *below.get(name, [""] * len(names))] for name, values in above.items()}
