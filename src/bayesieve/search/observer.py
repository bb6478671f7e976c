# SPDX-License-Identifier: BSD-3-Clause
"""Observers of a search: progress, averaging."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine import Move
from bayesieve.search.path import Phase, Step

__all__ = ["Observer"]


class Observer:
    """Sees every new batch of scores and every step, replayed ones included; by default nothing is done with them."""

    def on_scores(self, subset: Sequence[int], moves: Sequence[Move], scores: NDArray[np.float64]) -> None:
        """See the scores of a batch of moves from a subset of columns; ``subset`` is in entry order."""

    def on_trials(self, subset: Sequence[int], moves: Sequence[Move], scores: Sequence[float]) -> None:
        """See moves whose scores are exact, replayed ones included: the best two of a batch, or those tried in turn."""

    def on_phase(self, phase: Phase) -> None:
        """See a phase begin."""

    def on_step(self, step: Step, n_steps: int) -> None:
        """See a step that was made; may raise StopSearch."""
