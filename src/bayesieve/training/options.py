"""Options of training: the parameters of an estimator, read and checked, as plain values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Protocol

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from bayesieve.coding import MODL, CodingRule
from bayesieve.decisions import ThresholdRule
from bayesieve.exceptions import ParameterError
from bayesieve.models import Model
from bayesieve.training.fold_counts import Fold, LabeledRows

__all__ = ["NO_COLUMNS", "ColumnOptions", "SizeOption", "Splitter", "TrainingOptions", "read_threads"]

SizeOption = str | int | float | tuple[int | None, ...]
"""A number of columns, a share, a pair of bounds, "all" or "auto"."""


class Splitter(Protocol):
    """Divides rows into training rows and validation rows, fold by fold."""

    @property
    def n_ordered_folds(self) -> int | None:
        """Number of folds, if these are stratified and in the order of the rows; None otherwise."""
        ...

    def split(self, rows: LabeledRows, groups: ArrayLike | None) -> Iterator[Fold]:
        """Yield the folds."""
        ...


@dataclass(frozen=True)
class ColumnOptions:
    """What the user requires of single columns, as positions in the table.

    Attributes
    ----------
    keep, drop : frozenset of int
        Columns that must be selected, that may not be.
    start : frozenset of int or None
        Columns that a search starts from; None leaves that to the search.
    groups : mapping of name to positions
        Columns that move together.
    """

    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()
    start: frozenset[int] | None = None
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def required(self) -> frozenset[int]:
        """Columns that take part even if they are uninformative."""
        return self.keep | (self.start or frozenset())


NO_COLUMNS = ColumnOptions()
"""Nothing is required of single columns."""

_MOST_PROBABLE = ThresholdRule("bayes")


@dataclass(frozen=True)
class TrainingOptions:
    """How columns are coded, which model they make, how a subset is searched, and what is derived from it.

    Attributes
    ----------
    rule, model : CodingRule, Model
        How columns become codes, and codes become score tables.
    search : str or None
        None where the weights choose the columns.
    criterion : str
        What a search improves.
    splitter : Splitter or None
        None scores subsets on the training rows, or on given validation rows.
    learns_on_path : bool
        Whether the search learns from the training rows of each fold as it goes, so that they must be coded too.
    ties : {"level", "score"}
        Which of two columns that tie comes first: the one of the higher level, or of the better score alone.
    stop : {"size", "k", "gain"}
        "size" is forced unless ``n_features`` is "auto"; "k" ranks columns; "gain" stops before a step without a gain.
    weights : str
        How the selected columns are weighted.
    laplace : bool
        See `Scorecard`.
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior than that of the training rows adds to the score of each class.
    display_rule : MODL or None
        How finest bins are joined for display.
    """

    rule: CodingRule
    model: Model
    search: str | None
    criterion: str
    splitter: Splitter | None
    columns: ColumnOptions = NO_COLUMNS
    n_features: SizeOption = "auto"
    tol: float | None = 0.0
    one_se: bool = False
    max_time: float | None = None
    checkpoint: str | PathLike[str] | None = None
    learns_on_path: bool = False
    ties: str = "level"
    stop: str = "size"
    metrics: tuple[str, ...] = ()
    weights: str = "none"
    laplace: bool = False
    threshold: ThresholdRule = _MOST_PROBABLE
    positive: int = 1
    calibration: str | None = None
    prior_shift: NDArray[np.int64] | None = None
    display_rule: MODL | None = None
    random_state: int | np.random.RandomState | None = None
    backend: str = "auto"
    n_threads: int = 1


def read_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0: at least one thread is needed; -1 is one per processor.")
    return int(effective_n_jobs(n_jobs))
