# SPDX-License-Identifier: BSD-3-Clause
"""Predictions for held-out rows: by refits without each outer fold, or by one model for rows that it was not given."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import pick_rows
from bayesieve.evaluation import OuterFit, outer_fits
from bayesieve.evaluation.outer_cv import Split, outer_splits, time_splits
from bayesieve.exceptions import ClippedSelectionWarning, IdleColumnWarning, NothingSelectedWarning, ParameterError
from bayesieve.report.fold_cache import FoldCache
from bayesieve.report.held_out_predictions import HeldOutPredictions, predict_fold, probability_model
from bayesieve.report.inner_model import open_model, with_scoring
from bayesieve.report.report_context import ReportContext
from bayesieve.report.shares import rows_per_group

__all__ = ["predict_held_out", "predict_outer_folds", "tested_rows"]


def predict_outer_folds(
    model: Any,
    X: Any,
    y: NDArray[Any],
    n_folds: int = 5,
    cache: FoldCache | None = None,
    advance: Callable[[], None] = lambda: None,
    **row_values: Any,
) -> HeldOutPredictions | None:
    """Repeat selection and fit without each fold, and predict the rows of that fold.

    Parameters
    ----------
    model : classifier
        Fitted on all rows; the refits have its parameters.
    X, y : table and target
        All rows.
    n_folds : int
        Number of outer folds.
    cache : FoldCache, default=None
        Where finished folds are stored and read.
    advance : callable
        Called after each fold.
    **row_values : arrays of shape (n_samples,)
        What ``fit`` is given besides, such as ``amounts``; ``groups``, whose rows stay in one fold; ``sample_weight``,
        by which scores are weighted, too; ``times``: folds are tested on what follows their training rows.

    Returns
    -------
    predictions : HeldOutPredictions or None
        None if it was interrupted.
    """
    stored = {} if cache is None else {i: cache.read(i) for i in range(n_folds)}
    folds = {i: fold for i, fold in stored.items() if fold is not None}
    for _ in folds:
        advance()
    refit, splits = with_scoring(model, None), _splits(y, n_folds, row_values)
    given = {name: values for name, values in row_values.items() if name != "times"}
    try:
        with _without_repetition():
            for fit in outer_fits(refit, X, y, splits, skip=tuple(folds), **given):
                fitted = probability_model(open_model(fit.model, fit.X)[0])
                if not fitted.path_.complete and fitted.max_time is None:
                    return None  # by Ctrl-C
                folds[fit.number] = predict_fold(fit, model.classes_)
                if cache is not None:
                    cache.write(fit.number, folds[fit.number])
                advance()
    except KeyboardInterrupt:
        return None
    return HeldOutPredictions(
        [folds[i] for i in range(n_folds)],
        np.searchsorted(model.classes_, y),
        model.classes_,
        weights=row_values.get("sample_weight"),
        trained_on=[train for train, _ in splits],
        note=_note(row_values, n_folds),
        rows_per_observation=rows_per_group(row_values["groups"]) if "groups" in row_values else 1.0,
    )


@contextmanager
def _without_repetition() -> Iterator[None]:
    """Ignore warnings about the selections of folds: the model has issued its own, and a report counts folds."""
    with warnings.catch_warnings():
        for category in (NothingSelectedWarning, ClippedSelectionWarning, IdleColumnWarning):
            warnings.simplefilter("ignore", category)
        yield


def _splits(y: NDArray[Any], n_folds: int, row_values: dict[str, Any]) -> list[Split]:
    if "times" not in row_values:
        return outer_splits(y, n_folds, row_values.get("groups"))
    if "groups" in row_values:
        raise ParameterError("Folds are by groups or by time; give one of the two.")
    return time_splits(y, row_values["times"], n_folds)


def _note(row_values: dict[str, Any], n_folds: int) -> str:
    """Return how rows were held out, if it is not the usual way."""
    sentences = []
    if "times" in row_values:
        sentences.append(
            f"Rows are divided by time into {n_folds + 1} parts: each of {n_folds} models was fitted on the first "
            "parts and tested on the next one. All counts are counts of tested rows, without the first part."
        )
    if "groups" in row_values:
        n_groups = len(np.unique(row_values["groups"]))
        sentences.append(
            f"The rows of each of {n_groups:,} groups are in one fold; intervals count a group as one observation."
        )
    if "sample_weight" in row_values:
        sentences.append("Fits and scores are weighted; counts are counts of rows.")
    return " ".join(sentences)


def tested_rows(
    X: Any, predictions: HeldOutPredictions, context: ReportContext
) -> tuple[Any, HeldOutPredictions, ReportContext]:
    """Return the rows that were held out in some fold, with their predictions and amounts; usually all rows."""
    rows, tested = predictions.restricted()
    if tested is predictions:
        return X, predictions, context
    amounts = None if context.amounts is None else context.amounts[rows]
    return pick_rows(X, rows), tested, replace(context, amounts=amounts)


def predict_held_out(model: Any, X: Any, y: NDArray[Any], n_train: int, note: str = "") -> HeldOutPredictions:
    """Predict held-out rows with one model.

    Parameters
    ----------
    model : classifier
        Fitted without these rows.
    X, y : table and target
        The held-out rows.
    n_train : int
        Number of training rows.
    note : str
        How rows were held out, if they are not spread evenly over one table.

    Returns
    -------
    predictions : HeldOutPredictions
        With all rows in place of the folds.
    """
    all_rows = predict_fold(OuterFit(0, model, np.arange(len(y)), X), model.classes_)
    target = np.searchsorted(model.classes_, y)
    return HeldOutPredictions([all_rows], target, model.classes_, n_train, note=note)
