"""A search task: everything that a search needs, made from an estimator's parameters and its data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from operator import add
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from bayesieve.coding import warn_of_pools
from bayesieve.criteria import ALL_CRITERIA, Criterion
from bayesieve.engine import BlockSegments, Engine, Segment, make_engine
from bayesieve.estimators.options.plan import Plan
from bayesieve.estimators.options.search_options import (
    in_order_of_level,
    make_space,
    make_stopping,
    read_column_options,
)
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.search import SEARCHES, Checkpoint, Search, SearchSpace, Stopping, fingerprint
from bayesieve.training.block_rows import BlockedRows, TrainingRows
from bayesieve.training.learning import ColumnStatus, LearnedColumns, LearnedFold
from bayesieve.training.problem_data import make_problem_data

__all__ = ["Task", "make_task", "open_checkpoint", "read_threads"]


@dataclass(frozen=True)
class Task:
    """Segments to score subsets on, the final tables, and where the search may go.

    ``names`` are all columns of the table, ``ordered`` tells which have an order and ``statuses`` what becomes of each;
    segments, tables and ground have the coded ones. ``final`` is learnt from all rows; its own segment need only tell
    how columns depend on each other. ``taught`` are the fitting rows of each segment, and ``whole`` all rows, if the
    search learns from them as it goes. ``n_scored`` is the weight of the rows that are scored, ``evidence`` that of
    every column of the table, ``unit`` that of the weights.
    """

    names: list[str]
    ordered: NDArray[np.bool_]
    statuses: NDArray[np.int8]
    evidence: NDArray[np.float64]
    segments: Sequence[Segment] | BlockSegments
    taught: Sequence[Segment] | BlockSegments
    final: LearnedFold
    whole: Sequence[Segment] | BlockSegments
    plan: Plan
    criterion: Criterion
    search: Search | None
    space: SearchSpace
    stopping: Stopping
    n_scored: float
    n_classes: int
    unit: float
    backend: str
    n_threads: int

    def engine(self, criterion: Criterion | None = None) -> Engine:
        """Return an engine for the task's criterion, or for another one."""
        wanted = criterion or self.criterion
        return make_engine(self.segments, self.plan.model, wanted, self.backend, self.n_threads, self.n_scored)

    @property
    def n_columns(self) -> int:
        """Number of coded columns."""
        return len(self.space.names)

    @property
    def n_steps(self) -> int | None:
        """Number of steps of the search, where it is known beforehand."""
        if self.search is None or not self.stopping.forced or self.search.n_steps is None:
            return None
        return self.search.n_steps(self.space, self.stopping)


def make_task(estimator: Any, sample: TrainingRows, X: Any, groups: ArrayLike | None, plan: Plan) -> Task:
    """Code the data, learn the tables and resolve the parameters."""
    search = None if plan.search is None else SEARCHES[plan.search]
    n_threads = read_threads(estimator.n_jobs)
    names = sample.names
    wishes = read_column_options(estimator, names, X)
    if isinstance(sample, BlockedRows) and search is not None and search.n_starts is not None:
        raise ParameterError(
            f"search={plan.search!r} takes one move after the other, each a message to all blocks of rows; with rows "
            "in blocks use 'forward', 'floating' or another search that scores all moves at once."
        )
    found = make_problem_data(sample, plan, groups, n_threads, wishes.wanted, wishes.drop)
    lessons, final, n_scored = found.lessons, found.final, found.n_scored
    if estimator.one_se and len(found.segments) < 2:
        raise ParameterError("one_se needs a standard error over folds; give validation two folds or more.")
    _refuse_constant(lessons, names)
    full = search is not None and search.starts_full
    space = make_space(estimator, names, lessons.columns.tolist(), wishes, X, full=full)
    space = in_order_of_level(space, final.partitions)
    stopping = make_stopping(estimator.n_features, estimator.tol, space)
    if search is not None and search.n_starts is not None:
        space = replace(space, seed=_seed(estimator.random_state))
        stopping = replace(stopping, n_starts=search.n_starts(len(space.names), n_scored))
    warn_of_pools(space.names, final.partitions)
    return Task(
        names=names,
        ordered=lessons.ordered,
        statuses=lessons.statuses,
        evidence=lessons.evidence,
        segments=found.segments,
        taught=found.taught,
        final=final,
        whole=found.whole,
        plan=plan,
        criterion=ALL_CRITERIA[plan.criterion],
        search=search,
        space=space,
        stopping=stopping,
        n_scored=n_scored,
        n_classes=sample.n_classes,
        unit=sample.unit,
        backend=estimator.backend,
        n_threads=n_threads,
    )


def open_checkpoint(estimator: Any, task: Task) -> Checkpoint:
    """Return the estimator's checkpoint, marked with a fingerprint of all that decides the answers of the search.

    Of the parameters, what they came to: a callable has another address in each process.
    """
    if estimator.checkpoint is None:
        return Checkpoint()
    where = task.space
    guides = (task.plan.search, task.plan.criterion, task.plan.model, task.stopping, task.n_scored)
    moves = (where.groups, where.names, where.start, sorted(where.locked), where.seed)
    parts: list[Any] = [repr(guides), repr(moves), *_weight_marks(estimator, task)]
    for rows in (task.segments,) if task.taught is task.segments else (task.segments, task.taught):
        parts += rows.blocks.reduce(_marks, add) if isinstance(rows, BlockSegments) else arrays_of(rows)
    return Checkpoint(estimator.checkpoint, fingerprint(parts))


def _weight_marks(estimator: Any, task: Task) -> list[Any]:
    """Return all that decides fitted weights, beside the rows and the search space."""
    weighting = getattr(estimator, "weights", None)
    if weighting not in ("penalized", "fractional"):
        return []
    is_free = task.search is None and estimator.n_features in ("auto", "all") and not estimator.one_se
    costs = [getattr(partition, "cost", None) for partition in task.final.partitions]
    return [repr((weighting, is_free, task.unit, costs)), task.evidence, task.final.tables.start]


def _marks(segments: Sequence[Segment]) -> list[str]:
    """Return the mark of a block's rows."""
    return [fingerprint(arrays_of(segments))]


def arrays_of(segments: Sequence[Segment]) -> list[NDArray[Any]]:
    """Return all that decides what segments say."""
    parts: list[NDArray[Any]] = []
    for segment in segments:
        codes, tables = segment.codes, segment.tables
        parts += [codes.narrow, codes.wide, *codes.sparse.arrays]
        parts += [segment.target, segment.weights, tables.start, tables.entries]
        parts += [array for array in (tables.lowered, segment.benefits) if array is not None]
    return parts


def _refuse_constant(lessons: LearnedColumns, names: list[str]) -> None:
    """Raise if no column can tell anything; that none does, by a rule that looked, is an answer and no fault."""
    if not len(lessons.columns) and not (lessons.statuses == ColumnStatus.uninformative).any():
        example = names[int(np.flatnonzero(lessons.statuses == ColumnStatus.constant)[0])]
        raise DataError(f"Every column that may be selected is constant (for instance {example!r}).")


def read_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0: at least one thread is needed; -1 takes one for each processor.")
    return int(effective_n_jobs(n_jobs))


def _seed(random_state: Any) -> int:
    """Return the seed of random orders: None is a seed too, so that fits can be repeated."""
    if random_state is None or isinstance(random_state, Integral):
        return int(random_state or 0)
    return int(random_state.randint(2**31))
