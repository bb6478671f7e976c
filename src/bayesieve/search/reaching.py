"""How a search that went where it liked reaches the sizes wanted."""

from bayesieve.search.backward import backward
from bayesieve.search.forward import forward
from bayesieve.search.stopping import Stopping
from bayesieve.search.walk import Walk

__all__ = ["reach_sizes"]


def reach_sizes(walk: Walk, stopping: Stopping) -> None:
    """Go on, one best move after the other, from a subset that is too small or too large."""
    if walk.size < stopping.smallest:
        forward(walk, stopping)
    elif walk.size > stopping.largest:
        backward(walk, stopping)
