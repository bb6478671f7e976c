# SPDX-License-Identifier: BSD-3-Clause
"""A task: what is trained on, where the selection may go, and when it stops."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import CodedRows, Partition, has_order, warn_of_pools
from bayesieve.exceptions import ClippedSelectionWarning, DataError, ParameterError, warn_caller
from bayesieve.fit.coded_folds import CandidateScorer, CodedFolds
from bayesieve.fit.learning import ColumnStatus, FoldBins, LearnedColumns
from bayesieve.fit.options import ColumnOptions, SearchOptions, SizeOption, TrainingOptions
from bayesieve.fit.rows import LearnedFolds, TrainingRows
from bayesieve.models import Tables
from bayesieve.search import SEARCHES, Checkpoint, FeatureGroup, Guide, Search, SearchSpace, Stopping, fingerprint
from bayesieve.search.criteria import ALL_CRITERIA, Criterion, Lift, PrecisionAtRecall
from bayesieve.search.engine import Engine, make_engine

__all__ = [
    "HeldOut",
    "SearchTask",
    "Task",
    "held_out",
    "lay_out",
    "make_space",
    "make_stopping",
    "open_checkpoint",
    "prepare_search",
    "read_seed",
]

_MOST_RANKED: Final = 50  # columns, where no number is asked for


@dataclass(frozen=True)
class Task(ABC):
    """A table that is ready for training.

    Attributes
    ----------
    rows : TrainingRows
        The rows, which have all columns of the table; all else has the coded ones.
    options : TrainingOptions
        What is method_options, and how.
    columns : LearnedColumns
        The bins of every fold; the last one learned from all rows.
    sample : CodedRows
        Rows that measure how columns depend on each other.
    space : SearchSpace
        The groups that may be selected.
    stopping : Stopping
        The sizes that may be selected.
    """

    rows: TrainingRows
    options: TrainingOptions
    columns: LearnedColumns
    sample: CodedRows
    space: SearchSpace
    stopping: Stopping

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
    def n_columns(self) -> int:
        """Number of coded columns."""
        return len(self.space.names)

    @property
    def final(self) -> FoldBins:
        """What was learned from all rows."""
        return self.columns.folds[-1]

    @property
    @abstractmethod
    def n_scored(self) -> float:
        """Weight of the rows on which subsets are scored."""

    @property
    def search(self) -> Search | None:
        """The search for a subset; None if columns are selected in another way."""
        return None

    @property
    def n_steps(self) -> int | None:
        """Number of steps of the search, where it is known beforehand."""
        return None

    @property
    def criterion(self) -> Criterion:
        """What the selection improves."""
        return self.criterion_of(self.options.method_options.criterion)

    @property
    def has_numbers(self) -> bool:
        """Whether the target is a number."""
        return False

    @property
    def guide(self) -> Guide | Criterion:
        """What the path records."""
        return self.criterion

    def criterion_of(self, name: str) -> Criterion:
        """Return the criterion of a name, for the positive class; a precision is at the recall of the threshold."""
        criterion = ALL_CRITERIA[name]
        if isinstance(criterion, Lift):
            return Lift(self.options.positive)
        if not isinstance(criterion, PrecisionAtRecall):
            return criterion
        threshold = self.options.threshold
        recall = threshold.level if threshold.name == "recall" and threshold.level else criterion.recall
        return PrecisionAtRecall(recall, self.options.positive)

    @abstractmethod
    def marks(self) -> list[Any]:
        """Return texts and arrays of all that decides the answers of a search, for the fingerprint of a checkpoint.

        Parameters enter by their effect: a callable has another address in each process.
        """


@dataclass(frozen=True)
class SearchTask(Task):
    """A task whose columns have a table each, learned once; ``folds`` has the rows that score subsets."""

    method_options: SearchOptions
    folds: LearnedFolds

    @property
    def search(self) -> Search | None:
        """The search for a subset; None if weights choose the columns."""
        return None if self.method_options.search is None else SEARCHES[self.method_options.search]

    @property
    def segments(self) -> CodedFolds:
        """The rows on which subsets are scored."""
        return self.folds.validation

    @property
    def tables(self) -> Tables:
        """The tables of all columns, learned from all rows."""
        tables = self.final.tables
        assert tables is not None
        return tables

    @property
    def log_bayes_factors(self) -> NDArray[np.float64]:
        """Log Bayes factor of every column of the table."""
        return self.columns.log_bayes_factors

    @property
    def n_scored(self) -> float:
        """Weight of the rows on which subsets are scored."""
        return self.folds.n_scored

    @property
    def n_steps(self) -> int | None:
        """Number of steps of the search, where it is known beforehand."""
        if self.search is None or not self.stopping.forced or self.search.n_steps is None:
            return None
        return self.search.n_steps(self.space, self.stopping)

    def engine(self, criterion: Criterion | None = None) -> Engine:
        """Return an engine for the task's criterion, or for another one."""
        options = self.options
        criterion = criterion or self.criterion
        return make_engine(
            self.segments, self.method_options.model, criterion, options.backend, options.n_threads, self.n_scored
        )

    def scorer(self, segments: CodedFolds | None = None, *, pooled: bool = False) -> CandidateScorer:
        """Return what scores rows by candidates: those of each fold, or of all folds as one if they are ``pooled``."""
        rows = self.segments if segments is None else segments
        return rows.scorer(self.method_options.model, joined=pooled or len(rows) == 1)

    def marks(self) -> list[Any]:
        """Return texts and arrays of all that decides the answers of a search."""
        method_options = self.method_options
        space = self.space
        guides: tuple[Any, ...] = (
            method_options.search,
            self._mark(method_options.criterion),
            method_options.model,
            self.stopping,
        )
        guides += (
            (self.n_scored,)
            if method_options.choose_by is None
            else (self.n_scored, self._mark(method_options.choose_by))
        )
        moves = (space.groups, space.names, space.start, sorted(space.locked), space.seed)
        texts = [repr(guides), repr(moves), *self._weight_marks(), *self.segments.fingerprints()]
        return texts if self.folds.training is self.segments else texts + self.folds.training.fingerprints()

    def _mark(self, name: str) -> str:
        """Return what identifies a criterion: its name, the class of a lift, recall and class of a precision."""
        criterion = self.criterion_of(name)
        return repr(criterion) if isinstance(criterion, PrecisionAtRecall | Lift) else name

    def _weight_marks(self) -> list[Any]:
        """Return all that decides fitted weights, beyond the rows and the search space."""
        method = self.method_options.method
        if method not in ("penalized", "fractional"):
            return []
        is_free = self.search is None and self.options.n_features in ("auto", "all") and not self.method_options.one_se
        costs = [getattr(partition, "cost", None) for partition in self.final.partitions]
        return [repr((method, is_free, self.unit, costs)), self.log_bayes_factors, self.tables.start]


