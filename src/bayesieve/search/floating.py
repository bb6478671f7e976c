"""Sequential floating forward selection (Pudil, Novovicova and Kittler, 1994).

After each addition, columns are dropped for as long as that gives the best subset of its size seen so far.
"""

from math import inf

from bayesieve.search.stopping import Stopping
from bayesieve.search.walk import Walk

__all__ = ["floating"]


def floating(walk: Walk, stopping: Stopping) -> None:
    """Add the best unit, then drop while a smaller subset beats all earlier ones of its size."""
    walk.open_phase("floating")
    best_of_size = {walk.size: walk.score}
    while addition := walk.best_addition(stopping.largest - walk.size):
        if not stopping.allows_addition(addition.score - walk.score, walk.width(addition), walk.size):
            break
        walk.take(addition)
        best_of_size[walk.size] = max(walk.score, best_of_size.get(walk.size, -inf))
        # Each drop raises the best score of a size, of which there are finitely many: the loop ends.
        while removal := walk.best_removal(walk.size - walk.n_locked):
            if removal.score <= best_of_size.get(walk.size - walk.width(removal), -inf):
                break
            walk.take(removal)
            best_of_size[walk.size] = walk.score
