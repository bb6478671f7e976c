# SPDX-License-Identifier: BSD-3-Clause
"""Options of training: the parameters of an estimator, read and checked, as plain values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Ints
from bayesieve.bins import MODL, CodingRule
from bayesieve.data import LabeledRows
from bayesieve.decisions import ThresholdRule
from bayesieve.exceptions import ParameterError
from bayesieve.fit.column_settings import ColumnRule
from bayesieve.fit.learning import LearningOptions
from bayesieve.fit.memory_learning import Fold
from bayesieve.models import Model
from bayesieve.search import Guide

if TYPE_CHECKING:
    from bayesieve.additive.number_losses import NumberLoss
    from bayesieve.additive.problem import AdditiveOptions

__all__ = [
    "NO_COLUMNS",
    "ColumnOptions",
    "ScorecardOptions",
    "SearchOptions",
    "SizeOption",
    "Splitter",
    "TrainingOptions",
    "refuse_more_folds_than_rows",
]

SizeOption = str | int | float | tuple[int | None, ...]
"""A number of columns, a share, a pair of bounds, "all" or "auto"."""

_USUAL = ColumnRule()


class Splitter(Protocol):
    """Divides rows into training rows and validation rows, fold by fold."""

    @property
    def n_ordered_folds(self) -> int | None:
        """Number of folds, if these are stratified and in the order of the rows; None otherwise."""
        ...

    @property
    def draws(self) -> bool:
        """Whether rows are divided by a number of folds or a share, and equal ones may be kept together."""
        ...

    def split(self, rows: LabeledRows, groups: ArrayLike | None, equal: Ints | None = None) -> Iterator[Fold]:
        """Yield the folds; rows with the same number in ``equal`` are in one fold."""
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
    orders : mapping of int to sequence
        The categories of a column in their order.
    """

    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()
    start: frozenset[int] | None = None
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    paired: frozenset[int] = frozenset()
    orders: Mapping[int, Sequence[Any]] = field(default_factory=dict)

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
class SearchOptions:
    """How a subset is searched for a model whose tables are learned once, from counts, each without the others.

    Attributes
    ----------
    rule, model : CodingRule, Model
        How columns become codes, and codes become score tables.
    search : str or None
        None where the weights choose the columns.
    criterion : str
        What a search improves.
    method : str
        "subset", all weights are 1; the name of a weighting; or "boosting".
    choose_by : str or None
        What the best of the subsets visited is chosen by; None for the criterion itself.
    tol : float or None
        The penalty of a column.
    one_se : bool
        Whether the smallest size within one standard error of the best is selected.
    learns_on_path : bool
        Whether the search learns from the training rows of each fold as it goes, so that they must be coded too.
    ties : {"level", "score"}
        Which of two columns that tie comes first: the one of the higher level, or of the better score alone.
    stop : {"size", "k", "gain"}
        "size" is forced unless ``n_features`` is "auto"; "k" ranks columns; "gain" stops before a step without a gain.
    laplace : bool
        See `Scorecard`.
    calibration : str or None
        How scores become calibrated probabilities.
    display_rule : MODL or None
        How finest bins are joined for display.
    random_state : int, RandomState or None
        The seed of random orders.
    """

    rule: CodingRule
    model: Model
    search: str | None
    criterion: str
    method: str = "subset"
    choose_by: str | None = None
    tol: float | None = 0.0
    one_se: bool = False
    learns_on_path: bool = False
    ties: str = "level"
    stop: str = "size"
    laplace: bool = False
    calibration: str | None = None
    display_rule: MODL | None = None
    random_state: int | np.random.RandomState | None = None


@dataclass(frozen=True)
class ScorecardOptions:
    """How a scorecard is trained, whose tables are fitted together.

    Attributes
    ----------
    rule : CodingRule
        How columns become finest bins.
    additive : AdditiveOptions
        How its size, its pairs and its bins are found.
    drawn : bool
        Whether folds are drawn by the values of the rows instead of by the splitter, unless rows come in groups.
    at_random : bool
        Whether folds are drawn by values or by a seed: a number of them was given.
    pairs : tuple of pairs of int, or None
        Columns of the table whose pairs are given.
    rules : mapping of int to ColumnRule
        What training keeps to in columns of the table that are named; the others have the usual rule.
    guide : Guide or None
        The score that the path records, where the target is a number.
    number_losses : tuple of NumberLoss
        What is minimized then: one of these.
    """

    rule: CodingRule
    additive: "AdditiveOptions"
    drawn: bool = True
    at_random: bool = True
    pairs: tuple[tuple[int, int], ...] | None = None
    rules: Mapping[int, ColumnRule] = field(default_factory=dict)
    guide: Guide | None = None
    number_losses: "tuple[NumberLoss, ...]" = ()
    method: ClassVar[str] = "scorecard"
    criterion: ClassVar[str] = "log_loss"

    def rule_of(self, j: int) -> ColumnRule:
        """Return what training keeps to in a column."""
        return self.rules.get(j, _USUAL)


@dataclass(frozen=True)
class TrainingOptions:
    """What is trained, on which rows and columns, what is derived from it, and with which means.

    Attributes
    ----------
    method_options : SearchOptions or ScorecardOptions
        What is trained, and how.
    splitter : Splitter or None
        None scores subsets on the training rows, or on given validation rows.
    columns : ColumnOptions
        What is required of single columns.
    n_features : SizeOption
        How many columns are selected.
    metrics : tuple of str
        Further criteria that are reported along the path.
    threshold, positive : ThresholdRule, int
        How probabilities become a class, and the number of the positive one.
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior than that of the training rows adds to the score of each class.
    max_time : float or None
        Seconds after which training ends.
    checkpoint : path or None
        Where answers are kept, so that training can be resumed.
    backend, n_threads : str, int
        What computes, and on how many threads.
    """

    method_options: SearchOptions | ScorecardOptions
    splitter: Splitter | None
    columns: ColumnOptions = NO_COLUMNS
    n_features: SizeOption = "auto"
    metrics: tuple[str, ...] = ()
    threshold: ThresholdRule = _MOST_PROBABLE
    positive: int = 1
    prior_shift: NDArray[np.int64] | None = None
    max_time: float | None = None
    checkpoint: str | PathLike[str] | None = None
    backend: str = "auto"
    n_threads: int = 1

    def learning(self, model: Model | None, *, with_values: bool = False) -> LearningOptions:
        """Return how columns become bins, and tables if there is a model."""
        columns = self.columns
        return LearningOptions(
            self.method_options.rule,
            model,
            columns.required,
            columns.drop,
            with_values=with_values,
            orders=columns.orders,
            n_threads=self.n_threads,
        )


def refuse_more_folds_than_rows(n_folds: int, largest: int, n_rows: int) -> NoReturn:
    """Raise: no class has a row for each fold."""
    raise ParameterError(
        f"cv={n_folds} folds need a class with that many rows, but the largest of {n_rows} has {largest}; use fewer "
        "or 0."
    )
