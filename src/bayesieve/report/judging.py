"""A fitted classifier, judged by fitting it again without each part of the rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.evaluation import outer_fits
from bayesieve.report.fold_shelf import FoldShelf
from bayesieve.report.honest_rows import HonestRows, fold_rows

__all__ = ["judge"]


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
