# SPDX-License-Identifier: BSD-3-Clause
"""On which rows subsets are scored: the training rows, a held-out share, or folds."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Positions
from bayesieve.data import LabeledRows
from bayesieve.estimators._types import Array, CrossValidator, RandomState, Splitting, TableLike
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.fit.memory_learning import Fold
from bayesieve.fit.options import Splitter, refuse_more_folds_than_rows
from bayesieve.fit.rows import TrainingRows

__all__ = ["FoldSplitter", "read_splitter", "refuse_idle_groups", "refuse_one_fold"]


def read_splitter(rows: TrainingRows, cv: CrossValidator, random_state: RandomState) -> Splitter | None:
    """Return what divides the rows; None where subsets are scored on the training rows, or on given ones."""
    if isinstance(cv, str):  # it has a method split too
        raise ParameterError(f"cv must be 0, a share, a number of folds, a splitter or pairs of positions, got {cv!r}.")
    on_given_rows = rows.has_validation_rows or (isinstance(cv, Integral) and cv == 0)
    return None if on_given_rows else FoldSplitter(cv, random_state)


def refuse_one_fold(splitter: Splitter | None, one_se: bool) -> None:
    """Refuse a standard error without folds."""
    n_folds = splitter.n_folds if isinstance(splitter, FoldSplitter) else 1
    if one_se and n_folds is not None and n_folds < 2:
        raise ParameterError("one_se needs a standard error over folds; set cv to two folds or more.")


def refuse_idle_groups(splitter: Splitter | None, groups: ArrayLike | None) -> None:
    """Refuse groups where no folds are drawn."""
    if groups is not None and (not isinstance(splitter, FoldSplitter) or splitter.is_given):
        raise ParameterError("groups would be ignored: no folds are drawn; set cv to a number of folds or a splitter.")


@dataclass(frozen=True)
class FoldSplitter:
    """Divides rows by a number of folds, a share, a splitter of scikit-learn or given positions."""

    cv: CrossValidator
    random_state: RandomState

    @property
    def is_given(self) -> bool:
        """Whether the positions of all folds are given."""
        return not isinstance(self.cv, Real) and not hasattr(self.cv, "split")

    @property
    def n_folds(self) -> int | None:
        """Number of folds; None where a splitter decides."""
        if isinstance(self.cv, Real):
            return int(self.cv) if isinstance(self.cv, Integral) else 1
        return len(self.cv) if self.is_given else None

    @property
    def n_ordered_folds(self) -> int | None:
        """Number of folds, if these are stratified and in the order of the rows; None otherwise."""
        return int(self.cv) if isinstance(self.cv, Integral) and self.random_state is None else None

    def split(self, rows: LabeledRows, groups: ArrayLike | None) -> Iterator[Fold]:
        """Yield the folds."""
        # Rows of weight zero are not there, unless the user's own splitter counts them.
        own = not isinstance(self.cv, Real)
        present = np.flatnonzero((rows.weights.units > 0) | own)
        labels = rows.target.codes[present]
        members = None if groups is None else np.asarray(groups)
        if members is not None and members.shape != (rows.n_rows,):
            raise DataError(f"groups has shape {members.shape}; the table has {rows.n_rows} rows.")
        n_groups = None if members is None else len(np.unique(members[present]))
        splitter = _splitter(self.cv, labels, n_groups, self.random_state)
        # scikit-learn's own splitters refuse labels of type object.
        shown = rows.classes[labels] if own else labels
        usable = 0
        for training, validation in _divide(splitter, shown, None if members is None else members[present]):
            fold = Fold(present[training], present[validation])
            if _learnable(rows, fold.training) and rows.weights.units[present[validation]].any():
                usable += 1
                yield fold
        if not usable:
            raise ParameterError("No fold of cv has two classes in its training rows; use fewer folds, or 0.")


def _divide(splitter: Splitting, labels: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
    try:
        yield from splitter.split(np.zeros((len(labels), 1)), labels, groups)
    except ValueError as error:
        raise ParameterError(f"cv cannot divide the {len(labels)} rows: {error}") from None


def _learnable(rows: LabeledRows, training: Positions) -> bool:
    return len(np.unique(rows.target.codes[training[rows.weights.units[training] > 0]])) > 1


def _splitter(
    cv: CrossValidator, labels: NDArray[np.int32], n_groups: int | None, random_state: RandomState
) -> Splitting:
    if hasattr(cv, "split"):
        own: Splitting = cv
        return own
    if isinstance(cv, Integral):
        return _k_folds(int(cv), labels, n_groups, random_state)
    if isinstance(cv, Real):
        if n_groups is not None:
            raise ParameterError("cv is a share and groups are given; use a splitter such as GroupShuffleSplit.")
        from sklearn.model_selection import StratifiedShuffleSplit

        _refuse_rare_class(labels)
        share: Splitting = StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state or 0)
        return share
    return _Given(cv)


def _k_folds(n_folds: int, labels: NDArray[np.int32], n_groups: int | None, random_state: RandomState) -> Splitting:
    """Return stratified folds; as many as there are groups, if those are fewer."""
    sizes = np.bincount(labels)
    if n_folds > sizes.max():
        refuse_more_folds_than_rows(n_folds, int(sizes.max()), int(sizes.sum()))
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    shuffle = random_state is not None
    if n_groups is None:
        return _Quiet(StratifiedKFold(n_folds, shuffle=shuffle, random_state=random_state))
    if n_groups < 2:
        raise ParameterError("All rows are of one group, and rows of a group stay in one fold; folds need two groups.")
    return _Quiet(StratifiedGroupKFold(min(n_folds, n_groups), shuffle=shuffle, random_state=random_state))


def _refuse_rare_class(labels: NDArray[np.int32]) -> None:
    counts = np.bincount(labels)
    if counts[counts > 0].min() < 2:
        raise ParameterError("cv is a share and a class has one row only; use folds, or 0.")


class _Quiet:
    """A splitter that does not warn of classes with fewer rows than folds: such a class is absent from some folds."""

    def __init__(self, splitter: Splitting) -> None:
        self._splitter = splitter

    def split(self, X: TableLike, y: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            yield from list(self._splitter.split(X, y, groups))


class _Given:
    """Pairs of row positions, as scikit-learn accepts them for ``cv``."""

    def __init__(self, pairs: Iterable[tuple[ArrayLike, ArrayLike]]) -> None:
        self._pairs = list(pairs)

    def split(self, X: TableLike, y: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
        for pair in self._pairs:
            try:
                training, validation = pair
                yield _positions(training, len(X)), _positions(validation, len(X))
            except (IndexError, TypeError, ValueError):
                raise ParameterError(
                    f"cv must be a list of pairs (training rows, validation rows) of positions below {len(X)}, "
                    f"got {type(pair).__name__} {pair!r:.60}."
                ) from None


def _positions(rows: ArrayLike, n_rows: int) -> Positions:
    """Return positions from positions or a mask."""
    positions: Positions = np.arange(n_rows)[np.asarray(rows)]
    if positions.ndim != 1:
        raise ValueError("one dimension is expected")
    return positions
