"""On which rows subsets are scored: the training rows, held-out shares, folds, or a given set."""

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

from bayesieve.data import encode_target, read_table, read_weights
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.training.memory_rows import Fold, MemoryRows

__all__ = ["read_cv", "refuse_more_folds_than_rows", "split"]


def read_cv(cv: Any) -> Any:
    """Return ``cv`` as it is, and None where it is 0: scores are then those of the training rows."""
    return None if isinstance(cv, Integral) and cv == 0 else cv


def split(sample: MemoryRows, cv: Any, groups: ArrayLike | None, random_state: Any) -> Iterator[Fold]:
    """Yield the fitting rows and the scored rows of each segment."""
    if isinstance(cv, str):  # it has a method split too
        expected = "None, a share, a number of folds, a splitter, pairs of positions or (X, y)"
        raise ParameterError(f"validation must be {expected}, got {cv!r}.")
    everything = np.arange(sample.table.n_rows)
    if cv is None:
        yield Fold(everything, everything)
    elif isinstance(cv, tuple):
        yield Fold(everything, _given(sample, cv))
    else:
        yield from _folds(sample, cv, groups, random_state)


def _given(sample: MemoryRows, cv: tuple[Any, ...]) -> MemoryRows:
    if len(cv) != 2:
        raise ParameterError(f"validation must be a pair (X, y), got a tuple of {len(cv)}.")
    table = read_table(cv[0])
    if table.n_columns != sample.table.n_columns:
        expected = sample.table.n_columns
        raise DataError(f"The validation table has {table.n_columns} columns; the training table has {expected}.")
    if hasattr(cv[0], "columns") and table.names != sample.table.names:
        other = next(b for a, b in zip(sample.table.names, table.names, strict=True) if a != b)
        raise DataError(f"The validation table has the column {other!r} where the training table has another name.")
    target = encode_target(cv[1], table.n_rows, sample.target.classes)
    return MemoryRows(table, target, read_weights(None, table.n_rows))


def _folds(sample: MemoryRows, cv: Any, groups: ArrayLike | None, random_state: Any) -> Iterator[Fold]:
    # Rows of weight zero are not there, unless the user's own splitter counts them.
    own = not isinstance(cv, Real)
    present = np.flatnonzero((sample.weights.units > 0) | own)
    labels = sample.target.codes[present]
    members = None if groups is None else np.asarray(groups)
    if members is not None and members.shape != (sample.table.n_rows,):
        raise DataError(f"groups has shape {members.shape}; the table has {sample.table.n_rows} rows.")
    splitter = _splitter(cv, labels, members is not None, random_state)
    # scikit-learn's own splitters refuse labels of type object.
    shown = sample.target.classes[labels] if own else labels
    usable = 0
    for fitting, scored in _divide(splitter, shown, None if members is None else members[present]):
        fold = Fold(present[fitting], present[scored])
        if _learnable(sample, fold.fitting) and sample.weights.units[present[scored]].any():
            usable += 1
            yield fold
    if not usable:
        raise ParameterError("validation gives no fold with two classes to learn from; use fewer folds, or None.")


def _divide(splitter: Any, labels: NDArray[Any], groups: NDArray[Any] | None) -> Iterator[tuple[Any, Any]]:
    try:
        yield from splitter.split(np.zeros((len(labels), 1)), labels, groups)
    except ValueError as error:
        raise ParameterError(f"validation cannot divide the {len(labels)} rows: {error}") from None


def _learnable(sample: MemoryRows, rows: NDArray[np.intp]) -> bool:
    return len(np.unique(sample.target.codes[rows[sample.weights.units[rows] > 0]])) > 1


def _splitter(cv: Any, labels: NDArray[np.int32], grouped: bool, random_state: Any) -> Any:
    if hasattr(cv, "split"):
        return cv
    if isinstance(cv, Integral):
        return _k_folds(int(cv), labels, grouped, random_state)
    if isinstance(cv, Real):
        if grouped:
            raise ParameterError(
                "validation is a share and groups are given; use a splitter such as GroupShuffleSplit."
            )
        _refuse_rare_class(labels)
        return StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state or 0)
    return _Given(cv)


def _k_folds(n_folds: int, labels: NDArray[np.int32], grouped: bool, random_state: Any) -> Any:
    refuse_more_folds_than_rows(n_folds, np.bincount(labels))
    kind = StratifiedGroupKFold if grouped else StratifiedKFold
    return _Quiet(kind(n_folds, shuffle=random_state is not None, random_state=random_state))


def refuse_more_folds_than_rows(n_folds: int, sizes: NDArray[np.int64]) -> None:
    """Raise if no class has a row for each fold; ``sizes`` are those of the classes."""
    if n_folds > (largest := int(sizes.max())):
        raise ParameterError(
            f"cv={n_folds} folds need a class of that many rows, the largest of {int(sizes.sum())} has "
            f"{largest}; use fewer folds, or None."
        )


def _refuse_rare_class(labels: NDArray[np.int32]) -> None:
    counts = np.bincount(labels)
    if counts[counts > 0].min() < 2:
        raise ParameterError("validation is a share and a class has one row only; use folds, or None.")


class _Quiet:
    """A splitter that does not warn of classes with fewer rows than folds: such a class is absent from some folds."""

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter

    def split(self, X: Any, y: Any, groups: Any) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            yield from list(self._splitter.split(X, y, groups))


class _Given:
    """Pairs of row positions, as scikit-learn accepts them for ``cv``."""

    def __init__(self, pairs: Any) -> None:
        self._pairs = list(pairs)

    def split(self, X: Any, y: Any, groups: Any) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        for pair in self._pairs:
            try:
                fitting, scored = pair
                yield _positions(fitting, len(X)), _positions(scored, len(X))
            except (IndexError, TypeError, ValueError):
                raise ParameterError(
                    f"validation must be a list of pairs (fitting rows, scored rows) of positions below {len(X)}, "
                    f"got {type(pair).__name__} {pair!r:.60}."
                ) from None


def _positions(rows: Any, n_rows: int) -> NDArray[np.intp]:
    """Return positions from positions or a mask."""
    positions: NDArray[np.intp] = np.arange(n_rows)[np.asarray(rows)]
    if positions.ndim != 1:
        raise ValueError("one dimension is expected")
    return positions
