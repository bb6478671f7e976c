# SPDX-License-Identifier: BSD-3-Clause
"""Stacked fits of columns and pairs, and the gradient sums of all of them over a block of rows.

Scores are multiples of 2^-40 and derivatives are rounded row by row, so that sums over blocks of rows add up to those
of all rows, to the last bit. A block makes its rows for each question and keeps nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.fit import CyclicFit, FitState, start_fit
from bayesieve.additive.loss import LOGISTIC, Loss
from bayesieve.additive.priors import ShapeBasis, ShapePriors
from bayesieve.additive.rows import AdditiveRows
from bayesieve.bins import CodedRows
from bayesieve.exact import nearest_fixed

__all__ = [
    "BlockLayout",
    "BlockSums",
    "PairCells",
    "StackedFits",
    "add_sums",
    "block_sums",
    "cell_counts",
    "split_sums",
]

_NO_PRIORS: Final = ShapePriors((1.0,), (), (1.0,))
_MOST_LOSS: Final = 64.0  # of a row: larger ones are cut off
_NOTHING: Final = np.empty(0)


def loss_unit(bits: int) -> float:
    """Return the unit of the loss: sums have as many bits as those of gradients."""
    return 2.0**-bits * _MOST_LOSS


class BlockSums(NamedTuple):
    """Integer sums over rows: of gradients of each fit and of their sum, shape (n_entries, 2), and the loss."""

    gradients: Ints
    loss: int


def add_sums(a: BlockSums, b: BlockSums) -> BlockSums:
    """Return the sums of the rows of both."""
    return BlockSums(a.gradients + b.gradients, a.loss + b.loss)


@dataclass(frozen=True)
class PairCells:
    """Two columns of rows, the pair bin of each of their bins, and the numbers of pair bins."""

    columns: tuple[int, int]
    bins: tuple[Ints, Ints]
    shape: tuple[int, int]

    def of_rows(self, rows: AdditiveRows) -> Ints:
        """Return the cell of each row."""
        a, b = (bins.astype(np.uint16)[rows.codes[k]] for k, bins in zip(self.columns, self.bins, strict=True))
        return np.asarray(a * np.uint16(self.shape[1]) + b)


@dataclass(frozen=True)
class BlockLayout:
    """How coded rows become rows to learn from.

    Attributes
    ----------
    columns : tuple of int
        The coded columns.
    places : tuple of arrays
        The bin of these rows that each bin of the column's partition is.
    pairs : tuple of PairCells
        Pairs of these columns.
    unit : float
        The unit of integer weights.
    bits : int
        Of gradients after the point.
    loss : Loss
        What is minimized.
    """

    columns: tuple[int, ...]
    places: tuple[NDArray[np.uint16], ...]
    pairs: tuple[PairCells, ...]
    unit: float
    bits: int
    loss: Loss = LOGISTIC

    @property
    def loss_unit(self) -> float:
        """The unit of the loss."""
        return loss_unit(self.bits)

    def rows(self, coded: CodedRows) -> AdditiveRows:
        """Return coded rows in these bins; they have no bases."""
        codes = []
        for j, place in zip(self.columns, self.places, strict=True):
            own = coded.codes.column(j)
            narrow = place.astype(own.dtype)
            codes.append(own if (place == np.arange(len(place))).all() else narrow[own])
        sizes = [len(place) for place in self.places]
        target, weights = coded.target.astype(np.float64), (coded.weights * self.unit).astype(np.float64)
        return _plain_rows(codes, sizes, target, weights, self.loss, self.bits)


@dataclass(frozen=True)
class StackedFits:
    """A weighted sum of fits, each of which has the tables of pairs, too.

    Attributes
    ----------
    priors : tuple of (ShapePriors, float)
        Of each fit, with the prior probability that a column has no effect.
    states : tuple of FitState
        Where each fit is.
    weights : array of shape (n_fits,)
        Of the tables of each fit.
    tables : tuple of arrays of shape (n_cells, n_scores)
        Scores per cell of each pair, in multiples of 2^-40.
    intercept : array of shape (n_scores,)
        Of the sum.
    """

    priors: tuple[tuple[ShapePriors, float], ...]
    states: tuple[FitState, ...]
    weights: Floats
    tables: tuple[Floats, ...]
    intercept: Floats

    def offset(self, rows: AdditiveRows, cells: Sequence[Ints]) -> Floats:
        """Return what pairs add to each row."""
        added = np.zeros((rows.n_rows, rows.loss.n_scores))
        for table, own in zip(self.tables, cells, strict=True):
            added += table[own]
        return added

    def fits(self, rows: AdditiveRows, offset: Floats, backend: str) -> Iterator[CyclicFit]:
        """Return the fits on some rows, one by one: only one of them takes memory."""
        for (priors, no_effect), state in zip(self.priors, self.states, strict=True):
            fit = start_fit(rows, priors, None, no_effect=no_effect, backend=backend, start=state)
            if self.tables:
                fit.shift(offset)
            yield fit

    def sums(self, rows: AdditiveRows, cells: Sequence[Ints], backend: str) -> tuple[BlockSums, Floats]:
        """Return the gradient sums of each fit, those of the sum per cell of pairs and over all rows, and its log loss.

        The second result is the sum for each row without its intercept.
        """
        if backend != "reference" and core is None:
            warn_if_missing()
        if rows.loss.n_scores == 1 and backend != "reference" and core is not None:
            return self._stacked_sums(rows, cells)
        return self.sums_of_fits(rows, cells, backend)

    def _stacked_sums(self, rows: AdditiveRows, cells: Sequence[Ints]) -> tuple[BlockSums, Floats]:
        """Return the same of one score per row: all fits in one pass over the rows."""
        fits = []
        for (_, no_effect), state, weight in zip(self.priors, self.states, self.weights.tolist(), strict=True):
            variances = state.variances if rows.loss.is_moderated(no_effect) else _NOTHING
            fits.append((float(nearest_fixed(state.intercept)[0]), weight, state.tables, variances))
        by_pair = np.array(cells, dtype=np.uint16).reshape(len(cells), rows.n_rows)
        gradients, total, loss = core.stacked_sums(
            rows.loss.name,
            rows.arrays,
            rows.unit,
            tuple(fits),
            by_pair,
            tuple(table.ravel() for table in self.tables),
            float(nearest_fixed(self.intercept)[0]),
        )
        return BlockSums(gradients, loss), total.reshape(rows.n_rows, 1)

    def sums_of_fits(self, rows: AdditiveRows, cells: Sequence[Ints], backend: str) -> tuple[BlockSums, Floats]:
        """Return the same, fit by fit: the specification, and what several scores per row have."""
        offset = self.offset(rows, cells)
        parts, total = [], offset
        for weight, fit in zip(self.weights.tolist(), self.fits(rows, offset, backend), strict=True):
            parts.append(fit.sums())
            total = total + weight * (fit.scores - fit.intercept - offset)
        total = nearest_fixed(total)
        parts.append(self.joint_fit(rows, cells, total, backend).sums())
        losses = np.minimum(rows.loss.losses(total + self.intercept, rows.target), _MOST_LOSS)
        loss = int(np.rint(losses * (rows.weights / loss_unit(rows.bits))).astype(np.int64).sum())
        return BlockSums(np.concatenate(parts), loss), total

    def joint_fit(self, rows: AdditiveRows, cells: Sequence[Ints], scores: Floats, backend: str) -> CyclicFit:
        """Return a fit whose columns are cells of pairs, at the sum's intercept and given scores of rows."""
        n_cells = [len(table) for table in self.tables]
        own = _plain_rows(cells, n_cells, rows.target, rows.weights, rows.loss, rows.bits)
        nothing = np.zeros(sum(n_cells) * rows.loss.n_scores)
        state = FitState(self.intercept, nothing, np.empty(0), ())
        fit = start_fit(own, _NO_PRIORS, None, backend=backend, start=state)
        fit.shift(scores)
        return fit