def prepare_search(
    rows: TrainingRows, options: TrainingOptions, method_options: SearchOptions, groups: ArrayLike | None = None
) -> SearchTask:
    """Learn bins and tables, code the rows, and lay out the search."""
    search = None if method_options.search is None else SEARCHES[method_options.search]
    if search is not None and search.n_starts is not None and rows.in_blocks:
        raise ParameterError(
            f"search={method_options.search!r} makes one move at a time and would send a message to all blocks for "
            "each; with rows in blocks use 'forward', 'floating' or another search that scores all moves at once."
        )
    how = options.learning(method_options.model)
    folds = rows.learn_folds(how, options.splitter, groups, learns_on_path=method_options.learns_on_path)
    if method_options.one_se and len(folds.validation) < 2:
        raise ParameterError("one_se needs a standard error over folds; set cv to two folds or more.")
    space = lay_out(rows, options, folds.columns, full=search is not None and search.starts_full)
    space = replace(space, content_order=_content_order(folds.columns.folds[-1]))
    stopping = make_stopping(options.n_features, method_options.tol, space)
    if search is not None and search.n_starts is not None:
        space = replace(space, seed=read_seed(method_options.random_state))
        stopping = replace(stopping, n_starts=search.n_starts(len(space.names), folds.n_scored))
    if method_options.stop != "size":
        stopping = _ranking_stop(stopping, options.n_features, space, method_options.stop)
    task = SearchTask(rows, options, folds.columns, folds.sample, space, stopping, method_options, folds)
    return _in_order_of_score(task) if method_options.ties == "score" else task


