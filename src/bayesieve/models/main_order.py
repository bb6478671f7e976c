"""Points in one order: along the direction in which they vary most."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["in_order", "main_order"]

Floats = NDArray[np.float64]

_ROUNDS: Final = 50


def main_order(away: Floats, mass: NDArray[np.int64] | Floats) -> NDArray[np.intp]:
    """Return points in order, given what they differ from their mean by, shape (n_points, n_classes), and their mass.

    With two classes, in the order of the second coordinate. With more, along the direction of the largest variance
    (Coppersmith, Hong and Hosking 1999), found by repeated multiplication in a fixed order.
    """
    n_classes = away.shape[1]
    if n_classes == 2:
        return np.argsort(away[:, 1], kind="stable")
    spread = np.array([[in_order(mass * away[:, i] * away[:, j]) for j in range(n_classes)] for i in range(n_classes)])
    direction = spread[:, int(np.argmax(np.diag(spread)))]
    for _ in range(_ROUNDS):
        size = np.abs(direction).max()
        if size == 0.0:
            break
        direction = np.array([in_order(row * (direction / size)) for row in spread])
    along = np.zeros(len(away))
    for c in range(n_classes):
        along = along + away[:, c] * direction[c]
    return np.argsort(along, kind="stable")


def in_order(terms: Floats) -> float:
    """Return a sum taken from left to right; NumPy's would add in pairs."""
    return float(np.add.accumulate(terms)[-1]) if len(terms) else 0.0
