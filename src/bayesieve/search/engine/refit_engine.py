# SPDX-License-Identifier: BSD-3-Clause
"""An engine that refits a model for each subset: for models that are not a sum of tables.

What is refitted, and on which rows, is not known here: a function scores subsets on all folds, many at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from bayesieve._typing import Floats
from bayesieve.search.engine.moves import Move

__all__ = ["RefitEngine", "ScoreSubsets"]


ScoreSubsets = Callable[[Sequence[tuple[int, ...]]], Sequence[Floats]]
"""Gives, for each subset of columns, its scores by metric and fold, shape (n_metrics, n_folds)."""


class RefitEngine:
    """Scores subsets by the mean of the first metric over the folds; each subset is refitted once.

    Parameters
    ----------
    score_subsets : callable
        Refits and scores subsets, whose columns are in increasing order.
    batch_size : int, default=64
        The most subsets that are scored at a time.
    between_batches : callable, default=None
        Called before each batch of a ``score``; may raise to end the search.
    """

    def __init__(
        self, score_subsets: ScoreSubsets, batch_size: int = 64, between_batches: Callable[[], None] | None = None
    ) -> None:
        self._score_subsets = score_subsets
        self._batch_size = batch_size
        self._between_batches = between_batches or (lambda: None)
        self._scores: dict[frozenset[int], Floats] = {}
        self._present: frozenset[int] = frozenset()

    @property
    def segment_scores(self) -> list[float]:
        """Scores on the folds, as of the last ``reset``, ``apply`` or ``restore``."""
        scores: list[float] = self._scores[self._present][0].tolist()
        return scores

    @property
    def n_refits(self) -> int:
        """Number of subsets that were scored so far."""
        return len(self._scores)

    def reset(self, weights: Mapping[int, float]) -> float:
        """Select the columns whose weights are not 0; return their score."""
        self._present = frozenset(column for column, weight in weights.items() if weight)
        self._refit([self._present])
        return self._mean(self._present)

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each move, without making it; all are exact."""
        subsets = [self._after(move) for move in moves]
        fresh = [subset for subset in dict.fromkeys(subsets) if subset not in self._scores]
        for begin in range(0, len(fresh), self._batch_size):
            self._between_batches()
            self._refit(fresh[begin : begin + self._batch_size])
        return np.array([self._mean(subset) for subset in subsets])

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        self._present = self._after(move)
        self._refit([self._present])
        return self._mean(self._present)

    def snapshot(self) -> frozenset[int]:
        """Return a token of the present state."""
        return self._present

    def restore(self, token: frozenset[int]) -> None:
        """Return exactly to the state of a token."""
        self._present = token

    def metrics(self, columns: Iterable[int]) -> Floats | None:
        """Return the scores of a subset by metric and fold; None if it was never scored."""
        return self._scores.get(frozenset(columns))

    def _after(self, move: Move) -> frozenset[int]:
        added = {change.column for change in move if change.after}
        removed = {change.column for change in move if not change.after}
        return (self._present | added) - removed

    def _refit(self, subsets: Iterable[frozenset[int]]) -> None:
        fresh = [subset for subset in subsets if subset not in self._scores]
        if fresh:
            scores = self._score_subsets([tuple(sorted(subset)) for subset in fresh])
            self._scores.update(zip(fresh, scores, strict=True))

    def _mean(self, subset: frozenset[int]) -> float:
        return float(self._scores[subset][0].mean())
