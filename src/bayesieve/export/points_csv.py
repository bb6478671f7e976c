"""The scorecard of a fitted classifier as CSV, for a spreadsheet."""

import csv
import io

from bayesieve.data.files.table_output import inert_text
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.explanations.point_scale import PointScale
from bayesieve.explanations.scorecard_table import scorecard_columns
from bayesieve.export.additive import additive_scorecard

__all__ = ["scorecard_csv"]


def scorecard_csv(
    model: PredictionMixin, *, max_bins: int | str | None = "auto", scale: PointScale | None = None
) -> str:
    """Return the scorecard of a model as CSV: a row for the intercept, and one row per bin and per cell of a pair.

    Parameters
    ----------
    model : fitted classifier
        A classifier whose log-odds are a sum over columns, such as `ScorecardClassifier`.
    max_bins : int, None or "auto", default="auto"
        Maximum number of bins per column; None for no merging. "auto" is the default of its method ``scorecard``: no
        merging for a `ScorecardClassifier`, 12 for others.
    scale : PointScale or None, default=None
        Adds a column of whole points, see ``scorecard``.

    Returns
    -------
    text : str
        Numbers have 17 digits. Text that a spreadsheet would read as a formula starts with an apostrophe.
    """
    if isinstance(max_bins, str):
        max_bins = model.shown_bins
    columns = scorecard_columns(additive_scorecard(model, "a scorecard", max_bins), scale)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([inert_text(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([inert_text(cell) if isinstance(cell, str) else repr(cell) for cell in row])
    return text.getvalue()
