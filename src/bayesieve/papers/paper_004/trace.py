# SPDX-License-Identifier: BSD-3-Clause
"""Visited subsets of a search, with their numbers of errors on half B and on the test rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesieve.papers.paper_004.problem import Problem
from bayesieve.search.engine import Change

__all__ = ["Choice", "Trace", "count_errors", "curve"]


@dataclass(frozen=True, order=True)
class Choice:
    """A subset, ordered by errors on half B, then by number of columns, then by its place in the search."""

    wrong_b: int
    size: int
    place: int
    wrong_test: int
    columns: tuple[int, ...]

    @property
    def loss(self) -> tuple[int, int]:
        """Errors on half B and size, which a further phase must lower."""
        return self.wrong_b, self.size


@dataclass(frozen=True)
class Trace:
    """A start, and one column per step that is added (+) or removed (-); errors at the start and after each step."""

    start: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    wrong_b: tuple[int, ...]
    wrong_test: tuple[int, ...]

    def choose(self) -> Choice:
        """Return the smallest of the subsets with the lowest error on half B."""
        place = min(range(len(self.sizes)), key=lambda i: (self.wrong_b[i], self.sizes[i]))
        inside = dict.fromkeys(self.start)
        for column, sign in self.moves[:place]:
            if sign > 0:
                inside[column] = None
            else:
                del inside[column]
        return Choice(self.wrong_b[place], self.sizes[place], place, self.wrong_test[place], tuple(inside))


def count_errors(problem: Problem, start: Sequence[int], moves: Sequence[tuple[int, int]]) -> Trace:
    """Repeat the moves of a search and count errors.

    The class with the largest score is predicted, the first on ties.
    """
    engine, sizes = problem.error_engine, [len(start)]
    n_rows = [len(problem.validation.target), len(problem.test.target)]
    engine.reset(dict.fromkeys(start, 1.0))
    scores = [tuple(engine.segment_scores)]
    for column, sign in moves:
        engine.apply((Change(column, (1.0 - sign) / 2, (1.0 + sign) / 2),))
        sizes.append(sizes[-1] + sign)
        scores.append(tuple(engine.segment_scores))
    wrong = np.rint(-np.array(scores) * n_rows).astype(int)
    return Trace(tuple(start), tuple(moves), tuple(sizes), tuple(wrong[:, 0].tolist()), tuple(wrong[:, 1].tolist()))


def curve(traces: Sequence[Trace], n_columns: int) -> list[int | None]:
    """Return the test errors per size, of the visited subset with the fewest errors on half B."""
    best: dict[int, tuple[int, int]] = {}
    for trace in traces:
        for size, wrong_b, wrong_test in zip(trace.sizes, trace.wrong_b, trace.wrong_test, strict=True):
            if size not in best or wrong_b < best[size][0]:
                best[size] = (wrong_b, wrong_test)
    return [best[size][1] if size in best else None for size in range(n_columns + 1)]
