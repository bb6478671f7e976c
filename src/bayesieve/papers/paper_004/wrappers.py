# SPDX-License-Identifier: BSD-3-Clause
"""Searches guided by a criterion on one half of the training set; the subset of lowest error on half B is chosen.

The paper does not describe which half guides the search. Half B does in the table, as it chooses, too; half A, on which
naive Bayes is fitted, is the other reading.
"""

from collections.abc import Sequence
from itertools import cycle, pairwise
from typing import Final

from bayesieve.estimators import NaiveBayesSelector
from bayesieve.papers.paper_004.problem import Problem
from bayesieve.papers.paper_004.trace import Choice, Trace, count_errors
from bayesieve.search import SelectionPath

__all__ = ["Wrapper", "paper_selector", "run_guided_by_training"]

# The first phase of the second search is the whole of the first.
_BEGINS: Final = {"forward": "forward-backward", "backward": "backward-forward"}


def paper_selector(search: str, criterion: str, n_jobs: int = 1) -> NaiveBayesSelector:
    """Return the method of the paper: complete phases, and in each the smallest subset of the lowest error.

    Floating search stops when no column improves: beyond the best size it would remove most columns it adds.
    """
    tol = 0.0 if search == "floating" else None
    return NaiveBayesSelector(search, criterion, choose_by="error", tol=tol, discretizer=None, n_jobs=n_jobs)


class Wrapper:
    """Searches by one criterion on half B; a phase that two searches share is run once."""

    def __init__(self, problem: Problem, criterion: str) -> None:
        self._problem, self._criterion = problem, criterion
        self._traces: dict[str, list[Trace]] = {}
        self._tied: dict[str, float] = {}

    def tied_share(self, search: str) -> float:
        """Return the share of the moves of the first phase for which another column had the same score."""
        return self._tied[_BEGINS.get(search, search)]

    def run(self, search: str) -> list[Trace]:
        """Return the phases of a search; the last one holds the choice."""
        if search in _BEGINS:
            return self.run(_BEGINS[search])[:1]
        if search not in self._traces:
            train, validation = self._problem.train, self._problem.validation
            selector = paper_selector(search, self._criterion, self._problem.n_threads)
            selector.fit(train.indicators, train.target, X_val=validation.indicators, y_val=validation.target)
            place = {name: j for j, name in enumerate(selector.column_names_)}
            self._traces[search] = _traces(self._problem, selector.path_, place)
            moves = selector.path_.steps[: len(self._traces[search][0].moves)]
            tied = [each.runner_up_score == each.score for each in moves if each.runner_up is not None]
            self._tied[search] = sum(tied) / max(len(tied), 1)
        return self._traces[search]


def run_guided_by_training(problem: Problem, search: str, criterion: str) -> list[Trace]:
    """Return the phases of a search whose moves are scored on half A; half B ends each phase, as in the table.

    A search of two directions alternates while its choice has fewer errors on half B, or as many with fewer columns.
    """
    directions = search.split("-")
    traces: list[Trace] = []
    best: Choice | None = None
    start: Sequence[int] = range(problem.n_columns) if directions[0] == "backward" else ()
    for direction in cycle(directions):
        trace = _phase(problem, direction, criterion, start)
        choice = trace.choose()
        traces.append(trace)
        if len(directions) == 1 or (best is not None and choice.loss >= best.loss):
            return traces
        best, start = choice, choice.columns
    raise AssertionError("a search has a direction")


def _phase(problem: Problem, direction: str, criterion: str, start: Sequence[int]) -> Trace:
    """Add or remove columns until all are in, or none is; naive Bayes and its scores are those of half A."""
    selector = NaiveBayesSelector(
        direction, criterion, cv=0, tol=None, discretizer=None, start_from=list(start), n_jobs=problem.n_threads
    ).fit(problem.train.indicators, problem.train.target)
    place = {name: j for j, name in enumerate(selector.column_names_)}
    moves = [(place[step.column], 1 if step.action == "add" else -1) for step in selector.path_.steps]
    return count_errors(problem, list(start), moves)


def _traces(problem: Problem, path: SelectionPath, place: dict[str, int]) -> list[Trace]:
    """Return the phases of a path, with the errors on half B and on the test rows."""
    ends = [*(phase.first_step for phase in path.phases), len(path.steps)]
    traces = []
    for phase, (first, last) in zip(path.phases, pairwise(ends), strict=True):
        moves = [(place[step.column], 1 if step.action == "add" else -1) for step in path.steps[first:last]]
        traces.append(count_errors(problem, [place[name] for name in phase.columns], moves))
    return traces
