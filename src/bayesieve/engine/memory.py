"""The engine on the compiled core: a fast scan of all moves, and exact scores of those that could be best.

The scan works in float32 and comes with a proven bound of its error. Every move whose upper bound reaches the second
best lower bound is measured again in exact integers, as the reference engine measures it. So the best two scores, their
order and all ties are those of the reference engine; the other scores are within the bound, and below.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve.criteria import Criterion, Measure
from bayesieve.engine.base import Segment
from bayesieve.engine.moves import Move, Moves
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Model

__all__ = ["MemoryEngine", "integers_of", "segment_arrays"]


class MemoryEngine:
    """Keeps rows sorted by class, evidence in fixed point, and beliefs as float32 ratios.

    Codes of rows that come sorted are not copied; they must not change.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion, n_threads: int = 1) -> None:
        self._efforts = criterion.efforts
        self._scorer = Scorer(criterion, [segment.mass for segment in segments])
        parts = (segment_arrays(segment, slopes) for segment, slopes in zip(segments, self._scorer.slopes, strict=True))
        arguments = model.kernel_arguments(segments[0].codes.n_columns)
        self._core = core.Engine(
            model.kernel, arguments, criterion.kernel, criterion.kernel_argument, tuple(parts), n_threads
        )
        self.segment_scores = self._scorer.segment_scores(integers_of(self._core.measure_state()))

    @staticmethod
    def supports(model: Model, criterion: Criterion) -> bool:
        """Tell whether the compiled core has the kernels for a model and a criterion."""
        return core is not None and model.kernel in _MODELS and criterion.kernel in _KERNELS

    def reset(self, weights: Mapping[int, float]) -> float:
        """Believe what this weight vector says; return its score."""
        columns, after = np.array(list(weights), dtype=np.int32), np.array(list(weights.values()), dtype=np.float64)
        return self._shift(columns, np.zeros(len(after)), after, from_nothing=True)

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        columns = np.array([change.column for change in move], dtype=np.int32)
        before = np.array([change.before for change in move], dtype=np.float64)
        after = np.array([change.after for change in move], dtype=np.float64)
        return self._shift(columns, before, after, from_nothing=False)

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it."""
        batch = Moves.of(moves)
        if exact or not self._core.can_estimate:
            return self._measure(batch)
        if batch.are_single:
            return self._contest(batch, np.empty(0))
        scores, single = np.empty(len(batch)), batch.widths == 1
        scores[~single] = self._measure(batch.take(np.flatnonzero(~single)))
        scores[single] = self._contest(batch.take(np.flatnonzero(single)), scores[~single])
        return scores

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._core.snapshot(), self.segment_scores

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        evidence, self.segment_scores = token
        self._core.restore(evidence)

    def _contest(self, batch: Moves, known: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of moves of one column each, beside others whose scores are known."""
        scores = np.empty(len(batch))
        contenders, left = np.arange(len(batch)), batch
        for effort in range(self._efforts):
            if effort > 0 and len(contenders) <= _FEW:
                break
            middle, radius = self._core.estimate(*left.arrays, effort=effort).T
            scores[contenders] = middle
            reached = np.flatnonzero(_may_be_best(middle, radius, known))
            contenders, left = contenders[reached], left.take(reached)
        scores[contenders] = self._measure(left)
        return scores

    def _shift(
        self, columns: NDArray[np.int32], before: NDArray[np.float64], after: NDArray[np.float64], *, from_nothing: bool
    ) -> float:
        self._core.apply(columns, before, after, from_nothing)
        measures = integers_of(self._core.measure_state())
        self.segment_scores = self._scorer.segment_scores(measures)
        return self._scorer.mean(measures)

    def _measure(self, batch: Moves) -> NDArray[np.float64]:
        words = self._core.measure_moves(*batch.arrays)
        words = words.reshape(len(words), words.shape[1] * words.shape[2], 2)
        low, high = words[:, :, 0].tolist(), words[:, :, 1]
        wide = low if not high.any() else [[*map(_wide, *pair)] for pair in zip(low, high.tolist(), strict=True)]
        measures = [*map(tuple, wide)]
        # Contenders are often ties: each measure is turned into a score once.
        scores = {measure: self._scorer.mean_of_flat(measure) for measure in set(measures)}
        return np.array([scores[measure] for measure in measures], dtype=np.float64)


def integers_of(words: NDArray[np.uint64]) -> list[Measure]:
    """Read 128-bit measures, (low, high) words, of each segment."""
    return [tuple(_wide(low, high) for low, high in segment) for segment in words.tolist()]


def _wide(low: int, high: int) -> int:
    return low + (high << 64)


# To look again costs as much as to measure so many moves.
_FEW = 4

_MODELS = frozenset({"evidence", "votes"})
_KERNELS = frozenset({"error", "error_probability", "brier", "log_loss", "smoothed_log_loss", "pairs", "refinement"})


def _may_be_best(
    middle: NDArray[np.float64], radius: NDArray[np.float64], known: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which moves could be the best or the second best, beside others whose scores are known."""
    lowest = np.concatenate([middle - radius, known])
    if len(lowest) <= 2:
        return np.ones(len(middle), dtype=bool)
    threshold = np.partition(lowest, -2)[-2]
    reached: NDArray[np.bool_] = middle + radius >= threshold
    return reached


def segment_arrays(segment: Segment, slopes: Sequence[float]) -> tuple[NDArray[Any], ...]:
    """Return a segment in the order that the compiled core expects."""
    codes, tables = segment.codes, segment.tables
    coded: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, *codes.sparse.arrays, codes.place)
    learnt = (tables.offsets, np.ascontiguousarray(tables.entries), tables.start)
    return (*coded, *learnt, segment.target, segment.weights, np.array(slopes, dtype=np.float64))
