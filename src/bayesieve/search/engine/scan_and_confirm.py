# SPDX-License-Identifier: BSD-3-Clause
"""The contest of moves: a fast scan of all of them, and exact scores of those that could be best.

The scan works in float32 and comes with a proven bound of its error. Every move whose upper bound reaches the second
best lower bound is measured again in exact integers, as the reference engine measures it. So the best two scores, their
order and all ties are those of the reference engine; the other scores are within the bound, and below.

`MemoryEngine` does so on the compiled core, with all rows in this process; in other engines the rows are in blocks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine.moves import Columns, Move, Moves, Starts
from bayesieve.search.engine.scorer import Scorer, Words, integers_of
from bayesieve.search.engine.segments import Segment, segment_arrays

__all__ = ["MemoryEngine", "RowRanks", "RowScores", "ScanEngine", "compiled_rows", "has_kernels"]

# A second scan costs as much as measuring this many moves.
_FEW = 4
_MODELS = frozenset({"evidence", "votes"})
_KERNELS = frozenset({"error", "error_probability", "brier", "log_loss", "smoothed_log_loss", "pairs", "refinement"})


class RowScores(Protocol):
    """All rows of all segments, and their state: in this process, or elsewhere."""

    @property
    def can_estimate(self) -> bool:
        """Whether scores can be estimated before they are measured."""
        ...

    def apply(self, columns: Columns, before: Floats, after: Floats, from_nothing: bool) -> None:
        """Change the weights of some columns, from the present ones or from a state without columns."""
        ...

    def measure_state(self) -> Words:
        """Return the measures of each segment."""
        ...

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures of each segment after each move."""
        ...

    def estimate(self, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
        """Return the score after each move of one column, and a bound of its error."""
        ...

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        ...

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        ...


class RowRanks(RowScores, Protocol):
    """Rows whose ranks are computed."""

    def rank_tables(
        self, columns: Columns, before: Floats, after: Floats, starts: Starts
    ) -> list[list[tuple[Ints, Ints]]]:
        """Return distinct keys and weights after each move, of each segment and ranked class; no key without weight."""
        ...

    def key_ranges(self) -> Ints:
        """Return the smallest and largest key in each segment, and about how many keys there are, of each ranked class.

        The shape is (n_segments, n_ranked, 3). Of no rows the first is larger than the second.
        """
        ...

    def histograms(
        self,
        columns: Columns,
        before: Floats,
        after: Floats,
        starts: Starts,
        buckets: Ints,
        n_buckets: int,
    ) -> Ints:
        """Return the weight of the rest and of each ranked class in buckets of its keys, after each move of one column.

        The shape is (n, n_segments, n_ranked, 2, n_buckets + 1): the last number is the most that rows weigh which may
        belong into the bucket after theirs, where a kernel saves time in this way. ``buckets``, of the shape
        (n, n_segments, n_ranked, 2), holds the lowest key, and the number of bits of a bucket.
        """
        ...


class ScanEngine:
    """Scores moves by the measures of rows, wherever these are."""

    def __init__(self, rows: RowScores, criterion: Criterion, scorer: Scorer) -> None:
        self._rows = rows
        self._efforts = criterion.efforts
        self._scorer = scorer
        self.segment_scores = self._scorer.segment_scores(integers_of(rows.measure_state()))

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        columns = np.array(list(weights), dtype=np.int32)
        after = np.array(list(weights.values()), dtype=np.float64)
        return self._shift(columns, np.zeros(len(after)), after, from_nothing=True)

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        columns = np.array([change.column for change in move], dtype=np.int32)
        before = np.array([change.before for change in move], dtype=np.float64)
        after = np.array([change.after for change in move], dtype=np.float64)
        return self._shift(columns, before, after, from_nothing=False)

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each move, without making it."""
        batch = Moves.of(moves)
        if exact or not self._rows.can_estimate:
            return self._measure(batch)
        if batch.are_single:
            return self._contest(batch, np.empty(0))
        scores = np.empty(len(batch))
        single = batch.widths == 1
        scores[~single] = self._measure(batch.take(np.flatnonzero(~single)))
        scores[single] = self._contest(batch.take(np.flatnonzero(single)), scores[~single])
        return scores

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._rows.snapshot(), self.segment_scores

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        state, self.segment_scores = token
        self._rows.restore(state)

    def _contest(self, batch: Moves, exact: Floats) -> Floats:
        """Return the scores of moves of one column each, given others that have exact scores."""
        scores = np.empty(len(batch))
        contenders = np.arange(len(batch))
        left = batch
        for effort in range(self._efforts):
            if len(contenders) <= (_FEW if effort > 0 else 0):
                break
            middle, radius = self._rows.estimate(*left.arrays, effort=effort).T
            # Rows estimate the slopes of a score only; exact scores have its constant too.
            constant = self._scorer.constant
            radius = radius + (np.abs(middle) + abs(constant)) * 2.0**-51  # what adding it up may lose
            middle = middle + constant
            scores[contenders] = middle
            reached = np.flatnonzero(_may_be_best(middle, radius, exact))
            contenders = contenders[reached]
            left = left.take(reached)
        scores[contenders] = self._measure(left)
        return scores

    def _shift(self, columns: Columns, before: Floats, after: Floats, *, from_nothing: bool) -> float:
        self._rows.apply(columns, before, after, from_nothing)
        measures = integers_of(self._rows.measure_state())
        self.segment_scores = self._scorer.segment_scores(measures)
        return self._scorer.mean(measures)

    def _measure(self, batch: Moves) -> Floats:
        if not len(batch):
            return np.empty(0)
        return self._scorer.means(self._rows.measure_moves(*batch.arrays))


def _may_be_best(middle: Floats, radius: Floats, exact: Floats) -> NDArray[np.bool_]:
    """Return which moves could be the best or the second best, given others that have exact scores."""
    lowest = np.concatenate([middle - radius, exact])
    if len(lowest) <= 2:
        return np.ones(len(middle), dtype=bool)
    threshold = np.partition(lowest, -2)[-2]
    reached: NDArray[np.bool_] = middle + radius >= threshold
    return reached


class MemoryEngine(ScanEngine):
    """Keeps rows sorted by class, evidence in fixed point, and beliefs as float32 ratios.

    Codes of rows that come sorted are not copied; they must not change.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion, n_threads: int = 1) -> None:
        scorer = Scorer(criterion, [segment.mass for segment in segments])
        super().__init__(compiled_rows(segments, model, criterion, scorer.slopes, n_threads), criterion, scorer)


def has_kernels(model: Model, criterion: Criterion) -> bool:
    """Return whether there is a compiled core, with kernels for a model and a criterion."""
    return core is not None and model.kernel in _MODELS and criterion.kernel in _KERNELS


def compiled_rows(
    segments: Sequence[Segment], model: Model, criterion: Criterion, slopes: Sequence[Sequence[float]], n_threads: int
) -> RowRanks:
    """Return rows in the compiled core; ``slopes`` are those of the scores in each segment's measures."""
    assert core is not None
    parts = tuple(segment_arrays(segment, each) for segment, each in zip(segments, slopes, strict=True))
    arguments = model.kernel_arguments(segments[0].codes.n_columns)
    return core.Engine(model.kernel, arguments, criterion.kernel, criterion.kernel_argument, parts, n_threads)
