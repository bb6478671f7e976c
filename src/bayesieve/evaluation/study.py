"""What is compared on what: selectors × classifiers × sizes on the outer folds of data sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from threadpoolctl import threadpool_limits

from bayesieve.evaluation.held_data import HeldData, hold
from bayesieve.evaluation.learner import Learner, Split
from bayesieve.evaluation.opened_data import Source
from bayesieve.evaluation.trial import Trial
from bayesieve.search import fingerprint

__all__ = ["Job", "Study"]

Job = tuple[str, int, str]  # data set, fold, selector
Record = dict[str, Any]


@dataclass
class Study:
    """Selectors, classifiers and data sets; called with a job it gives the job's record.

    Attributes
    ----------
    selectors : dict of str to selector or None
        None takes all columns.
    learners : dict of str to Learner
        The classifiers.
    data : dict of str to source
        See `open_data`.
    sizes : sequence of int, or None
        Numbers of columns, as far as a table has so many; None takes each selector's own selection.
    cv : int or splitter
        Outer folds.
    inner_cv : int
        Inner folds, which tune.
    tune_on : str
        The measure that tuning improves.
    positive : label or None
        The positive one of two classes; the second by default.
    random_state : int
        Shuffles the folds.
    """

    selectors: Mapping[str, Any]
    learners: Mapping[str, Learner]
    data: Mapping[str, Source]
    sizes: Sequence[int] | None = None
    cv: Any = 10
    inner_cv: int = 5
    tune_on: str = "accuracy"
    positive: Any = None
    random_state: int = 0
    _held: HeldData | None = field(default=None, repr=False)
    _splits: dict[str, list[Split]] = field(default_factory=dict, repr=False)  # drawn once, for every process
    _data_marks: dict[str, str] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what another process can open again."""
        return {**self.__dict__, "_held": None}

    def __call__(self, job: Job) -> Record:
        """Return the columns that a selector gives on a fold, and the scores of every classifier on them."""
        name, fold, selector = job
        trial = Trial(self.hold(name), fold, self.sizes, self.inner_cv, self.tune_on, self.positive, self.random_state)
        with threadpool_limits(1):  # sums of several threads differ in their last digits, and jobs are parallel already
            return self._record(trial, selector)

    def _record(self, trial: Trial, selector: str) -> Record:
        name = trial.held.name
        sizes, subsets = trial.select(self.selectors[selector])
        order = max(subsets, key=len)
        nested = all(subset == order[: len(subset)] for subset in subsets)
        return {
            "data": name,
            "fold": trial.fold,
            "selector": selector,
            "mark": self.mark(name, selector),
            "n_columns": trial.held.data.table.n_columns,
            "n_rows": trial.held.data.table.n_rows,
            "n_positive": trial.held.n_positive(self.positive),
            "n_train": len(trial.held.splits[trial.fold][0]),
            "n_test": len(trial.held.splits[trial.fold][1]),
            "sizes": sizes,
            "n_features": [len(subset) for subset in subsets],
            "order": order,
            "subsets": None if nested else subsets,
            "scores": {each: trial.score(learner, subsets) for each, learner in self.learners.items()},
        }

    def jobs(self) -> list[Job]:
        """Return all jobs; those of one fold follow each other, since they share its encodings."""
        return [
            (name, fold, selector)
            for name in self.data
            for fold in range(len(self.hold(name).splits))
            for selector in self.selectors
            if self.mark(name, selector)  # of data that are open now
        ]

    def hold(self, name: str) -> HeldData:
        """Open a data set; the last one is held."""
        if self._held is None or self._held.name != name:
            self._held = hold(name, self.data[name], self._splits.get(name, self.cv), self.random_state)
            self._splits[name] = self._held.splits
        return self._held

    def mark(self, name: str, selector: str) -> str:
        """Return a fingerprint of all that decides the records of a selector on a data set."""
        if name not in self._data_marks:
            held = self.hold(name)
            self._data_marks[name] = fingerprint([held.data.mark, *(rows for split in held.splits for rows in split)])
        sizes = None if self.sizes is None else list(self.sizes)
        parts = [self._data_marks[name], _words(self.selectors[selector]), repr(sizes), self.tune_on]
        parts += [repr(self.inner_cv), repr(self.positive), repr(self.random_state)]
        for each, learner in self.learners.items():
            grid = sorted((key, list(values)) for key, values in (learner.grid or {}).items())
            parts += [each, _words(learner.estimator), repr(grid), learner.encoding]
        return fingerprint(parts)[:16]


def _words(estimator: Any) -> str:
    """Return an estimator's class and all of its parameters."""
    if estimator is None:
        return "None"
    parameters: Iterable[tuple[str, Any]] = sorted(estimator.get_params().items())
    return f"{type(estimator).__module__}.{type(estimator).__qualname__} {list(parameters)!r}"
