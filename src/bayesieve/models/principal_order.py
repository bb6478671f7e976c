"""Points sorted along their first principal direction."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats

__all__ = ["ordered_sum", "principal_order"]


_ROUNDS: Final = 50


def principal_order(deviations: Floats, mass: NDArray[np.int64] | Floats) -> NDArray[np.intp]:
    """Return the order of points, given their deviations from the mean, shape (n_points, n_classes), and their mass.

    With two classes, the order of the second coordinate. With more, the order along the direction of the largest
    variance (Coppersmith, Hong and Hosking 1999), computed by power iteration with sums in a fixed order.
    """
    n_classes = deviations.shape[1]
    if n_classes == 2:
        return np.argsort(deviations[:, 1], kind="stable")
    weighted = mass[:, None] * deviations
    classes = range(n_classes)
    covariance = np.array([[ordered_sum(weighted[:, i] * deviations[:, j]) for j in classes] for i in classes])
    direction = covariance[:, int(np.argmax(np.diag(covariance)))]
    for _ in range(_ROUNDS):
        size = np.abs(direction).max()
        if size == 0.0:
            break
        direction = np.array([ordered_sum(row * (direction / size)) for row in covariance])
    along = np.zeros(len(deviations))
    for c in range(n_classes):
        along = along + deviations[:, c] * direction[c]
    return np.argsort(along, kind="stable")


def ordered_sum(terms: Floats) -> float:
    """Return the sum from left to right; NumPy's sum would add pairwise."""
    return float(np.add.accumulate(terms)[-1]) if len(terms) else 0.0
