# SPDX-License-Identifier: BSD-3-Clause
"""A search task: everything that a search needs, made from rows and options."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Partition, warn_of_pools
from bayesieve.exceptions import ClippedSelectionWarning, DataError, ParameterError, warn_caller
from bayesieve.fit.coded_folds import CodedFolds
from bayesieve.fit.learning import ColumnStatus, LearnedColumns, LearnedFold
from bayesieve.fit.options import ColumnOptions, SizeOption, TrainingOptions
from bayesieve.fit.problem_data import ProblemData
from bayesieve.fit.rows import TrainingRows
from bayesieve.search import SEARCHES, Checkpoint, FeatureGroup, Search, SearchSpace, Stopping, fingerprint
from bayesieve.search.criteria import ALL_CRITERIA, Criterion, PrecisionAtRecall
from bayesieve.search.engine import Engine, make_engine

__all__ = [
    "HeldOutRows",
    "Task",
    "held_out_rows",
    "in_order",
    "in_order_of_level",
    "make_space",
    "make_stopping",
    "open_checkpoint",
    "prepare",
    "ranking_stop",
    "read_seed",
]

_MOST_RANKED: Final = 50  # columns, where no number is asked for


def make_space(columns: ColumnOptions, names: Sequence[str], coded: Sequence[int], *, full: bool) -> SearchSpace:
    """Return the groups that may move, in tie order, where the search starts and what must stay.

    ``coded`` are the positions of the columns that take part; groups and names are in their terms. ``full``: the search
    starts from all of them, unless the options have another start.
    """
    place = {int(j): k for k, j in enumerate(coded)}
    groups = _groups(columns.groups, [names[j] for j in coded], place)
    kept, start = ({place[j] for j in some} for some in (columns.locked, columns.start or ()))
    locked = _with_any(groups, kept)
    begin = list(range(len(groups))) if full and columns.start is None else _with_any(groups, start)
    began = list(dict.fromkeys([*locked, *begin]))
    return SearchSpace(tuple(groups), tuple(names[j] for j in coded), tuple(began), frozenset(locked))


def _with_any(groups: Sequence[FeatureGroup], columns: Set[int]) -> list[int]:
    """Return the groups that have any of some columns."""
    return [g for g, group in enumerate(groups) if not columns.isdisjoint(group.columns)] if columns else []


def in_order_of_level(space: SearchSpace, partitions: Sequence[Partition]) -> SearchSpace:
    """Return the space with the groups of the highest level first, a group by its best column; equals stay in order.

    Of additions that tie the more informative column then enters, of removals the less informative leaves.
    """
    levels = [partition.level or 0.0 for partition in partitions]
    best = [max(levels[j] for j in group.columns) for group in space.groups]
    return in_order(space, sorted(range(len(best)), key=lambda g: -best[g]))


def in_order(space: SearchSpace, order: Sequence[int]) -> SearchSpace:
    """Return the space with its groups in another order."""
    place = {g: k for k, g in enumerate(order)}
    return replace(
        space,
        groups=tuple(space.groups[g] for g in order),
        start=tuple(place[g] for g in space.start),
        locked=frozenset(place[g] for g in space.locked),
    )


def _groups(groups: Mapping[str, Sequence[int]], names: Sequence[str], place: Mapping[int, int]) -> list[FeatureGroup]:
    """Return groups and single columns, ordered by their first column."""
    if not groups:
        return [FeatureGroup(name, (k,)) for k, name in enumerate(names)]
    group_of: dict[int, FeatureGroup] = {}
    for name, members in groups.items():
        moving = tuple(place[j] for j in members if j in place)
        group_of |= dict.fromkeys(moving, FeatureGroup(name, moving))
    return list(dict.fromkeys(group_of.get(k) or FeatureGroup(names[k], (k,)) for k in range(len(names))))


def make_stopping(n_features: SizeOption, tol: float | None, space: SearchSpace) -> Stopping:
    """Turn ``n_features`` into sizes."""
    n_columns, n_locked = int(space.widths.sum()), _n_locked(space)
    if n_features == "auto":
        return Stopping(n_locked, n_columns, tol=tol)
    if n_features == "all":
        return Stopping(n_columns, n_columns, forced=True, tol=tol)
    if isinstance(n_features, tuple):
        smallest, largest = _bounds(n_features, n_columns)
    elif isinstance(n_features, Integral):
        smallest = largest = int(n_features)
    else:
        smallest = largest = min(n_columns, max(1, round(float(n_features) * n_columns)))
    if smallest > n_columns or (largest > n_columns and isinstance(n_features, Integral)):
        warn_caller(
            f"n_features={n_features!r} is more than the {n_columns} columns that can be selected; "
            f"{n_columns} is used.",
            ClippedSelectionWarning,
        )
    if largest < n_locked:
        raise ParameterError(f"n_features={n_features!r} is less than the {n_locked} columns that must be selected.")
    return Stopping(max(n_locked, min(smallest, n_columns)), min(largest, n_columns), forced=True, tol=tol)


def ranking_stop(stopping: Stopping, n_features: SizeOption, space: SearchSpace, stop: str) -> Stopping:
    """Return sizes that rank columns ("k"), all sizes or the first 50; or that end where nothing is gained ("gain")."""
    n_locked = _n_locked(space)
    if stop == "gain":
        smallest = stopping.smallest if isinstance(n_features, tuple) else n_locked
        return replace(stopping, smallest=smallest, forced=False)
    if n_features == "auto":
        largest = max(n_locked, min(_MOST_RANKED, stopping.largest))
        return replace(stopping, smallest=n_locked, largest=largest, forced=True)
    return stopping


def _n_locked(space: SearchSpace) -> int:
    return sum(len(space.groups[g].columns) for g in space.locked)


def _bounds(n_features: tuple[int | None, ...], n_columns: int) -> tuple[int, int]:
    valid = all(bound is None or (isinstance(bound, Integral) and int(bound) >= 0) for bound in n_features)
    if len(n_features) != 2 or not valid:
        raise ParameterError(f"n_features={n_features!r}: a pair (smallest, largest) of numbers or None is expected.")
    smallest = 0 if n_features[0] is None else int(n_features[0])
    largest = max(smallest, n_columns) if n_features[1] is None else int(n_features[1])
    if smallest > largest:
        raise ParameterError(f"n_features={n_features!r}: the smallest size is above the largest.")
    return smallest, largest


@dataclass(frozen=True)
class Task:
    """Rows to score subsets on, the final tables, and where the search may go.

    ``rows`` have all columns of the table; data and space have the coded ones. ``fold`` is the fold of each coded row,
    where a splitter divides the rows for joint shapes.
    """

    rows: TrainingRows
    data: ProblemData
    options: TrainingOptions
    search: Search | None
    space: SearchSpace
    stopping: Stopping
    fold: Ints | None = None

    def engine(self, criterion: Criterion | None = None) -> Engine:
        """Return an engine for the task's criterion, or for another one."""
        options, criterion = self.options, criterion or self.criterion
        return make_engine(
            self.segments, options.model, criterion, options.backend, options.n_threads, self.data.n_scored
        )

    @property
    def names(self) -> list[str]:
        """Names of all columns of the table."""
        return self.rows.names

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.rows.n_classes

    @property
    def unit(self) -> float:
        """The unit of the weights."""
        return self.rows.unit

    @property
    def segments(self) -> CodedFolds:
        """The rows on which subsets are scored."""
        return self.data.validation

    @property
    def final(self) -> LearnedFold:
        """What was learned from all rows."""
        return self.data.final

    @property
    def evidence(self) -> NDArray[np.float64]:
        """Log Bayes factor of every column of the table."""
        return self.data.columns.evidence

    @property
    def n_scored(self) -> float:
        """Weight of the rows on which subsets are scored."""
        return self.data.n_scored

    @property
    def criterion(self) -> Criterion:
        """What the search improves."""
        return self.criterion_of(self.options.criterion)

    def criterion_of(self, name: str) -> Criterion:
        """Return the criterion of a name; a precision is at the recall that the threshold requires."""
        criterion, threshold = ALL_CRITERIA[name], self.options.threshold
        if not isinstance(criterion, PrecisionAtRecall):
            return criterion
        recall = threshold.level if threshold.name == "recall" and threshold.level else criterion.recall
        return PrecisionAtRecall(recall, self.options.positive)

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


