# SPDX-License-Identifier: BSD-3-Clause
"""Which of several candidate moves is made: the best one, or the first acceptable one in some order.

The tie rule is here, in one place. Candidates come in the estimator's order. Of equally good additions the first wins,
of equally good removals the last.
"""

from collections.abc import Callable, Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine import Moves

__all__ = ["best_two", "random_orders", "try_in_turn"]

_LARGEST_BATCH = 64


def best_two(scores: NDArray[np.float64], *, last: bool) -> tuple[int, int | None]:
    """Return the positions of the best score and of the runner-up (None if there is one candidate only)."""
    best = _best(scores, last)
    if len(scores) < 2:
        return best, None
    others = scores.copy()
    others[best] = -np.inf
    second = _best(others, last)
    return best, second


def _best(scores: NDArray[np.float64], last: bool) -> int:
    return len(scores) - 1 - int(np.argmax(scores[::-1])) if last else int(np.argmax(scores))


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


def random_orders(n: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield random orders of n things, without end.

    Python promises the numbers that a seed gives, and neither it nor NumPy promises what becomes of them in a shuffle.
    """
    random = Random(seed)
    while True:
        yield np.argsort(np.array([random.random() for _ in range(n)]), kind="stable")
