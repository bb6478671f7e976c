# SPDX-License-Identifier: BSD-3-Clause
"""Moves tried one after the other, up to the first acceptable one."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine import Moves

__all__ = ["try_in_turn"]

_LARGEST_BATCH = 64


def try_in_turn(
    score: Callable[[Moves], NDArray[np.float64]], moves: Moves, accepts: Callable[[int, float], bool]
) -> tuple[list[float], bool]:
    """Return the exact scores up to the first move that is accepted, and whether one was.

    ``score`` is asked for batches that double while nothing is accepted: several threads share a batch, and what is
    scored beyond the accepted move is forgotten, so that the answer does not depend on batches.
    """
    scores: list[float] = []
    size = 1
    while len(scores) < len(moves):
        batch = moves.take(np.arange(len(scores), min(len(scores) + size, len(moves))))
        for reached in score(batch).tolist():
            scores.append(reached)
            if accepts(len(scores) - 1, reached):
                return scores, True
        size = min(2 * size, _LARGEST_BATCH)
    return scores, False
