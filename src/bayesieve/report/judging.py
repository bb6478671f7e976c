"""A fitted classifier, judged by fitting it again without each part of the rows, or on rows that it has not seen."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.evaluation import OuterFit, outer_fits
from bayesieve.report.fold_shelf import FoldShelf
from bayesieve.report.honest_rows import FoldRows, HonestRows, fold_rows

__all__ = ["judge", "judge_held_out"]


def judge(
    model: Any,
    X: Any,
    y: NDArray[Any],
    n_folds: int = 5,
    shelf: FoldShelf | None = None,
    advance: Callable[[], None] = lambda: None,
) -> HonestRows | None:
    """Repeat the selection and fit without each fold, and ask what is believed of its rows.

    Parameters
    ----------
    model : classifier
        Fitted on all rows; its parameters are used again.
    X, y : table and target
        All rows.
    n_folds : int
        How often.
    shelf : FoldShelf, default=None
        Where finished folds are kept and found.
    advance : callable
        Called after each fold.

    Returns
    -------
    honest : HonestRows or None
        None if it was interrupted.
    """
    kept = {} if shelf is None else {i: shelf.read(i) for i in range(n_folds)}
    known = {i: fold for i, fold in kept.items() if fold is not None}
    for _ in known:
        advance()
    again = type(model)(**(model.get_params(deep=False) | {"scoring": None}))
    try:
        for fit in outer_fits(again, X, y, n_folds, skip=tuple(known)):
            if not fit.model.path_.complete and model.max_time is None:
                return None  # by Ctrl-C
            known[fit.number] = fold_rows(fit, model.classes_)
            if shelf is not None:
                shelf.write(fit.number, known[fit.number])
            advance()
    except KeyboardInterrupt:
        return None
    return HonestRows([known[i] for i in range(n_folds)], np.searchsorted(model.classes_, y), model.classes_)


def judge_held_out(model: Any, X: Any, y: NDArray[Any], n_groups: int, n_fitted: int) -> HonestRows:
    """Ask one model what it believes of rows that were held out, and divide them into groups for standard errors.

    Parameters
    ----------
    model : classifier
        Fitted without these rows.
    X, y : table and target
        The rows held out.
    n_groups : int
        Number of groups, in each of which classes are as frequent as in all, to a row.
    n_fitted : int
        Number of rows that the model was fitted on.

    Returns
    -------
    honest : HonestRows
        With a group in the place of each fold.
    """
    whole = fold_rows(OuterFit(0, model, np.arange(len(y)), X), model.classes_)
    target = np.searchsorted(model.classes_, y)
    by_class = np.argsort(target, kind="stable")
    groups = [np.sort(by_class[k::n_groups]) for k in range(n_groups)]
    folds = [
        FoldRows(rows, whole.sizes, whole.stages[:, rows], whole.predicted[rows], whole.columns) for rows in groups
    ]
    return HonestRows(folds, target, model.classes_, n_fitted)
