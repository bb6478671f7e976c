"""What the voting selector and the voting classifier have in common."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from bayesieve.criteria import CRITERIA
from bayesieve.estimators.options.folds import read_cv
from bayesieve.estimators.options.plan import Plan, read_discretizer
from bayesieve.estimators.options.search_options import in_order
from bayesieve.estimators.options.tags import require_two_classes
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ParameterError
from bayesieve.models import Votes, read_votes
from bayesieve.training.block_rows import TrainingRows
from bayesieve.training.task import Task

__all__ = ["NAMED_VOTES", "VoteEstimator"]

# The combinations of paper 001: conjunctive and disjunctive votes, by expected and by log likelihood.
NAMED_VOTES: Final = {
    "CVE": {"votes": "all", "objective": "expected"},
    "CVL": {"votes": "all", "objective": "log"},
    "DVE": {"votes": "any", "objective": "expected"},
    "DVL": {"votes": "any", "objective": "log"},
}
_OBJECTIVES: Final = {"expected": "error_probability", "log": "log_loss"}
_MOST_RANKED = 50  # columns, where no number is asked for


class VoteEstimator(SearchEstimator):
    """Common ground of the estimators whose columns vote."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: kinds for name, kinds in SearchEstimator._parameter_constraints.items() if name != "criterion"},
        "votes": [str, Integral, Real],
        "objective": [StrOptions({*_OBJECTIVES, *CRITERIA})],
        "stop": [StrOptions({"k", "gain"})],
        "class_prior": [StrOptions({"observed", "balanced"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        votes: Any = "any",
        objective: str = "expected",
        *,
        n_features: Any = "auto",
        stop: str = "k",
        class_prior: str = "observed",
        search: str = "forward",
        cv: Any = 5,
        discretizer: Any = "modl",
        smoothing: float = 1.0,
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
        self.votes = votes
        self.objective = objective
        self.n_features = n_features
        self.stop = stop
        self.class_prior = class_prior
        self.search = search
        self.cv = cv
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

    @classmethod
    def named(cls, name: str, **changes: Any) -> Self:
        """Return a combination of paper 001: "CVE", "CVL", "DVE" or "DVL", scored on the training rows as there.

        Parameters
        ----------
        name : str
            C for all votes (conjunctive), D for any vote (disjunctive); E for the expected likelihood, L for its log.
        **changes : parameters
            Other parameters, or other values.

        Returns
        -------
        estimator : object
            Not fitted.
        """
        if name not in NAMED_VOTES:
            raise ParameterError(f"name must be one of {', '.join(NAMED_VOTES)}, got {name!r:.60}.")
        parameters: dict[str, Any] = {**NAMED_VOTES[name], "cv": 0}
        return cls(**(parameters | changes))

    def _plan(self, sample: TrainingRows) -> Plan:
        model = Votes(read_votes(self.votes), float(self.smoothing), self.class_prior == "balanced")
        require_two_classes(sample.n_classes, "columns vote for one class against the other")
        rule = read_discretizer(self.discretizer, sample)
        criterion = _OBJECTIVES.get(self.objective, self.objective)
        return Plan(rule, model, self.search, criterion, read_cv(self.cv), self.random_state)

    def _refine(self, task: Task) -> Task:
        """Break ties by the score alone, then as in the table; go through all sizes, or on while it pays."""
        where, wanted = task.space, task.stopping
        n_locked = sum(len(where.groups[u].columns) for u in where.locked)
        if self.stop == "gain":
            smallest = wanted.smallest if isinstance(self.n_features, tuple) else n_locked
            wanted = replace(wanted, smallest=smallest, forced=False)
        elif self.n_features == "auto":
            largest = max(n_locked, min(_MOST_RANKED, wanted.largest))
            wanted = replace(wanted, smallest=n_locked, largest=largest, forced=True)
        if where.groups:
            engine = task.engine()
            engine.reset({})
            alone = engine.score(where.moves("add", np.arange(len(where.groups))), exact=True).tolist()
            where = in_order(where, sorted(range(len(alone)), key=lambda u: (-alone[u], where.groups[u].columns[0])))
        return replace(task, space=where, stopping=wanted)
