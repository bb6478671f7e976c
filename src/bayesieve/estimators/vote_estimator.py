# SPDX-License-Identifier: BSD-3-Clause
"""What the voting selector and the voting classifier have in common."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar, Final, Self

from bayesieve.estimators._sklearn import Interval, StrOptions, require_two_classes
from bayesieve.estimators._types import ColumnsLike, Constraints, CrossValidator, Label, RandomState, Transformer
from bayesieve.estimators.options.classifier_options import positive_index, read_discretizer
from bayesieve.estimators.options.folds import read_splitter
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ParameterError
from bayesieve.fit.options import SizeOption, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.models import Votes, read_votes
from bayesieve.search.criteria import ALL_CRITERIA, SCORER_NAMES, criterion_name

__all__ = ["NAMED_VOTES", "VoteEstimator"]

# The combinations of paper 001: conjunctive and disjunctive votes, by expected and by log likelihood.
NAMED_VOTES: Final = {
    "CVE": {"votes": "all", "criterion": "expected"},
    "CVL": {"votes": "all", "criterion": "log"},
    "DVE": {"votes": "any", "criterion": "expected"},
    "DVL": {"votes": "any", "criterion": "log"},
}
_CRITERIA: Final = {"expected": "error_probability", "log": "log_loss"}


class VoteEstimator(SearchEstimator):
    """Common ground of the estimators whose columns vote."""

    benefit_matrix = None

    _parameter_constraints: ClassVar[Constraints] = {
        **SearchEstimator._parameter_constraints,
        "votes": [str, Integral, Real],
        "criterion": [StrOptions({*_CRITERIA, *ALL_CRITERIA, *SCORER_NAMES} - {"benefit"})],
        "pos_label": "no_validation",
        "stop": [StrOptions({"k", "gain"})],
        "class_prior": [StrOptions({"observed", "balanced"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    votes: str | float
    stop: str
    class_prior: str

    def __init__(
        self,
        votes: str | float = "any",
        criterion: str = "expected",
        *,
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        stop: str = "k",
        class_prior: str = "observed",
        search: str = "forward",
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        smoothing: float = 1.0,
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self._store(locals())

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

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        vote_rule = read_votes(self.votes)
        require_two_classes(rows.n_classes, "columns vote for one class against the other")
        positive = positive_index(self.pos_label, rows.classes.tolist())
        model = Votes(replace(vote_rule, positive=positive), float(self.smoothing), self.class_prior == "balanced")
        rule = read_discretizer(self.discretizer, rows.head, rows.n_classes)
        criterion = _CRITERIA.get(self.criterion, criterion_name(self.criterion))
        return replace(
            self._common_options(rows, rule, model, self.search, criterion),
            splitter=read_splitter(rows, self.cv, self.random_state),
            positive=positive,
            ties="score",
            stop=self.stop,
        )