def block_sums(coded: CodedRows, layout: BlockLayout, model: StackedFits, backend: str) -> BlockSums:
    """Return the sums of the rows of a block."""
    rows = layout.rows(coded)
    if not rows.n_rows:
        n_scores = rows.loss.n_scores
        n_entries = [state.tables.size + n_scores for state in model.states]
        n_all = sum(n_entries) + sum(table.size for table in model.tables) + n_scores
        return BlockSums(np.zeros((n_all, 2), dtype=np.int64, order="F"), 0)
    sums, _ = model.sums(rows, [pair.of_rows(rows) for pair in layout.pairs], backend)
    return BlockSums(np.asfortranarray(sums.gradients), sums.loss)


def cell_counts(coded: CodedRows, layout: BlockLayout) -> list[Ints]:
    """Return the weight of each class in each cell of pairs, of the rows of a block."""
    rows, counts = layout.rows(coded), []
    for pair in layout.pairs:
        own = np.zeros((pair.shape[0] * pair.shape[1], coded.n_classes), dtype=np.int64)
        np.add.at(own, (pair.of_rows(rows), coded.target), coded.weights)
        counts.append(own.reshape(*pair.shape, -1))
    return counts


def split_sums(sums: Ints, model: StackedFits) -> list[Ints]:
    """Return the sums of each fit, and last those of their sum."""
    n_scores = len(model.intercept)
    return np.split(sums, np.cumsum([state.tables.size + n_scores for state in model.states]))


def _plain_rows(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], target: Floats, weights: Floats, loss: Loss, bits: int
) -> AdditiveRows:
    """Return rows of columns without bases, for sums alone."""
    bases = []
    for size in sizes:
        nothing = np.zeros(size)
        bases.append(ShapeBasis(nothing, nothing, nothing, nothing, nominal=False))
    none = np.zeros(len(sizes), dtype=np.int8)
    ends = np.array([len(target)], dtype=np.int64)
    return AdditiveRows(codes, bases, none.astype(bool), none, target, weights, ends, loss=loss, given_bits=bits)
