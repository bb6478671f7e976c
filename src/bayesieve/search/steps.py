"""The tie rule, in one place.

Candidates come in the estimator's order. Of equally good additions the first wins, of equally good removals the last.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_two"]


def best_two(scores: NDArray[np.float64], *, last: bool) -> tuple[int, int | None]:
    """Return the positions of the best score and of the runner-up (None if there is one candidate only)."""
    places = np.arange(len(scores))
    ranked = np.lexsort((-places if last else places, -scores))
    return int(ranked[0]), int(ranked[1]) if len(ranked) > 1 else None
