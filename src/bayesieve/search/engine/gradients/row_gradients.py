# SPDX-License-Identifier: BSD-3-Clause
"""Gradients of rows in one place: a state, changes of score tables, and sums per bin; compiled, or in NumPy.

The state of a row is start + sum over columns of what the column's code contributes: a multiple of its own score table,
or another table. All are integers: states, and what is computed from them, do not depend on the order of changes or on
the number of threads. The NumPy twins add in the plainest way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.bins import Codes
from bayesieve.models import Evidence
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine.gradients.losses import LogLikelihood, Loss
from bayesieve.search.engine.gradients.newton import channels_of
from bayesieve.search.engine.reference import words_of
from bayesieve.search.engine.scorer import Words
from bayesieve.search.engine.segments import Segment, segment_arrays

__all__ = [
    "CompiledGradients",
    "Contribution",
    "GradientHistogram",
    "NativeGradientHistogram",
    "NumpyGradients",
    "ReferenceGradientHistogram",
    "RowGradients",
    "RowState",
    "make_gradient_histogram",
    "make_row_gradients",
    "move_rows",
]

Columns = NDArray[np.int32] | NDArray[np.int64]
Contribution = float | Ints  # a weight of the column's own table, or a table (of rows in one segment); 0.0: none
_MOST_CHANGES: Final = 4  # beyond, a state is made from its start


class GradientHistogram(Protocol):
    """Adds gradients up by code."""

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return for each code of some columns, one column after the other, the sum of its rows' gradients.

        ``gradients`` has the shape (n_rows, n_gradients) and the result (n_codes, n_gradients), with *unseen* the last
        code of each column.
        """
        ...


class ReferenceGradientHistogram:
    """The specification of the compiled sums, and their stand-in."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return the sum of the gradients of each code of some columns."""
        sizes = self._codes.n_bins[columns] + 1
        begins = np.cumsum(sizes) - sizes
        sums = np.zeros((int(sizes.sum()), gradients.shape[1]), dtype=np.int64)
        for begin, j in zip(begins.tolist(), columns.tolist(), strict=True):
            np.add.at(sums, begin + self._codes.column(j).astype(np.intp), gradients)
        return sums


class NativeGradientHistogram:
    """On the compiled core; codes are not copied and must not change."""

    def __init__(self, codes: Codes, n_threads: int = 1) -> None:
        arrays: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, codes.place, codes.n_bins + 1)
        self._core = core.GradientHistogram((*arrays, *codes.sparse.arrays), n_threads)

    def sums(self, columns: Ints, gradients: Ints) -> Ints:
        """Return the sum of the gradients of each code of some columns."""
        return self._core.sums(columns, gradients)


def make_gradient_histogram(codes: Codes, backend: str = "auto", n_threads: int = 1) -> GradientHistogram:
    """Return the sums that a backend names; without the compiled core, the reference."""
    if backend != "reference":
        if core is not None:
            return NativeGradientHistogram(codes, n_threads)
        warn_if_missing()
    return ReferenceGradientHistogram(codes)


class RowState(NamedTuple):
    """A start, and the contributions of columns."""

    start: Ints
    contributions: Mapping[int, Contribution]

    def changed(self, column: int, contribution: Contribution) -> "RowState":
        """Return the state after a move: a column contributes something else."""
        contributions = {**self.contributions, column: contribution}
        if isinstance(contribution, float) and contribution == 0.0:
            del contributions[column]
        return RowState(self.start, contributions)

    def moves_to(self, other: "RowState") -> list[tuple[int, Contribution, Contribution]]:
        """Return the columns that contribute something else in another state, with both contributions."""
        here = self.contributions
        there = other.contributions
        gone = [(j, before, 0.0) for j, before in here.items() if j not in there]
        new = [(j, here.get(j, 0.0), after) for j, after in there.items() if not _same(here.get(j, 0.0), after)]
        return [*gone, *new]


