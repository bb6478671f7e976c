"""Forward search: add the best column while that pays."""

from bayesieve.search.ground import Ground
from bayesieve.search.stopping import Stopping
from bayesieve.search.walk import Walk

__all__ = ["forward", "forward_steps"]


def forward(walk: Walk, stopping: Stopping) -> None:
    """Add the best unit until the stopping rule says no or nothing is left."""
    walk.open_phase("forward")
    while best := walk.best_addition(stopping.largest - walk.size):
        if not stopping.allows_addition(best.score - walk.score, walk.width(best), walk.size):
            break
        walk.take(best)


def forward_steps(ground: Ground, stopping: Stopping) -> int:
    """Return the number of steps to the largest size (at most, if columns move in groups)."""
    return max(0, min(stopping.largest - ground.start_size, len(ground.units) - len(ground.start)))