def prepare(rows: TrainingRows, options: TrainingOptions, groups: ArrayLike | None = None) -> Task:
    """Learn bins and tables, code the rows, and lay out the search."""
    search = None if options.search is None else SEARCHES[options.search]
    fold = None
    if options.shapes is not None:
        drawn = options.shapes.drawn and groups is None
        fold = rows.fold_of_rows(None if drawn else options.shapes.splitter, groups)
    data = rows.learn(options, groups)
    if options.one_se and len(data.validation) < 2:
        raise ParameterError("one_se needs a standard error over folds; set cv to two folds or more.")
    _refuse_constant(data.columns, rows.names)
    full = search is not None and search.starts_full
    space = make_space(options.columns, rows.names, data.columns.columns.tolist(), full=full)
    space = in_order_of_level(space, data.final.partitions)
    stopping = make_stopping(options.n_features, options.tol, space)
    if search is not None and search.n_starts is not None:
        space = replace(space, seed=read_seed(options.random_state))
        stopping = replace(stopping, n_starts=search.n_starts(len(space.names), data.n_scored))
    warn_of_pools(space.names, data.final.partitions)
    if options.stop != "size":
        stopping = ranking_stop(stopping, options.n_features, space, options.stop)
    task = Task(rows, data, options, search, space, stopping, fold)
    return _in_order_of_score(task) if options.ties == "score" else task


