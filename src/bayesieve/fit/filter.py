# SPDX-License-Identifier: BSD-3-Clause
"""How a filter selects: by rank, by a forward search, or by best-first search.

Each way gives the same: the selected columns in order, a score of every column, and a path where there is one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import CodingRule
from bayesieve.data import LabeledRows
from bayesieve.exceptions import ParameterError
from bayesieve.filters import (
    COLUMN_SCORES,
    SUBSET_FORMULAS,
    CodedTable,
    SubsetEngine,
    code_table,
    copy_sample,
    select_by_correlation,
)
from bayesieve.fit.memory_learning import MOST_SAMPLED
from bayesieve.fit.options import NO_COLUMNS, ColumnOptions, SizeOption
from bayesieve.fit.task import make_space, make_stopping
from bayesieve.search import SEARCHES, Guide, Observer, Phase, SearchRun, SearchState, SelectionPath, Step, run_search
from bayesieve.search.engine import Moves

__all__ = ["FILTERS", "FilterOptions", "FilterOutcome", "FilterTask"]


@dataclass(frozen=True)
class FilterOptions:
    """A method by name, the number of columns, what is required of single ones, and the parameters of methods."""

    method: str
    n_features: SizeOption = "auto"
    columns: ColumnOptions = NO_COLUMNS
    parameters: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class FilterOutcome:
    """What a filter selected.

    Attributes
    ----------
    selected : tuple of int
        Positions of the selected columns, in order.
    scores : float64 array of shape (n_columns,)
        Larger is better; NaN for columns that did not take part.
    code : callable
        Returns the informative columns as a `CodedTable`, some of their rows at least; for the reasons.
    alone : float64 array of shape (n_columns,)
        Scores without regard to other columns.
    path : SelectionPath or None
        How a subset came about.
    """

    selected: tuple[int, ...]
    scores: Floats
    code: Callable[[], CodedTable]
    alone: Floats
    path: SelectionPath | None = None

    @property
    def ranking(self) -> NDArray[np.int64]:
        """The rank of each column from 1: the selected ones if they have a path, then by score, then by position."""
        first = self.selected if self.path is not None else ()
        rest = np.setdiff1d(np.arange(len(self.scores)), first)
        by_score = np.argsort(-np.nan_to_num(self.scores[rest], nan=-np.inf), kind="stable")
        ranking = np.empty(len(self.scores), dtype=np.int64)
        ranking[[*first, *rest[by_score].tolist()]] = np.arange(1, len(self.scores) + 1)
        return ranking


@dataclass(frozen=True)
class FilterTask:
    """The rows, how they are coded, the options, and the number of threads."""

    rows: LabeledRows
    rule: CodingRule
    options: FilterOptions
    n_threads: int = 1

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return self.rows.names


def by_rank(task: FilterTask, observers: Sequence[Observer]) -> FilterOutcome:
    """Take the columns with the best scores; "auto" takes those that are better than a constant."""
    options = task.options
    columns = task.options.columns
    score = COLUMN_SCORES[task.options.method]
    idle = score.of_constant(task.rows)
    if score.of_coded is None:
        parameters = {name: options.parameters[name] for name in score.parameters}
        scores = score.compute(task.rows, task.rule, task.n_threads, **parameters)
        # Its bins serve the reasons only, so they are learned for these, from a copy of few rows.
        code = partial(
            code_table, copy_sample(task.rows, MOST_SAMPLED), task.rule, columns.keep, n_threads=task.n_threads
        )
    else:
        coded = code_table(task.rows, task.rule, columns.keep, most_rows=MOST_SAMPLED, n_threads=task.n_threads)
        scores = np.full(len(task.names), idle)
        scores[coded.columns] = score.of_coded(coded, task.rule)
        code = partial(_as_it_is, coded)
    if score.is_loss:
        scores = -scores
        idle = -idle
    allowed = [j for j in range(len(scores)) if j not in columns.drop]
    stopping = make_stopping(options.n_features, 0.0, make_space(columns, task.names, allowed, full=False))
    order = sorted(allowed, key=lambda j: (j not in columns.keep, -scores[j], j))
    n_good = sum(j in columns.keep or scores[j] > idle for j in allowed)
    n_selected = min(max(n_good, stopping.smallest), stopping.largest)
    selected = sorted(order[:n_selected], key=lambda j: (-scores[j], j))
    return FilterOutcome(tuple(selected), scores, code, scores)


def by_search(task: FilterTask, observers: Sequence[Observer]) -> FilterOutcome:
    """Add the column with the best score given those selected; "auto" goes on while that is positive."""
    options = task.options
    names = task.names
    columns = task.options.columns
    coded = code_table(task.rows, task.rule, columns.keep, columns.drop, n_threads=task.n_threads)
    beta = options.parameters["beta"]
    assert beta is not None
    engine = SubsetEngine(coded.rows, coded.tables, options.method, beta=beta, n_threads=task.n_threads)
    space = make_space(columns, names, coded.columns.tolist(), full=False)
    stopping = make_stopping(options.n_features, 0.0, space)
    state = SearchState(engine, space, SearchRun(observers=observers))
    path = run_search(SEARCHES["forward"], state, stopping, Guide(options.method))
    order = path.choose(stopping).columns
    place = {name: k for k, name in enumerate(space.names)}
    selected = [place[name] for name in order]
    scores = np.full(len(names), np.nan)
    alone = np.full(len(names), np.nan)
    scores[coded.columns] = _scores(engine, len(space.names), selected)
    alone[coded.columns] = coded.tables.logs.nats(coded.tables.information)
    path = replace(path, order=order)
    return FilterOutcome(tuple(coded.columns[selected].tolist()), scores, partial(_as_it_is, coded), alone, path)


def by_correlation(task: FilterTask, observers: Sequence[Observer]) -> FilterOutcome:
    """Take the subset of the best merit by correlation-based selection, which decides the number of columns itself."""
    options = task.options
    names = task.names
    columns = task.options.columns
    if options.n_features != "auto":
        raise ParameterError(
            f"n_features={options.n_features!r}: method='cfs' determines the number of columns itself; use 'auto'."
        )
    coded = code_table(task.rows, task.rule, columns.keep, columns.drop, n_threads=task.n_threads)
    start = np.flatnonzero(np.isin(coded.columns, list(columns.keep))).tolist()
    subset = select_by_correlation(coded.rows, coded.tables, start, task.n_threads)
    selected = coded.columns[list(subset.columns)].tolist()
    scores = np.full(len(names), np.nan)
    scores[coded.columns] = subset.relevance
    order = tuple(names[j] for j in selected)
    merits = (0.0, *subset.merits)
    steps = tuple(
        Step("add", order[k], merits[k + 1], k + 1, None, None, (order[k],), (merits[k + 1],))
        for k in range(len(start), len(order))
    )
    begin = merits[len(start)]
    phase = Phase("best-first", 0, order[: len(start)], begin, (begin,))
    path = SelectionPath("cfs", False, steps, (phase,), order)
    return FilterOutcome(tuple(selected), scores, partial(_as_it_is, coded), scores, path)


FILTERS = {
    **dict.fromkeys(COLUMN_SCORES, by_rank),
    **dict.fromkeys(SUBSET_FORMULAS, by_search),
    "cfs": by_correlation,
}


def _as_it_is(coded: CodedTable) -> CodedTable:
    return coded


def _scores(engine: SubsetEngine, n_columns: int, selected: Sequence[int]) -> Floats:
    """Return each selected column's score as it entered, and the others' scores now."""
    if engine.selected != tuple(selected):  # the search went on beyond its best subset
        engine.reset(dict.fromkeys(selected, 1.0))
    scores = np.empty(n_columns)
    scores[list(selected)] = np.diff(engine.totals)
    others = np.setdiff1d(np.arange(n_columns), selected)
    moves = Moves.shift(others.astype(np.int32), np.arange(len(others) + 1), 0.0, 1.0)
    scores[others] = engine.score(moves, exact=True) - engine.totals[-1]
    return scores
