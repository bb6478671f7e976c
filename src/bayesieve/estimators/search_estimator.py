"""The story that every selecting estimator tells in ``fit``: read, code, learn tables, search, store."""

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.validation import check_is_fitted

from bayesieve.coding import CODING_RULES, Partition, with_counts
from bayesieve.criteria import ALL_CRITERIA
from bayesieve.data import Table, frame_backend, read_table
from bayesieve.engine import BACKENDS
from bayesieve.estimators.options.feature_names import check_header
from bayesieve.estimators.options.folds import read_cv
from bayesieve.estimators.options.plan import Plan, read_discretizer
from bayesieve.estimators.options.rows import read_training_rows, with_benefits
from bayesieve.estimators.progress import CallbackSupportMixin, watch
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, ParameterError
from bayesieve.explanations.selection_reasons import explain_selection, scored_gains
from bayesieve.models import NaiveBayes
from bayesieve.search import SEARCHES, SearchRun, SearchState, Visit, run_search
from bayesieve.training.block_rows import BlockedRows, TrainingRows
from bayesieve.training.cv_results import cv_results, metric_names
from bayesieve.training.outcome import Outcome, unit_weights
from bayesieve.training.task import Task, make_task, open_checkpoint

__all__ = ["SearchEstimator"]

_COLUMNS = [None, str, Integral, "array-like", callable]


