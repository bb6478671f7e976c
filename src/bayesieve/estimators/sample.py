"""Rows with a target and weights, and how they are divided into fitting rows and scored rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Table, Target, Weights

__all__ = ["Fold", "Sample"]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Sample:
    """A table, its target and its weights."""

    table: Table
    target: Target
    weights: Weights


@dataclass(frozen=True)
class Fold:
    """Which rows of a sample tables are learnt from, and which they are scored on: rows of it, or another sample."""

    fitting: Rows
    scored: Rows | Sample
