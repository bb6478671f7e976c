# SPDX-License-Identifier: BSD-3-Clause
"""Searches guided by a criterion on half B, of whose subsets the one of the lowest error there is chosen."""

from itertools import pairwise
from typing import Final

from bayesieve.estimators import NaiveBayesSelector
from bayesieve.papers.paper_004.problem import Problem
from bayesieve.papers.paper_004.trace import Trace, count_errors
from bayesieve.search import SelectionPath

__all__ = ["Wrapper", "paper_selector"]

# The first phase of the second search is the whole of the first.
_BEGINS: Final = {"forward": "forward-backward", "backward": "backward-forward"}


def paper_selector(search: str, criterion: str, n_jobs: int = 1) -> NaiveBayesSelector:
    """Return the method of the paper: complete phases, and in each the smallest subset of the lowest error.

    Floating search stops when no column improves: beyond the best size it would remove most columns it adds.
    """
    tol = 0.0 if search == "floating" else None
    return NaiveBayesSelector(search, criterion, choose_by="error", tol=tol, discretizer=None, n_jobs=n_jobs)


class Wrapper:
    """Searches by one criterion; a phase that two searches share is run once."""

    def __init__(self, problem: Problem, criterion: str) -> None:
        self._problem, self._criterion = problem, criterion
        self._traces: dict[str, list[Trace]] = {}

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
        return self._traces[search]


def _traces(problem: Problem, path: SelectionPath, place: dict[str, int]) -> list[Trace]:
    """Return the phases of a path, with the errors on half B and on the test rows."""
    ends = [*(phase.first_step for phase in path.phases), len(path.steps)]
    traces = []
    for phase, (first, last) in zip(path.phases, pairwise(ends), strict=True):
        moves = [(place[step.column], 1 if step.action == "add" else -1) for step in path.steps[first:last]]
        traces.append(count_errors(problem, [place[name] for name in phase.columns], moves))
    return traces
