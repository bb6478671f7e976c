"""How a filter selects: by rank, by a forward search, or by best-first search.

Each way gives the same: the chosen columns in order, a score of every column, and a path where there is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import CodingRule
from bayesieve.engine import Engine, Moves, add
from bayesieve.estimators.options.search_options import make_space, make_stopping, read_column_options
from bayesieve.exceptions import ParameterError
from bayesieve.explanations.redundancy import MOST_ROWS
from bayesieve.filters import (
    COLUMN_SCORES,
    SUBSET_FORMULAS,
    CodedTable,
    FilterData,
    SubsetEngine,
    code_table,
    select_by_correlation,
)
from bayesieve.search import SEARCHES, Observer, Phase, SearchRun, SearchState, SelectionPath, Step, run_search

__all__ = ["FILTERS", "FilterOutcome", "Filtering"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FilterOutcome:
    """What a filter found.

    Attributes
    ----------
    chosen : tuple of int
        The selected columns of the table, in order.
    scores : float64 array of shape (n_columns,)
        Larger is better; NaN for columns that did not take part.
    coded : CodedTable
        Columns that have something to tell, and some of their rows at least.
    alone : float64 array of shape (n_columns,)
        Scores without regard to other columns.
    path : SelectionPath or None
        How a subset came about.
    """

    chosen: tuple[int, ...]
    scores: Floats
    coded: CodedTable
    alone: Floats
    path: SelectionPath | None = None

    @property
    def ranking(self) -> NDArray[np.int64]:
        """The rank of each column from 1: the chosen ones if they have a path, then by score, then by position."""
        first = self.chosen if self.path is not None else ()
        rest = np.setdiff1d(np.arange(len(self.scores)), first)
        by_score = np.argsort(-np.nan_to_num(self.scores[rest], nan=-np.inf), kind="stable")
        ranking = np.empty(len(self.scores), dtype=np.int64)
        ranking[[*first, *rest[by_score].tolist()]] = np.arange(1, len(self.scores) + 1)
        return ranking


@dataclass(frozen=True)
class Filtering:
    """A selector's parameters, the rows and the coding rule."""

    estimator: Any
    data: FilterData
    rule: CodingRule
    X: Any

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return self.data.table.names


@dataclass(frozen=True)
class _Guide:
    name: str
    is_loss: bool = False


def by_rank(given: Filtering, watchers: Sequence[Observer]) -> FilterOutcome:
    """Take the columns with the best scores; "auto" takes those that are better than a constant."""
    estimator, score = given.estimator, COLUMN_SCORES[given.estimator.score]
    wishes = read_column_options(estimator, given.names, given.X)
    coded = code_table(given.data, given.rule, wishes.keep, most_rows=MOST_ROWS)
    idle = score.of_constant(given.data)
    if score.of_coded is None:
        parameters = {name: getattr(estimator, name) for name in score.parameters}
        scores = score.compute(given.data, given.rule, **parameters)
    else:
        scores = np.full(len(given.names), idle)
        scores[coded.columns] = score.of_coded(coded)
    if score.is_loss:
        scores, idle = -scores, -idle
    allowed = [j for j in range(len(scores)) if j not in wishes.drop]
    space = make_space(estimator, given.names, allowed, wishes, given.X, full=False)
    stopping = make_stopping(estimator.n_features, 0.0, space)
    order = sorted(allowed, key=lambda j: (j not in wishes.keep, -scores[j], j))
    n_good = sum(j in wishes.keep or scores[j] > idle for j in allowed)
    n_chosen = min(max(n_good, stopping.smallest), stopping.largest)
    chosen = sorted(order[:n_chosen], key=lambda j: (-scores[j], j))
    return FilterOutcome(tuple(chosen), scores, coded, scores)


def by_search(given: Filtering, watchers: Sequence[Observer]) -> FilterOutcome:
    """Add the column with the best score given those chosen; "auto" goes on while that is positive."""
    estimator, names = given.estimator, given.names
    wishes = read_column_options(estimator, names, given.X)
    coded = code_table(given.data, given.rule, wishes.keep, wishes.drop)
    beta, n_threads = estimator.beta, given.data.n_threads
    engine = SubsetEngine(coded.rows, coded.tables, estimator.score, beta=beta, n_threads=n_threads)
    space = make_space(estimator, names, coded.columns.tolist(), wishes, given.X, full=False)
    stopping = make_stopping(estimator.n_features, 0.0, space)
    state = SearchState(engine, space, SearchRun(observers=watchers))
    path = run_search(SEARCHES["forward"], state, stopping, _Guide(estimator.score))
    columns = path.choose(stopping).columns
    place = {name: k for k, name in enumerate(space.names)}
    chosen = [place[name] for name in columns]
    scores, alone = np.full(len(names), np.nan), np.full(len(names), np.nan)
    scores[coded.columns] = _scores(engine, len(space.names), chosen)
    alone[coded.columns] = coded.tables.logs.nats(coded.tables.information)
    return FilterOutcome(tuple(coded.columns[chosen].tolist()), scores, coded, alone, replace(path, order=columns))


def by_correlation(given: Filtering, watchers: Sequence[Observer]) -> FilterOutcome:
    """Take the subset that correlation-based selection finds; it decides the number of columns itself."""
    estimator, names = given.estimator, given.names
    if estimator.n_features != "auto":
        raise ParameterError(
            f"n_features={estimator.n_features!r}: score='cfs' decides how many columns there are; use 'auto'."
        )
    wishes = read_column_options(estimator, names, given.X)
    coded = code_table(given.data, given.rule, wishes.keep, wishes.drop)
    start = np.flatnonzero(np.isin(coded.columns, list(wishes.keep))).tolist()
    found = select_by_correlation(coded.rows, coded.tables, start, given.data.n_threads)
    chosen = coded.columns[list(found.columns)].tolist()
    scores = np.full(len(names), np.nan)
    scores[coded.columns] = found.relevance
    order = tuple(names[j] for j in chosen)
    merits = (0.0, *found.merits)
    steps = tuple(
        Step("add", order[k], merits[k + 1], k + 1, None, None, (order[k],), (merits[k + 1],))
        for k in range(len(start), len(order))
    )
    begin = merits[len(start)]
    phase = Phase("best-first", 0, order[: len(start)], begin, (begin,))
    path = SelectionPath("cfs", False, steps, (phase,), order)
    return FilterOutcome(tuple(chosen), scores, coded, scores, path)


FILTERS = {
    **dict.fromkeys(COLUMN_SCORES, by_rank),
    **dict.fromkeys(SUBSET_FORMULAS, by_search),
    "cfs": by_correlation,
}


def _scores(engine: Engine, n_columns: int, chosen: Sequence[int]) -> Floats:
    """Return each chosen column's score as it entered, and the others' scores now."""
    scores = np.empty(n_columns)
    before = engine.reset({})
    for j in chosen:
        after = engine.apply(add([j]))
        scores[j], before = after - before, after
    others = np.setdiff1d(np.arange(n_columns), chosen)
    moves = Moves.shift(others.astype(np.int32), np.arange(len(others) + 1), 0.0, 1.0)
    scores[others] = engine.score(moves, exact=True) - before
    return scores
