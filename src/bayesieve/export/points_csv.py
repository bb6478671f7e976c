"""The scorecard of a fitted classifier as CSV, for a spreadsheet."""

import csv
import io

from bayesieve.data.files.table_output import inert_text
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.explanations.scorecard_table import scorecard_columns
from bayesieve.export.additive import additive_scorecard

__all__ = ["scorecard_csv"]


def scorecard_csv(model: PredictionMixin, *, max_bins: int | None = 12) -> str:
    """Return the scorecard of a model as CSV: a row for the intercept, and one row per bin.

    Parameters
    ----------
    model : fitted classifier
        A classifier whose log-odds are a sum over columns, such as `SelectiveNaiveBayes`.
    max_bins : int or None, default=12
        Maximum number of bins per column; see its method ``scorecard``.

    Returns
    -------
    text : str
        Numbers have 17 digits. Text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    columns = scorecard_columns(additive_scorecard(model, "a scorecard", max_bins))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([inert_text(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([inert_text(cell) if isinstance(cell, str) else repr(cell) for cell in row])
    return text.getvalue()