class RowGradients(Protocol):
    """All rows of some segments, in one place, and their state."""

    def reset(self, state: RowState) -> None:
        """Go to a state from anywhere."""
        ...

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        ...

    def shift(self, column: int, before: Contribution, after: Contribution) -> None:
        """Change the contribution of a column."""
        ...

    def top(self) -> int:
        """Return the number that gradients are relative to, of these rows."""
        ...

    def sums(self, columns: Columns, top: int) -> Ints:
        """Return the gradient sums per column, segment and code, shape (n_codes, n_channels, 2)."""
        ...

    def totals(self, top: int) -> Ints:
        """Return the gradient sums over all rows, shape (n_channels, 2)."""
        ...

    def products(self, columns: Columns, factors: Floats) -> Ints:
        """Return minus the second derivatives of the log-likelihood in the start and in the weights of columns.

        The shape is (n_channels + n_columns, n_channels + n_columns). Scores x of columns are multiplied by their
        factors, after which they are at most 1 in size; those of the start are 1, or 1 in one class and 0 in others.
        With h the second derivative of a row, and p the probabilities of its classes, in steps of a gradient, these are
        sums over rows of products of integers:

            two classes:     s_j s_k,                        s = rint(sqrt(h) x)
            more classes:    sum over classes of s_j s_k,    s = rint(sqrt(p) (x - sum p x / sum p))

        So the matrix has no negative eigenvalue, and its entries are below 2^53.
        """
        ...

    def losses(self) -> Words:
        """Return -log of the true class's probability, summed per segment and class, in multiples of 2^-40."""
        ...


class NumpyGradients:
    """Rows with any loss, in NumPy; the histograms may be compiled."""

    def __init__(self, loss: Loss, backend: str, n_threads: int, segments: Sequence[Segment]) -> None:
        self._loss = loss
        self.segments = segments
        self._histograms = [make_gradient_histogram(segment.codes, backend, n_threads) for segment in segments]
        self._states: list[Ints] = []
        self._computed: list[Ints] | None = None

    def reset(self, state: RowState) -> None:
        """Go to a state from anywhere."""
        self._states = [self._loss.begin(state.start, segment.codes.n_rows) for segment in self.segments]
        for j, contribution in state.contributions.items():
            self.shift(j, 0.0, contribution)
        self._computed = None

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        self._states = [state + change[:, None] for state in self._states]
        self._computed = None

    def shift(self, column: int, before: Contribution, after: Contribution) -> None:
        """Change the contribution of a column."""
        for s, segment in enumerate(self.segments):
            table = segment.tables.column(column)
            change = np.asarray(_entries(table, after) - _entries(table, before))
            self._states[s] = self._states[s] + change.T[..., segment.codes.column(column)]
        self._computed = None

    @property
    def states(self) -> list[Ints]:
        """The states of the rows of each segment; never changed in place."""
        return list(self._states)

    def top(self) -> int:
        """Return the number that gradients are relative to, of these rows."""
        return max(
            self._loss.top(state, segment.target, segment.weights)
            for state, segment in zip(self._states, self.segments, strict=True)
        )

    def sums(self, columns: Columns, top: int) -> Ints:
        """Return the gradient sums per column, segment and code."""
        gradients = self._gradients(top)
        n_channels = gradients[0].shape[1]
        wide = columns.astype(np.int64)
        sums = [
            histogram.sums(wide, each.reshape(len(each), 2 * n_channels)).reshape(-1, n_channels, 2)
            for histogram, each in zip(self._histograms, gradients, strict=True)
        ]
        if len(sums) == 1 or not len(columns):
            return sums[0]
        ends = [np.cumsum(segment.codes.n_bins[wide] + 1)[:-1] for segment in self.segments]
        per_column = zip(*(np.split(each, end) for each, end in zip(sums, ends, strict=True)), strict=True)
        return np.concatenate([each for of_column in per_column for each in of_column])

    def totals(self, top: int) -> Ints:
        """Return the gradient sums over all rows."""
        totals: Ints = np.sum([each.sum(axis=0) for each in self._gradients(top)], axis=0)
        return totals

    def products(self, columns: Columns, factors: Floats) -> Ints:
        """Return minus the second derivatives; float64 holds their sums exactly, in any order."""
        gradients = self._gradients(0)
        n = gradients[0].shape[1] + len(columns)
        sums = np.zeros((n, n))
        for segment, of_rows in zip(self.segments, gradients, strict=True):
            scores = [
                (factor * channels_of(segment.tables.column(j)))[segment.codes.column(j)]
                for j, factor in zip(columns.tolist(), factors, strict=True)
            ]
            for rounded in self._rounded_scores(segment, of_rows, scores):
                sums += rounded @ rounded.T
        return sums.astype(np.int64)

    def _rounded_scores(self, segment: Segment, gradients: Ints, scores: Sequence[Floats]) -> Iterator[Floats]:
        """Yield the integers whose products are added up: one array (n_channels + n_columns, n_rows) per channel."""
        n_rows, n_channels = gradients.shape[:2]
        if n_channels == 1:
            root = np.sqrt(gradients[:, 0, 1].astype(np.float64))
            yield np.rint(np.stack([root, *(root * x[:, 0] for x in scores)]))
            return
        assert isinstance(self._loss, LogLikelihood)
        weighted, p = self._loss.probabilities(gradients, segment.target, segment.weights)
        starts = [np.tile(each, (n_rows, 1)) for each in np.eye(n_channels)]
        centered = []
        for x in (*starts, *scores):
            mean = np.zeros(n_rows)
            for c in range(n_channels):
                mean = mean + p[:, c] * x[:, c]
            centered.append(x - mean[:, None])
        for c in range(n_channels):
            root = np.sqrt(weighted[:, c])
            yield np.rint(np.stack([root * x[:, c] for x in centered]))

    def losses(self) -> Words:
        """Return the log loss per segment and class."""
        measures = [
            CRITERIA["log_loss"].measure(Evidence(state), segment.target, segment.weights, segment.n_classes)
            for state, segment in zip(self._states, self.segments, strict=True)
        ]
        words: Words = words_of([measures])[0]
        return words

    def _gradients(self, top: int) -> list[Ints]:
        if self._computed is None:
            self._computed = [
                self._loss.gradients(state, segment.target, segment.weights, top)
                for state, segment in zip(self._states, self.segments, strict=True)
            ]
        return self._computed


