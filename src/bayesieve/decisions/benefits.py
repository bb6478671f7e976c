# SPDX-License-Identifier: BSD-3-Clause
"""From probabilities to the action of the largest expected benefit.

With B(a, c) the benefit of action a if the true class is c, possibly different for each row, the expected benefit of a
is the sum over c of P(c) B(a, c). The action with the largest one is taken, the lowest index on ties (equation 1 of
Gidófalvi and Zadrozny). Classes are added in their order, so that ties are the same on all machines and criteria.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exceptions import DataError

__all__ = [
    "LARGEST_BENEFIT",
    "best_actions",
    "expected_benefits",
    "mailing_benefits",
    "read_benefits",
    "realized_benefits",
]


LARGEST_BENEFIT = 1e100  # so that sums over rows stay finite


def read_benefits(values: Any, n_classes: int, n_rows: int | None = None, name: str = "benefits") -> Floats:
    """Return benefits as an array of shape (1 or n_samples, n_actions, n_classes).

    Parameters
    ----------
    values : array-like of shape (n_actions, n_classes) or (n_samples, n_actions, n_classes)
        Benefit of each action for each true class; costs are negative.
    n_classes : int
        Number of classes.
    n_rows : int or None
        Number of rows; None if one matrix for all rows is expected.
    name : str
        Name of the parameter, for messages.
    """
    expected = f"actions × {n_classes} classes" + ("" if n_rows is None else f", or {n_rows} rows × actions × classes")
    try:
        benefits = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, {expected}, got {values!r:.60}.") from None
    matrices = benefits[None] if benefits.ndim == 2 else benefits
    fits = matrices.ndim == 3 and matrices.shape[2] == n_classes and matrices.shape[1] > 0
    if not fits or (benefits.ndim == 3 and (n_rows is None or len(matrices) != n_rows)):
        raise DataError(f"{name} must be {expected}, got the shape {benefits.shape}.")
    if not np.isfinite(matrices).all():
        row, action, c = (int(place[0]) for place in np.nonzero(~np.isfinite(matrices)))
        where = f"action {action}, class {c}" + (f", row {row}" if benefits.ndim == 3 else "")
        raise DataError(f"{name} must be finite; the benefit of {where} is {matrices[row, action, c]}.")
    if np.abs(matrices).max(initial=0.0) > LARGEST_BENEFIT:
        largest = matrices.flat[np.abs(matrices).argmax()]
        raise DataError(f"{name} has the benefit {largest:g}; at most {LARGEST_BENEFIT:g} in size was expected.")
    return matrices


def mailing_benefits(amounts: Any, cost: float, positive: int = 1) -> Floats:
    """Return the benefits of no action (0) and of a mailing (1): the amount of a positive row minus the cost."""
    amount = np.asarray(amounts, dtype=np.float64)
    benefits = np.zeros((len(amount), 2, 2))
    benefits[:, 1, 1 - positive] = -cost
    benefits[:, 1, positive] = amount - cost
    return benefits


def expected_benefits(probabilities: Floats, benefits: Floats) -> Floats:
    """Return the expected benefit of each action, shape (n_samples, n_actions).

    ``probabilities`` have shape (n_samples, n_classes), ``benefits`` are as `read_benefits` returns them.
    """
    total = probabilities[:, :1] * benefits[:, :, 0]
    for c in range(1, probabilities.shape[1]):
        total = total + probabilities[:, c : c + 1] * benefits[:, :, c]
    return total


def best_actions(expected: Floats) -> NDArray[np.intp]:
    """Return the action of each row with the largest expected benefit, the lowest index on ties."""
    best: NDArray[np.intp] = np.argmax(expected, axis=1)
    return best


def realized_benefits(actions: NDArray[Any], truth: NDArray[Any], benefits: Floats) -> Floats:
    """Return the benefit of the action of each row, given its true class."""
    rows = np.arange(len(actions)) if len(benefits) > 1 else 0
    return np.asarray(benefits[rows, actions, truth], dtype=np.float64)