def _content_order(bins: FoldBins) -> tuple[int, ...]:
    """Return the columns in the order of their counts, which neither names nor places in the table change.

    Columns with the same counts stay in the order of the table.
    """
    keys = []
    for partition, counts in zip(bins.partitions, bins.counts, strict=True):
        own = counts[: partition.n_bins]
        if not has_order(partition):  # in the order of the names of categories
            own = own[np.lexsort(own.T)]
        shares = np.ascontiguousarray(own // max(1, int(np.gcd.reduce(own, axis=None))), dtype=np.int64)
        keys.append(blake2b(shares.tobytes(), digest_size=8).digest())
    return tuple(sorted(range(len(keys)), key=keys.__getitem__))


def lay_out(rows: TrainingRows, options: TrainingOptions, columns: LearnedColumns, *, full: bool) -> SearchSpace:
    """Return the groups of coded columns, those of the highest level first; refuse a table of constants."""
    _refuse_constant(columns, rows.names)
    partitions = columns.folds[-1].partitions
    space = make_space(options.columns, rows.names, columns.columns.tolist(), full=full)
    warn_of_pools(space.names, partitions)
    return _in_order_of_level(space, partitions)


def _in_order_of_score(task: SearchTask) -> SearchTask:
    """Return the task with the groups of the best score alone first, then as in the table."""
    space = task.space
    if not space.groups:
        return task
    engine = task.engine()
    engine.reset({})
    alone = engine.score(space.moves("add", np.arange(len(space.groups))), exact=True).tolist()
    order = sorted(range(len(alone)), key=lambda g: (-alone[g], space.groups[g].columns[0]))
    return replace(task, space=_in_order(space, order))


@dataclass(frozen=True)
class HeldOut:
    """Rows with tables that were learned without them; ``pooled`` if they are one set of rows, and not folds."""

    segments: CodedFolds
    pooled: bool
    unit: float


def held_out(task: SearchTask) -> HeldOut:
    """Return the validation rows of the folds; or all rows, each left out of its own tables.

    Weights take many passes over the rows. Where memory cannot hold them, an evenly spread sample stands for all.
    """
    leaves_one_out = task.folds.on_training_rows and task.tables.lowered is not None
    segments, unit = (task.segments.leave_one_out() if leaves_one_out else task.segments).in_memory(task.unit)
    return HeldOut(segments, leaves_one_out, unit)


def open_checkpoint(task: Task) -> Checkpoint | None:
    """Return the checkpoint, if there is one, marked with a fingerprint of all that decides the answers of a search."""
    path = task.options.checkpoint
    return None if path is None else Checkpoint(path, fingerprint(task.marks()))


def _refuse_constant(columns: LearnedColumns, names: list[str]) -> None:
    """Raise if every column is constant; that none is informative is a result, not an error."""
    if not len(columns.columns) and not (columns.statuses == ColumnStatus.uninformative).any():
        example = names[int(np.flatnonzero(columns.statuses == ColumnStatus.constant)[0])]
        raise DataError(f"Every column that may be selected is constant (for instance {example!r}).")


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


def _in_order_of_level(space: SearchSpace, partitions: Sequence[Partition]) -> SearchSpace:
    """Return the space with the groups of the highest level first, a group by its best column; equals stay in order.

    Of additions that tie the more informative column then enters, of removals the less informative leaves.
    """
    levels = [partition.level or 0.0 for partition in partitions]
    best = [max(levels[j] for j in group.columns) for group in space.groups]
    return _in_order(space, sorted(range(len(best)), key=lambda g: -best[g]))


def _in_order(space: SearchSpace, order: Sequence[int]) -> SearchSpace:
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
    n_columns = int(space.widths.sum())
    n_locked = _n_locked(space)
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


def _ranking_stop(stopping: Stopping, n_features: SizeOption, space: SearchSpace, stop: str) -> Stopping:
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


def read_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return the seed of random orders: None is a seed too, so that fits can be repeated."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return int(random_state or 0)
