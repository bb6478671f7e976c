"""From probabilities to the action that is expected to bring the most.

With B(a, c) the benefit of action a where the truth is class c, possibly of each row its own, the expected benefit of a
is the sum over c of P(c) B(a, c); the action taken is the one that expects most, the lowest index on ties (equation 1
of Gidófalvi and Zadrozny). Classes are added in their order, so that every machine and criterion agrees on ties.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError

__all__ = ["best_actions", "expected_benefits", "mailing_benefits", "read_benefits", "realized_benefits"]

Floats = NDArray[np.float64]


def read_benefits(given: Any, n_classes: int, n_rows: int | None = None, name: str = "benefits") -> Floats:
    """Return benefits as an array of shape (1 or n_rows, n_actions, n_classes).

    Parameters
    ----------
    given : array-like of shape (n_actions, n_classes) or (n_rows, n_actions, n_classes)
        What each action brings where each class is true; costs are negative.
    n_classes : int
        Number of classes.
    n_rows : int or None
        Number of rows; None if only a matrix for all rows will do.
    name : str
        What the user calls it.
    """
    expected = f"actions × {n_classes} classes" + ("" if n_rows is None else f", or {n_rows} rows × actions × classes")
    try:
        benefits = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, {expected}, got {given!r:.60}.") from None
    whole = benefits[None] if benefits.ndim == 2 else benefits
    fits = whole.ndim == 3 and whole.shape[2] == n_classes and whole.shape[1] > 0
    if not fits or (benefits.ndim == 3 and (n_rows is None or len(whole) != n_rows)):
        raise DataError(f"{name} must be {expected}, got the shape {benefits.shape}.")
    if not np.isfinite(whole).all():
        row, action, c = (int(place[0]) for place in np.nonzero(~np.isfinite(whole)))
        where = f"action {action}, class {c}" + (f", row {row}" if benefits.ndim == 3 else "")
        raise DataError(f"{name} must be finite; that of {where} is {whole[row, action, c]}.")
    return whole


def mailing_benefits(amounts: Any, cost: float) -> Floats:
    """Return the benefits of doing nothing (0), and of asking (1): the amount of a positive row, less the cost."""
    amount = np.asarray(amounts, dtype=np.float64)
    benefits = np.zeros((len(amount), 2, 2))
    benefits[:, 1, 0] = -cost
    benefits[:, 1, 1] = amount - cost
    return benefits


def expected_benefits(probabilities: Floats, benefits: Floats) -> Floats:
    """Return what each action is expected to bring, shape (n_rows, n_actions).

    ``probabilities`` have shape (n_rows, n_classes), ``benefits`` are as `read_benefits` returns them.
    """
    total = probabilities[:, :1] * benefits[:, :, 0]
    for c in range(1, probabilities.shape[1]):
        total = total + probabilities[:, c : c + 1] * benefits[:, :, c]
    return total


def best_actions(expected: Floats) -> NDArray[np.intp]:
    """Return the action of each row that expects most, the lowest index on ties."""
    best: NDArray[np.intp] = np.argmax(expected, axis=1)
    return best


def realized_benefits(actions: NDArray[Any], truth: NDArray[Any], benefits: Floats) -> Floats:
    """Return what the actions brought, given the true class of each row."""
    rows = np.arange(len(actions)) if len(benefits) > 1 else 0
    return np.asarray(benefits[rows, actions, truth], dtype=np.float64)
