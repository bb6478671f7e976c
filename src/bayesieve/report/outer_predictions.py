"""Predictions for held-out rows: by refits without each outer fold, or by one model for rows that it was not given."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.evaluation import OuterFit, outer_fits
from bayesieve.report.fold_cache import FoldCache
from bayesieve.report.held_out_predictions import HeldOutPredictions, predict_fold, probability_model
from bayesieve.report.inner_model import open_model, with_scoring

__all__ = ["predict_held_out", "predict_outer_folds"]


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
        What ``fit`` is given besides, such as ``amounts``.

    Returns
    -------
    predictions : HeldOutPredictions or None
        None if it was interrupted.
    """
    stored = {} if cache is None else {i: cache.read(i) for i in range(n_folds)}
    folds = {i: fold for i, fold in stored.items() if fold is not None}
    for _ in folds:
        advance()
    refit = with_scoring(model, None)
    try:
        for fit in outer_fits(refit, X, y, n_folds, skip=tuple(folds), **row_values):
            fitted = probability_model(open_model(fit.model, fit.X)[0])
            if not fitted.path_.complete and fitted.max_time is None:
                return None  # by Ctrl-C
            folds[fit.number] = predict_fold(fit, model.classes_)
            if cache is not None:
                cache.write(fit.number, folds[fit.number])
            advance()
    except KeyboardInterrupt:
        return None
    return HeldOutPredictions([folds[i] for i in range(n_folds)], np.searchsorted(model.classes_, y), model.classes_)


def predict_held_out(model: Any, X: Any, y: NDArray[Any], n_groups: int, n_train: int) -> HeldOutPredictions:
    """Predict held-out rows with one model, and divide them into groups for standard errors.

    Parameters
    ----------
    model : classifier
        Fitted without these rows.
    X, y : table and target
        The held-out rows.
    n_groups : int
        Number of groups; they are stratified by class.
    n_train : int
        Number of training rows.

    Returns
    -------
    predictions : HeldOutPredictions
        With a group in place of each fold.
    """
    all_rows = predict_fold(OuterFit(0, model, np.arange(len(y)), X), model.classes_)
    target = np.searchsorted(model.classes_, y)
    by_class = np.argsort(target, kind="stable")
    groups = [np.sort(by_class[k::n_groups]) for k in range(n_groups)]
    folds = [
        replace(all_rows, rows=rows, stages=all_rows.stages[:, rows], predicted=all_rows.predicted[rows])
        for rows in groups
    ]
    return HeldOutPredictions(folds, target, model.classes_, n_train)
