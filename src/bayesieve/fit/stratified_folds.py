# SPDX-License-Identifier: BSD-3-Clause
"""Stratified folds, the same as those of scikit-learn's ``StratifiedKFold``.

The rows, sorted by class in the order of the classes' first rows, go to the folds in turn, which gives the number of
rows of each class and fold. The rows of a class are assigned in their order, or in a random one. Folds are drawn here
because scikit-learn's are in a package whose import takes longer than many fits.
"""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints, Positions
from bayesieve.exceptions import ParameterError

__all__ = ["fold_shares", "refuse_more_folds_than_rows", "stratified_folds"]


def fold_shares(class_sizes: Ints, firsts: Ints, n_folds: int) -> Ints:
    """Return how many rows of each class are in each fold, given the first row of each class."""
    order = np.argsort(firsts, kind="stable")
    begins = np.zeros(len(class_sizes), dtype=np.int64)
    begins[order] = np.append(0, np.cumsum(class_sizes[order]))[:-1]
    folds, begin, end = np.arange(n_folds), begins[:, None], (begins + class_sizes)[:, None]
    shares: Ints = (end - 1 - folds) // n_folds - (begin - 1 - folds) // n_folds
    return shares


def refuse_more_folds_than_rows(n_folds: int, largest: int, n_rows: int) -> NoReturn:
    """Raise: no class has a row for each fold."""
    raise ParameterError(
        f"cv={n_folds} folds need a class with that many rows, but the largest of {n_rows} has {largest}; use fewer "
        "or 0."
    )


def stratified_folds(
    labels: NDArray[np.integer], n_folds: int, random_state: np.random.RandomState | None = None
) -> list[tuple[Positions, Positions]]:
    """Return the training rows and the validation rows of each fold; the order is random if a state is given."""
    _, firsts, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    shares = fold_shares(sizes, firsts, n_folds)
    fold_of_row = np.empty(len(labels), dtype=np.int32)
    for c in np.argsort(firsts):
        folds = np.arange(n_folds).repeat(shares[c])
        if random_state is not None:
            random_state.shuffle(folds)
        fold_of_row[codes == c] = folds
    return [(np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)) for fold in range(n_folds)]
