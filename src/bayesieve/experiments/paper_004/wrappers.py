"""Wrapper searches on half B: complete phases, and phases in turn for as long as the choice improves."""

from collections.abc import Callable
from dataclasses import replace

from bayesieve.engine import Engine
from bayesieve.experiments.paper_004.problem import Problem
from bayesieve.experiments.paper_004.trace import Trace, judge
from bayesieve.search import SEARCHES, SearchState, Stopping

__all__ = ["Wrapper"]

_OTHER = {"forward": "backward", "backward": "forward"}


class Wrapper:
    """Searches by one criterion; a phase that two searches share is run once."""

    def __init__(self, problem: Problem, criterion: str) -> None:
        self._problem, self._criterion = problem, criterion
        self._engine: Engine = problem.engine(criterion)
        self._known: dict[tuple[str, frozenset[int]], Trace] = {}

    def run(self, search: str) -> list[Trace]:
        """Return the phases of a search; the last one holds the choice."""
        everything = tuple(range(self._problem.n_columns))
        first, *second = search.split("-")
        traces = [self._phase(first, everything if SEARCHES[first].starts_full else ())]
        return self._alternate(first, traces) if second else traces

    def _alternate(self, direction: str, traces: list[Trace]) -> list[Trace]:
        """Go on from the chosen subset, the other way, while (errors on half B, size) decreases."""
        kept = traces[-1].choose()
        while True:
            direction = _OTHER[direction]
            trace = self._phase(direction, kept.columns)
            # A phase begins with the subset kept, so its choice is never worse.
            found = trace.choose()
            traces.append(trace)
            if found.worth >= kept.worth:
                return traces
            kept = found

    def _phase(self, direction: str, start: tuple[int, ...]) -> Trace:
        key = direction, frozenset(start)
        if key not in self._known:
            self._known[key] = self._search(direction, start)
        return self._known[key]

    def _search(self, direction: str, start: tuple[int, ...]) -> Trace:
        """Go through all sizes, whatever the criterion says on the way.

        Floating search ends when no column pays: beyond the best size it would drop more and more of what it adds.
        """
        problem = self._problem
        price = 0.0 if direction == "floating" else None
        state = SearchState(self._engine, replace(problem.space, start=start))
        procedure: Callable[[SearchState, Stopping], None] = SEARCHES[direction].procedure
        procedure(state, Stopping(0, problem.n_columns, tol=price))
        place = {name: j for j, name in enumerate(problem.names)}
        steps = state.run.steps
        return judge(problem, start, [(place[step.column], 1 if step.action == "add" else -1) for step in steps])
