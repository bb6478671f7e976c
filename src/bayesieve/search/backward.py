"""Backward search: drop the column that is missed least while that does no harm."""

from bayesieve.search.ground import Ground
from bayesieve.search.stopping import Stopping
from bayesieve.search.walk import Walk

__all__ = ["backward", "backward_steps"]


def backward(walk: Walk, stopping: Stopping) -> None:
    """Drop the least missed unit until the stopping rule says no or nothing is left to drop."""
    walk.open_phase("backward")
    while best := walk.best_removal(walk.size - stopping.smallest):
        if not stopping.allows_removal(best.score - walk.score, walk.width(best), walk.size):
            break
        walk.take(best)


def backward_steps(ground: Ground, stopping: Stopping) -> int:
    """Return the number of steps to the smallest size (at most, if columns move in groups)."""
    return max(0, min(ground.start_size - stopping.smallest, len(ground.start) - len(ground.locked)))
