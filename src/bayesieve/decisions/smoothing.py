"""Probabilities kept away from 0 and 1: p becomes (N p + 1/2 / J) / (N + 1/2), with N rows and J classes."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["smooth"]


def smooth(probabilities: NDArray[np.float64], n_rows: float, n_classes: int) -> NDArray[np.float64]:
    """Return what half a row, shared by all classes, makes of each probability."""
    return (n_rows * probabilities + 0.5 / n_classes) / (n_rows + 0.5)
