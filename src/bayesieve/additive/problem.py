# SPDX-License-Identifier: BSD-3-Clause
"""What a scorecard is trained on: coded rows, their columns, groups and sizes, and how to train."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import MIN_GAIN
from bayesieve.additive.loss import Loss, loss_of_classes
from bayesieve.additive.number_losses import NumberLoss, Squared
from bayesieve.bins import CodedRows, Partition
from bayesieve.bins.finest_bins import BinValues
from bayesieve.data import RowBlocks
from bayesieve.search import Guide, SearchSpace, Stopping
from bayesieve.search.criteria import Criterion

__all__ = ["AdditiveOptions", "AdditiveProblem", "CodedColumn"]


@dataclass(frozen=True)
class CodedColumn:
    """What is known of a coded column.

    Attributes
    ----------
    partition : Partition
        Its finest bins.
    counts : int64 array of shape (n_bins + 1, n_classes)
        The weight of each class in each bin, *unseen* last.
    values : pair, or None
        What numeric bins stand for, see `find_bin_values`; None for categories.
    direction : int
        1 for points that may not fall with the value, -1 for those that may not rise, 0 for any.
    lead : int
        With more than two classes, the class that has the direction.
    is_neutral : bool
        Whether missing values add what the average row has.
    """

    partition: Partition
    counts: Ints
    values: BinValues | None = None
    direction: int = 0
    lead: int = 0
    is_neutral: bool = False

    @property
    def has_neutral_bin(self) -> bool:
        """Whether there are missing values, and they are neutral."""
        return self.is_neutral and bool(getattr(self.partition, "missing", False))


@dataclass(frozen=True)
class AdditiveOptions:
    """How a scorecard is trained.

    Attributes
    ----------
    n_folds : int
        Number of folds, where these are drawn by the values of the rows.
    most_accurate : bool
        Whether all columns are fitted, instead of the few that are enough.
    min_gain : float
        The share of the best size's improvement over class frequencies that fewer columns are expected to keep.
    merge_cost : float
        The expected cost per row, in nats, at which the merging of bins ends.
    n_pairs : int or None
        The most pairs of columns; None for as many as have evidence.
    backend : str
        "reference" takes the NumPy versions of kernels.
    n_threads : int
        Number of threads.
    """

    n_folds: int = 5
    most_accurate: bool = False
    min_gain: float = MIN_GAIN
    merge_cost: float = 0.0005
    n_pairs: int | None = None
    backend: str = "auto"
    n_threads: int = 1


@dataclass(frozen=True, eq=False)
class AdditiveProblem:
    """Rows to learn from, and the columns among which a scorecard may choose.

    Attributes
    ----------
    rows : CodedRows
        The rows, in the order of their classes.
    columns : sequence of CodedColumn
        What is known of each coded column.
    space : SearchSpace
        Names, groups, and those that must be selected.
    stopping : Stopping
        The sizes that may be selected.
    criterion : Guide or Criterion
        What the path records.
    classes : array of shape (n_classes,)
        The class labels.
    class_mass : int64 array of shape (n_classes,)
        The weight of all rows of each class, in units.
    unit : float
        The unit of weights.
    options : AdditiveOptions
        How to train.
    fold : int array of shape (n_rows,), or None
        The fold of each row; None to draw folds by the values of the rows.
    divides_again : bool
        Whether rows may be divided into further folds, at random; not where folds are given for a reason.
    equal : int array of shape (n_rows,), or None
        A number for each row, the same for equal rows, which are in one fold; None if they need not be.
    pairs : sequence of pairs of int, or None
        Pairs of coded columns that must be taken; None to find them.
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior than that of the rows adds to the score of each class.
    all_rows : RowBlocks of CodedRows, or None
        All rows in blocks, where ``rows`` are a sample of them.
    numbers : float64 array of shape (n_rows,), or None
        The target, where it is a number. The classes of the rows are then groups of neighboring values, which are dealt
        to folds evenly.
    number_losses : tuple of NumberLoss
        What is minimized for a number: the one of them with the smallest squared error out of fold.
    """

    rows: CodedRows
    columns: Sequence[CodedColumn]
    space: SearchSpace
    stopping: Stopping
    criterion: Guide | Criterion
    classes: NDArray[Any]
    class_mass: Ints
    unit: float
    options: AdditiveOptions
    fold: Ints | None = None
    divides_again: bool = True
    equal: Ints | None = None
    pairs: Sequence[tuple[int, int]] | None = None
    prior_shift: Ints | None = None
    all_rows: RowBlocks[CodedRows] | None = None
    numbers: Floats | None = None
    number_losses: tuple[NumberLoss, ...] = (Squared(),)

    @property
    def loss(self) -> Loss:
        """What is minimized."""
        return loss_of_classes(self.rows.n_classes) if self.numbers is None else self.number_losses[0]

    def counted(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return weights by class, the last axis; of rows whose target is a number, of all rows together."""
        return counts if self.numbers is None else counts.sum(axis=-1, keepdims=True)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coded columns."""
        return self.space.names

    @property
    def locked(self) -> frozenset[int]:
        """Columns that must be selected."""
        return frozenset(j for g in self.space.locked for j in self.space.groups[g].columns)
