# SPDX-License-Identifier: BSD-3-Clause
"""Options of training: the parameters of an estimator, read and checked, as plain values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import MODL, CodingRule
from bayesieve.data import LabeledRows
from bayesieve.decisions import ThresholdRule
from bayesieve.fit.fold_counts import Fold
from bayesieve.models import Model

__all__ = ["NO_COLUMNS", "ColumnOptions", "ShapeOptions", "SizeOption", "Splitter", "TrainingOptions"]

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
    paired : frozenset of int
        Columns of pairs that must be selected, and so must they.
    """

    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()
    start: frozenset[int] | None = None
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    paired: frozenset[int] = frozenset()

    @property
    def locked(self) -> frozenset[int]:
        """Columns that must be selected."""
        return self.keep | self.paired

    @property
    def required(self) -> frozenset[int]:
        """Columns that take part even if they are uninformative."""
        return self.locked | (self.start or frozenset())


NO_COLUMNS = ColumnOptions()
"""Nothing is required of single columns."""

_MOST_PROBABLE = ThresholdRule("bayes")


@dataclass(frozen=True)
class ShapeOptions:
    """How a scorecard with joint shapes is trained.

    Attributes
    ----------
    n_folds : int
        Number of folds.
    splitter : Splitter
        What divides the rows.
    drawn : bool
        Whether folds are drawn by the values of the rows instead, unless rows come in groups.
    most_accurate : bool
        Whether all columns are fitted, instead of the few that are enough.
    min_gain : float
        The share of the best size's improvement over class frequencies that fewer columns are expected to keep.
    merge_cost : float
        The expected cost per row, in nats, at which the merging of bins ends.
    n_pairs : int or None
        The most pairs of columns; None for as many as have evidence.
    pairs : tuple of pairs of int, or None
        Columns of the table whose pairs are given.
    monotone : mapping of int to int
        Columns of the table with a direction: 1 or -1.
    leads : mapping of int to int
        With more than two classes, the class that has the direction.
    """

    n_folds: int
    splitter: Splitter
    drawn: bool = True
    most_accurate: bool = False
    min_gain: float = 0.99
    merge_cost: float = 0.0005
    n_pairs: int | None = None
    pairs: tuple[tuple[int, int], ...] | None = None
    monotone: Mapping[int, int] = field(default_factory=dict)
    leads: Mapping[int, int] = field(default_factory=dict)


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
    choose_by : str or None
        What the best of the subsets visited is chosen by; None for the criterion itself.
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
    shapes : ShapeOptions or None
        How shapes are learned beside each other; None where each column has a table of its own.
    """

    rule: CodingRule
    model: Model
    search: str | None
    criterion: str
    splitter: Splitter | None
    choose_by: str | None = None
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
    shapes: ShapeOptions | None = None

    @property
    def fold_splitter(self) -> Splitter | None:
        """What divides the rows into folds, whether tables or shapes are learned in them."""
        return self.splitter if self.shapes is None else self.shapes.splitter