def _in_order_of_score(task: Task) -> Task:
    """Return the task with the groups of the best score alone first, then as in the table."""
    space = task.space
    if not space.groups:
        return task
    engine = task.engine()
    engine.reset({})
    alone = engine.score(space.moves("add", np.arange(len(space.groups))), exact=True).tolist()
    order = sorted(range(len(alone)), key=lambda g: (-alone[g], space.groups[g].columns[0]))
    return replace(task, space=in_order(space, order))


@dataclass(frozen=True)
class HeldOutRows:
    """Rows with tables that were learned without them; ``pooled`` if they are one set of rows, and not folds."""

    segments: CodedFolds
    pooled: bool
    unit: float


def held_out_rows(task: Task) -> HeldOutRows:
    """Return the validation rows of the folds; or all rows, each left out of its own tables.

    Weights take many passes over the rows. Where memory cannot hold them, an evenly spread sample stands for all.
    """
    leaves_one_out = task.data.on_training_rows and task.final.tables.lowered is not None
    segments, unit = (task.segments.leave_one_out() if leaves_one_out else task.segments).in_memory(task.unit)
    return HeldOutRows(segments, leaves_one_out, unit)


def _mark(task: Task, name: str) -> str:
    """Return what identifies a criterion: its name, and the recall and the class of a precision."""
    criterion = task.criterion_of(name)
    return repr(criterion) if isinstance(criterion, PrecisionAtRecall) else name


def open_checkpoint(task: Task) -> Checkpoint | None:
    """Return the checkpoint, if there is one, marked with a fingerprint of all that decides the answers of a search.

    Parameters enter by their effect: a callable has another address in each process.
    """
    options, space, data = task.options, task.space, task.data
    if options.checkpoint is None:
        return None
    guides: tuple[Any, ...] = (options.search, _mark(task, options.criterion), options.model, task.stopping)
    guides += (data.n_scored,) if options.choose_by is None else (data.n_scored, _mark(task, options.choose_by))
    moves = (space.groups, space.names, space.start, sorted(space.locked), space.seed)
    texts: list[Any] = [repr(guides), repr(moves), *_weight_marks(task), *data.validation.fingerprints()]
    if options.shapes is not None:
        shapes = options.shapes
        marks = (shapes.n_folds, shapes.most_accurate, shapes.n_pairs, shapes.pairs, shapes.merge_cost)
        texts += [repr((sorted(shapes.monotone.items()), sorted(shapes.leads.items())))]
        texts += [repr(marks), *([] if task.fold is None else [task.fold])]
    if data.training is not data.validation:
        texts += data.training.fingerprints()
    return Checkpoint(options.checkpoint, fingerprint(texts))


def _weight_marks(task: Task) -> list[Any]:
    """Return all that decides fitted weights, beside the rows and the search space."""
    options = task.options
    if options.weights not in ("penalized", "fractional"):
        return []
    is_free = task.search is None and options.n_features in ("auto", "all") and not options.one_se
    costs = [getattr(partition, "cost", None) for partition in task.final.partitions]
    return [repr((options.weights, is_free, task.unit, costs)), task.evidence, task.final.tables.start]


def _refuse_constant(columns: LearnedColumns, names: list[str]) -> None:
    """Raise if every column is constant; that none is informative is a result, not an error."""
    if not len(columns.columns) and not (columns.statuses == ColumnStatus.uninformative).any():
        example = names[int(np.flatnonzero(columns.statuses == ColumnStatus.constant)[0])]
        raise DataError(f"Every column that may be selected is constant (for instance {example!r}).")


def read_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return the seed of random orders: None is a seed too, so that fits can be repeated."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return int(random_state or 0)