class CompiledGradients:
    """The log-likelihood on the compiled core, where contributions are weights."""

    def __init__(self, loss: LogLikelihood, n_threads: int, segments: Sequence[Segment]) -> None:
        assert core is not None
        parts = tuple(segment_arrays(segment, [0.0] * segment.n_classes) for segment in segments)
        self._core = core.WeightGradients(parts, loss.unit, n_threads, loss.total)
        self._n_columns = segments[0].n_columns

    def reset(self, state: RowState) -> None:
        """Go to a state from anywhere."""
        weights = np.zeros(self._n_columns)
        for j, weight in state.contributions.items():
            weights[j] = weight
        self._core.reset(state.start, weights)

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        self._core.shift_start(change)

    def shift(self, column: int, before: Contribution, after: Contribution) -> None:
        """Change the weight of a column."""
        self._core.shift(column, float(before), float(after))

    def top(self) -> int:
        """Return 0."""
        return 0

    def sums(self, columns: Columns, top: int) -> Ints:
        """Return the gradient sums per column, segment and code."""
        return self._core.sums(columns.astype(np.int32))

    def totals(self, top: int) -> Ints:
        """Return the gradient sums over all rows."""
        return self._core.totals()

    def products(self, columns: Columns, factors: Floats) -> Ints:
        """Return minus the second derivatives."""
        return self._core.products(columns.astype(np.int32), factors)

    def losses(self) -> Words:
        """Return the log loss per segment and class."""
        return self._core.losses()


def make_row_gradients(loss: Loss, backend: str, n_threads: int, segments: Sequence[Segment]) -> RowGradients:
    """Return rows where they are: compiled, if the core has the loss."""
    if backend != "reference" and core is not None and isinstance(loss, LogLikelihood):
        return CompiledGradients(loss, n_threads, segments)
    return NumpyGradients(loss, backend, n_threads, segments)


def move_rows(rows: RowGradients, present: RowState | None, state: RowState) -> None:
    """Take rows from one state (None: unknown) to another."""
    moves = [] if present is None else present.moves_to(state)
    if present is None or len(moves) > _MOST_CHANGES:
        rows.reset(state)
        return
    for move in moves:
        rows.shift(*move)
    if (present.start != state.start).any():
        rows.shift_start(state.start - present.start)


def _entries(table: Ints, contribution: Contribution) -> Ints | int:
    """Return what each code contributes."""
    if not isinstance(contribution, float):
        return contribution
    return np.rint(contribution * table).astype(np.int64) if contribution != 0.0 else 0


def _same(a: Contribution, b: Contribution) -> bool:
    """Return whether two contributions are equal; equal ones are usually one object."""
    return a is b or (type(a) is type(b) and np.array_equal(a, b))
