"""Alternating search (paper 004's "floating"): whole forward and backward phases in turn while the result improves."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from bayesieve.search.reaching import reach_sizes
from bayesieve.search.stopping import Stopping
from bayesieve.search.walk import Walk

__all__ = ["Alternating"]


@dataclass(frozen=True)
class Alternating:
    """Each phase starts from the best subset of the one before; then the sizes wanted are reached, if they were not."""

    first: Callable[[Walk, Stopping], None]
    second: Callable[[Walk, Stopping], None]

    def __call__(self, walk: Walk, stopping: Stopping) -> None:
        """Alternate until a phase brings neither a better score nor an equal one with fewer columns."""
        free = Stopping(walk.n_locked, walk.n_columns, tol=stopping.tol)
        reached: list[tuple[float, int]] = []
        for phase in cycle((self.first, self.second)):
            phase(walk, free)
            best = walk.best_of_phase(stopping.price)
            walk.return_to(best)
            reached.append(best.worth(stopping.price))
            if len(reached) > 1 and reached[-1] <= reached[-2]:
                break
        reach_sizes(walk, stopping)
