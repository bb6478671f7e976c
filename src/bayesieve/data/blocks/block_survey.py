# SPDX-License-Identifier: BSD-3-Clause
"""Rows in blocks: one look at target and weights of all blocks finds classes, sizes and the unit of the weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data.blocks.raw_blocks import RawBlock, RawBlocks
from bayesieve.data.blocks.row_blocks import RowBlocks
from bayesieve.data.labeled_rows import (
    Target,
    Weights,
    add_by_class,
    check_classes,
    check_weights,
    encode_target,
    read_labels,
    unit_shift,
    weigh,
)
from bayesieve.data.table import Table, read_table
from bayesieve.exceptions import DataError

__all__ = ["LabeledBlock", "Survey", "SurveyedBlocks"]


@dataclass(frozen=True)
class Survey:
    """Target and weights of a block, or of several, in summary.

    Attributes
    ----------
    n_rows : tuple of int
        Number of rows per block.
    classes : array
        Distinct labels, in increasing order unless they are renumbered.
    sizes : tuple of arrays
        Number of rows of positive weight with each label, per block.
    firsts : array
        The first row of positive weight with each label, counted from the first block; far away if there is none.
    largest : float
        The largest weight.
    integral : bool
        Whether all weights are whole numbers.
    """

    n_rows: tuple[int, ...]
    classes: NDArray[Any]
    sizes: tuple[Ints, ...]
    firsts: Ints
    largest: float
    integral: bool


@dataclass(frozen=True)
class LabeledBlock:
    """A block of rows with the classes and the unit of all; ``first`` is the position of its first row among all."""

    table: Table | None
    target: Target
    weights: Weights
    first: int

    @property
    def mass(self) -> Ints:
        """Weight of each class."""
        return add_by_class(self.target.codes, self.weights.units, self.target.n_classes)


@dataclass(frozen=True)
class SurveyedBlocks:
    """A table in blocks of rows, its classes and weights.

    ``rows`` and ``targets`` have the same blocks, the latter without a table. ``head`` has some first rows, ``example``
    is the user's table without rows.
    """

    rows: RowBlocks[LabeledBlock]
    targets: RowBlocks[LabeledBlock]
    head: Table
    example: Any
    survey: Survey
    unit: float
    class_mass: Ints

    @classmethod
    def read(cls, raw: RawBlocks) -> Self:
        """Look at the target and the weights of all blocks, and at the first rows of one."""
        survey = raw.targets.reduce(_survey, _merge_surveys)
        if not sum(survey.n_rows):
            raise DataError("Found array with 0 sample(s): no block has a row, while a minimum of 1 is required.")
        if not survey.largest > 0:
            raise DataError("sample_weight is zero for every row; at least one weight must be positive.")
        check_classes(survey.classes, np.sum(survey.sizes, axis=0))
        shift = unit_shift(survey.largest, survey.integral)
        firsts = np.append(0, np.cumsum(survey.n_rows)).tolist()[:-1]
        head = raw.rows.ask(int(np.flatnonzero(survey.n_rows)[0]), _head)
        rows = raw.rows.zip(firsts).map(_read, survey.classes, shift, head.names)
        targets = raw.targets.zip(firsts).map(_read, survey.classes, shift, head.names)
        mass = targets.reduce(_mass, np.add)
        return cls(rows, targets, head, raw.example, survey, float(np.ldexp(1.0, -shift)), mass)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.head.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.survey.n_rows)

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels, in the order of their numbers."""
        return self.survey.classes

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        """The number of each class, in increasing order of the labels."""
        return np.argsort(self.classes, kind="stable")

    def renumbered(self, order: NDArray[np.intp]) -> Self:
        """Return the same with the classes in another order, given as present numbers."""
        survey = self.survey
        return replace(
            self,
            rows=self.rows.map(_renumber, order),
            targets=self.targets.map(_renumber, order),
            survey=replace(
                survey,
                classes=survey.classes[order],
                sizes=tuple(each[order] for each in survey.sizes),
                firsts=survey.firsts[order],
            ),
            class_mass=self.class_mass[order],
        )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.survey.classes)

    @property
    def class_sizes(self) -> Ints:
        """Number of rows of positive weight in each class."""
        sizes: Ints = np.sum(self.survey.sizes, axis=0)
        return sizes