class SearchEstimator(CallbackSupportMixin, BaseEstimator):
    """Common ground of the estimators that search for columns; a subclass gives the model."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "search": [StrOptions(set(SEARCHES))],
        "criterion": [StrOptions(set(ALL_CRITERIA))],
        "n_features": [
            StrOptions({"auto", "all"}),
            Interval(Integral, 0, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            tuple,
        ],
        "cv": [
            Options(Integral, {0}),
            Interval(Integral, 2, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            HasMethods("split"),
            tuple,
            list,
        ],
        "benefit_matrix": [None, "array-like"],
        "discretizer": [StrOptions({name for name in CODING_RULES if name}), HasMethods(["fit", "transform"]), None],
        "smoothing": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "scoring": [None, str, list, tuple],
        "keep": _COLUMNS,
        "drop": _COLUMNS,
        "start_from": _COLUMNS,
        "feature_groups": [None, Mapping],
        "one_se": ["boolean"],
        "tol": [None, Interval(Real, 0, None, closed="left")],
        "max_time": [None, Interval(Real, 0, None, closed="left")],
        "checkpoint": [None, str, HasMethods("__fspath__")],
        "n_jobs": [None, Integral],
        "backend": [StrOptions(set(BACKENDS))],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        search: str = "forward",
        criterion: str = "brier",
        *,
        n_features: Any = "auto",
        cv: Any = 5,
        benefit_matrix: ArrayLike | None = None,
        discretizer: Any = "modl",
        smoothing: float | str = "auto",
        scoring: Any = None,
        keep: Any = None,
        drop: Any = None,
        start_from: Any = None,
        feature_groups: Any = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.search = search
        self.criterion = criterion
        self.n_features = n_features
        self.cv = cv
        self.benefit_matrix = benefit_matrix
        self.discretizer = discretizer
        self.smoothing = smoothing
        self.scoring = scoring
        self.keep = keep
        self.drop = drop
        self.start_from = start_from
        self.feature_groups = feature_groups
        self.one_se = one_se
        self.tol = tol
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
    ) -> Self:
        """Select columns, and learn their tables.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            Numbers are ordered; booleans, strings and categories are not; missing values are a value of their own.
        y : array of shape (n_rows,)
            Class labels.
        sample_weight : array of shape (n_rows,), default=None
            A weight of k counts as k copies of the row.
        groups : array of shape (n_rows,), default=None
            Rows of one group stay in one fold.
        benefits : array of shape (n_rows, n_actions, n_classes), default=None
            What each action brings in each row if each class is true; ``criterion="benefit"`` asks for it.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        return self._search(X, y, sample_weight, groups, benefits)

    def _plan(self, sample: TrainingRows) -> Plan:
        """Return what the parameters come to."""
        rule = read_discretizer(self.discretizer, sample)
        return Plan(rule, NaiveBayes(self.smoothing), self.search, self.criterion, read_cv(self.cv), self.random_state)

    def _refine(self, task: Task) -> Task:
        """Return the task as this estimator wants it searched: in which order ties are broken, and when it stops."""
        return task

    def _search(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, groups: ArrayLike | None, benefits: Any = None
    ) -> Self:
        """Select columns: the body of ``fit``."""
        metrics = metric_names(self.scoring)
        sample = read_training_rows(self, X, y, sample_weight)
        if getattr(self, "criterion", None) == "benefit":  # votes have an objective instead
            sample = with_benefits(sample, self.benefit_matrix, benefits, self.cv)
        if isinstance(sample, BlockedRows):
            X = sample.example
        task = self._refine(make_task(self, sample, X, groups, self._plan(sample)))
        with watch(self, task.n_steps, X, y) as watchers:
            outcome = self._run(task, SearchRun(open_checkpoint(self, task), watchers, self.max_time))
        self.path_ = replace(outcome.path, order=outcome.visit.columns, backend=frame_backend(X))
        self.cv_results_ = cv_results(task, outcome, metrics)
        self.why_ = explain_selection(task, self.path_, outcome.gains)
        self._store(task, sample, outcome)
        if self.path_.complete:
            self._warn_of_size(task, outcome.visit)
        return self

    def _run(self, task: Task, run: SearchRun) -> Outcome:
        """Run the search."""
        assert task.search is not None
        engine = task.engine()
        path = run_search(task.search, SearchState(engine, task.space, run), task.stopping, task.criterion)
        visit = path.choose(task.stopping, one_se=self.one_se)
        offers = unit_weights(task, [*path.best_by_size().values(), visit])
        gains = scored_gains(engine, task, replace(path, order=visit.columns))
        return Outcome(path, visit, offers, task.segments, gains=gains)

    def select(self, k: int) -> Self:
        """Return a fitted copy with the best subset of k columns that the search visited.

        Parameters
        ----------
        k : int
            Number of columns; a size that was never visited raises an error that lists those that were.

        Returns
        -------
        selected : estimator
            The earliest subset on ties. ``why_`` still tells of the selection that ``fit`` made.
        """
        check_is_fitted(self)
        visit = self.path_.of_size(k)
        if visit.columns not in self._offers:
            sizes = sorted({len(columns) for columns in self._offers})
            raise ParameterError(f"There are no weights for {k} columns; there are for {', '.join(map(str, sizes))}.")
        selected = copy(self)
        selected.path_ = replace(self.path_, order=visit.columns)
        selected._choose(visit)
        return selected

    def _choose(self, visit: Visit) -> None:
        """Make a visited subset the selection."""
        chosen = set(visit.columns)
        self.n_features_ = len(chosen)
        self.support_ = np.array([name in chosen for name in self._names])

    def _store(self, task: Task, sample: TrainingRows, outcome: Outcome) -> None:
        """Keep partitions and tables of the columns that any offered subset has, and no rows."""
        self.classes_ = sample.classes
        self._names = task.names
        self._offers = dict(outcome.offers)
        self._space_names = task.space.names
        self._start = task.final.tables.start
        needed = sorted({j for offer in self._offers.values() for j in offer.columns})
        self._final = {
            task.space.names[j]: (task.final.partitions[j], task.final.tables.column(j).copy()) for j in needed
        }
        unit = sample.unit
        self.partitions_: dict[str, Partition] = {
            task.space.names[j]: with_counts(task.final.partitions[j], task.final.counts[j][:-1], unit) for j in needed
        }
        self._choose(outcome.visit)

    def _read_new(self, X: Any) -> Table:
        """Open new rows, under their training names."""
        check_is_fitted(self)
        check_header(self, X, read_table(X), reset=False)
        return read_table(X, self._names)

    def _warn_of_size(self, task: Task, visit: Visit) -> None:
        """Warn if the sizes wanted could not be reached, or nothing improves on the class priors."""
        wanted = task.stopping
        if not wanted.smallest <= visit.n_features <= wanted.largest:
            by_search = "cannot be reached by this search from its start and with its groups"
            reason = by_search if task.search is not None else "cannot be reached: the other columns get no weight"
            warnings.warn(
                f"n_features={self.n_features!r} {reason}; {visit.n_features} columns are selected.",
                ClippedSelectionWarning,
                stacklevel=5,
            )
        elif not visit.columns and self.n_features != 0 and (wanted.largest or not task.space.groups):
            self._warn_nothing_selected(task, visit)

    def _warn_nothing_selected(self, task: Task, empty: Visit) -> None:
        alone = {name: entry["score_alone"] for name, entry in self.why_.items() if entry["score_alone"] is not None}
        if not alone:
            message = f"None of the {len(task.names)} columns is informative by itself, so none is selected."
            warnings.warn(message, NothingSelectedWarning, stacklevel=6)
            return
        nearest = sorted(alone, key=lambda name: -alone[name])[:3]
        misses = ", ".join(f"{name!r} ({task.criterion.natural(alone[name]):.6g})" for name in nearest)
        prior_only = task.criterion.natural(empty.score)
        warnings.warn(
            f"No column improves {task.criterion.name} on the class priors alone ({prior_only:.6g}), "
            f"so none is selected; the nearest misses are {misses}.",
            NothingSelectedWarning,
            stacklevel=6,
        )
