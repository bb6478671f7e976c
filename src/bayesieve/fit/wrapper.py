# SPDX-License-Identifier: BSD-3-Clause
"""The search for a subset that is judged by refitted models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.fit.options import ColumnOptions, SizeOption
from bayesieve.fit.solve import add_scores
from bayesieve.fit.task import make_space, make_stopping, read_seed
from bayesieve.search import (
    SEARCHES,
    Checkpoint,
    Guide,
    Observer,
    Search,
    SearchRun,
    SearchSpace,
    SearchState,
    SelectionPath,
    Stopping,
    fingerprint,
    run_search,
)
from bayesieve.search.engine import RefitEngine, ScoreSubsets
from bayesieve.search.path import Gains

__all__ = ["WrapperOptions", "WrapperOutcome", "WrapperTask", "prepare_wrapper", "solve_wrapper"]


@dataclass(frozen=True)
class WrapperOptions:
    """How a subset is searched, and when the search ends.

    Attributes
    ----------
    search : str
        Name of the search.
    metrics : tuple of str
        Names of the metrics; the first one guides the search.
    is_loss : bool
        Whether the natural value of the first metric is the negated score.
    columns : ColumnOptions
        What is required of single columns.
    mark : str
        All that decides the scores, for the fingerprint of a checkpoint.
    """

    search: str
    metrics: tuple[str, ...]
    is_loss: bool
    columns: ColumnOptions
    n_features: SizeOption = "auto"
    tol: float | None = 0.0
    one_se: bool = False
    beam_width: int = 5
    max_time: float | None = None
    checkpoint: str | PathLike[str] | None = None
    random_state: int | np.random.RandomState | None = None
    mark: str = ""


@dataclass(frozen=True)
class WrapperTask:
    """The names of all columns, where the search may go, and when it stops."""

    names: Sequence[str]
    options: WrapperOptions
    space: SearchSpace
    stopping: Stopping

    @property
    def search(self) -> Search:
        """The search."""
        return SEARCHES[self.options.search]

    @property
    def n_steps(self) -> int | None:
        """Number of steps of the search, where it is known beforehand."""
        known = self.stopping.forced and self.search.n_steps is not None
        return self.search.n_steps(self.space, self.stopping) if known and self.search.n_steps else None


@dataclass(frozen=True)
class WrapperOutcome:
    """What the search came to; gains are NaN for groups that it had no need to score."""

    path: SelectionPath
    gains: Gains
    cv_results: Mapping[str, Any] = field(default_factory=dict)
    n_refits: int = 0


def prepare_wrapper(names: Sequence[str], n_rows: int, options: WrapperOptions) -> WrapperTask:
    """Lay out the search over all columns that are not dropped, in the order of the table."""
    search = SEARCHES[options.search]
    allowed = [j for j in range(len(names)) if j not in options.columns.drop]
    space = make_space(options.columns, names, allowed, full=search.starts_full)
    stopping = replace(make_stopping(options.n_features, options.tol, space), beam_width=options.beam_width)
    if search.n_starts is not None:
        space = replace(space, seed=read_seed(options.random_state))
        stopping = replace(stopping, n_starts=search.n_starts(len(space.names), float(n_rows)))
    return WrapperTask(names, options, space, stopping)


def solve_wrapper(
    task: WrapperTask, score_subsets: ScoreSubsets, batch_size: int, observers: Sequence[Observer]
) -> WrapperOutcome:
    """Run the search; ``score_subsets`` is asked for columns of the table."""
    options = task.options
    space = task.space
    position = {name: j for j, name in enumerate(task.names)}
    place = [position[name] for name in space.names]
    run = SearchRun(_open_checkpoint(task), observers, options.max_time)
    engine = RefitEngine(
        lambda subsets: score_subsets([tuple(place[k] for k in subset) for subset in subsets]),
        batch_size,
        run.check_time,
    )
    guide = Guide(options.metrics[0], options.is_loss)
    path = run_search(task.search, SearchState(engine, space, run), task.stopping, guide)
    visit = path.choose(task.stopping, one_se=options.one_se)
    path = replace(path, order=visit.columns)
    return WrapperOutcome(path, _known_gains(engine, task, path), _cv_results(engine, task, path), engine.n_refits)


def _open_checkpoint(task: WrapperTask) -> Checkpoint | None:
    options = task.options
    space = task.space
    if options.checkpoint is None:
        return None
    moves = (space.groups, space.names, space.start, sorted(space.locked), space.seed)
    texts = [repr((options.search, options.metrics, task.stopping)), repr(moves), options.mark]
    return Checkpoint(options.checkpoint, fingerprint(texts))


def _known_gains(engine: RefitEngine, task: WrapperTask, path: SelectionPath) -> Gains:
    """Return what the subsets scored so far tell of each group alone and given the others."""
    space = task.space
    place = {name: k for k, name in enumerate(task.space.names)}
    selected = {place[name] for name in path.order}

    def score(columns: set[int]) -> float:
        metrics = engine.metrics(columns)
        return float("nan") if metrics is None else float(metrics[0].mean())

    alone = np.empty(len(space.groups))
    gains = np.empty(len(space.groups))
    for g, group in enumerate(space.groups):
        own = set(group.columns)
        alone[g] = score(own)
        gains[g] = (
            score(selected) - score(selected - own) if own <= selected else score(selected | own) - score(selected)
        )
    return Gains(score(set()), alone, gains)


def _cv_results(engine: RefitEngine, task: WrapperTask, path: SelectionPath) -> dict[str, Any]:
    """Return arrays over the sizes: mean, spread and folds' scores (larger is better) of each metric."""
    place = {name: k for k, name in enumerate(task.space.names)}
    visits = list(path.best_by_size().values())
    scores: list[Floats] = []
    for visit in visits:
        metrics = engine.metrics(place[name] for name in visit.columns)
        assert metrics is not None
        scores.append(metrics)
    results: dict[str, Any] = {"n_features": np.array([visit.n_features for visit in visits], dtype=np.int64)}
    add_scores(results, "score", [each[0] for each in scores])
    if len(task.options.metrics) > 1:
        for i, name in enumerate(task.options.metrics):
            add_scores(results, name, [each[i] for each in scores])
    return results
