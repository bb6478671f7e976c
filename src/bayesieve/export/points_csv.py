"""The scorecard of a fitted classifier as CSV, for a spreadsheet."""

import csv
import io

from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.explanations.scorecard_table import scorecard_columns

__all__ = ["scorecard_csv"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def scorecard_csv(model: ScorecardMixin, *, max_bins: int | None = 12) -> str:
    """Return the scorecard of a model as CSV: a row for the intercept, and one row per bin.

    Parameters
    ----------
    model : fitted classifier
        A classifier with a scorecard, such as `SelectiveNaiveBayes`.
    max_bins : int or None, default=12
        Maximum number of bins per column; see its method ``scorecard``.

    Returns
    -------
    text : str
        Numbers have 17 digits. Text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    shown = model if max_bins is None else model.simplify(max_bins)
    columns = scorecard_columns(shown.scorecard_)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_inert(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_inert(cell) if isinstance(cell, str) else repr(cell) for cell in row])
    return text.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
