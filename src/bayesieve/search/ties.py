# SPDX-License-Identifier: BSD-3-Clause
"""The tie rule, in one place.

Candidates come in the estimator's order. Of equally good additions the first wins, of equally good removals the last.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_two"]


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