def _survey(raw: RawBlock) -> Survey:
    labels = read_labels(raw.y, len(raw.y))
    weights = np.ones(len(labels)) if raw.weights is None else check_weights(raw.weights, len(labels))
    classes, codes = np.unique(labels, return_inverse=True)
    there = weights > 0
    sizes = np.bincount(codes.ravel()[there], minlength=len(classes))
    firsts = np.full(len(classes), _NEVER)
    np.minimum.at(firsts, codes.ravel()[there], np.flatnonzero(there))
    integral = bool((weights == np.rint(weights)).all())
    return Survey((len(labels),), classes, (sizes,), firsts, float(weights.max(initial=0.0)), integral)


_NEVER = np.int64(2**62)


def _merge_surveys(a: Survey, b: Survey) -> Survey:
    classes = _union_of_labels(a.classes, b.classes)
    places = [np.searchsorted(classes, each.classes) for each in (a, b)]
    firsts = np.full(len(classes), _NEVER)
    for each, place, before in zip((a, b), places, (0, sum(a.n_rows)), strict=True):
        shifted = np.where(each.firsts == _NEVER, _NEVER, each.firsts + before)
        firsts[place] = np.minimum(firsts[place], shifted)
    sizes = tuple(
        _spread(size, place, len(classes)) for each, place in zip((a, b), places, strict=True) for size in each.sizes
    )
    return Survey(a.n_rows + b.n_rows, classes, sizes, firsts, max(a.largest, b.largest), a.integral and b.integral)


def _union_of_labels(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    if not len(a) or not len(b):
        return b if not len(a) else a
    if (a.dtype.kind in "SU") != (b.dtype.kind in "SU"):
        raise DataError("The target mixes labels of different types in different blocks; use strings or numbers.")
    return np.union1d(a, b)


def _spread(sizes: Ints, place: NDArray[np.intp], n_classes: int) -> Ints:
    spread = np.zeros(n_classes, dtype=np.int64)
    spread[place] = sizes
    return spread


def _head(raw: RawBlock) -> Table:
    """Return the first rows of a block."""
    few = raw.X[:_FEW] if isinstance(raw.X, np.ndarray) or not hasattr(raw.X, "head") else raw.X.head(_FEW)
    table = read_table(few)
    columns = [table.get(j) for j in range(table.n_columns)]
    return Table(table.names, table.n_rows, partial(_some, columns))


def _some(columns: list[Any], places: Sequence[int]) -> list[Any]:
    return [columns[j] for j in places]


_FEW = 20


def _read(pair: tuple[RawBlock, int], classes: NDArray[Any], shift: int, names: Sequence[str]) -> LabeledBlock:
    raw, first = pair
    n_rows = len(raw.y)
    weights = np.ones(n_rows) if raw.weights is None else check_weights(raw.weights, n_rows)
    table = None if raw.X is None or not n_rows else _open(raw.X, names)
    if table is not None and table.n_rows != n_rows:
        raise DataError(f"A block has {n_rows} rows in the target and {table.n_rows} in the table.")
    target = encode_target(raw.y, n_rows, classes) if n_rows else Target(classes, np.empty(0, dtype=np.int32))
    return LabeledBlock(table, target, weigh(weights, shift), first)


def _open(X: Any, names: Sequence[str]) -> Table:
    table = read_table(X)
    if table.names != list(names):
        other = next(iter({*table.names} ^ {*names}), table.names[0])
        raise DataError(f"Blocks of rows have different columns: {other!r} is not at its place in all of them.")
    return table


def _renumber(rows: LabeledBlock, order: NDArray[np.intp]) -> LabeledBlock:
    return replace(rows, target=rows.target.renumbered(order))


def _mass(rows: LabeledBlock) -> Ints:
    return rows.mass
