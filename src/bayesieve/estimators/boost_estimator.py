# SPDX-License-Identifier: BSD-3-Clause
"""What the boosted selector and the boosted classifier have in common."""

from dataclasses import replace
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.document import Entry
from bayesieve.estimators._sklearn import Interval, StrOptions, require_two_classes, two_classes_only
from bayesieve.estimators._types import Constraints, TableLike, Tags
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.fitted_mixins import SavingMixin
from bayesieve.estimators.options.classifier_options import positive_index, read_discretizer
from bayesieve.estimators.options.folds import read_splitter
from bayesieve.estimators.rows import open_new_rows
from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exact import in_nats
from bayesieve.exceptions import ModelFileError
from bayesieve.fit.options import TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate
from bayesieve.model_file.saved_model import SavedModel, refuse_pairs, restore, saved_model
from bayesieve.models import BOOSTERS, BoostedModel, Boosting

__all__ = ["BoostEstimator"]

_SHARED = (
    "n_features", "cv", "discretizer", "scoring", "keep", "drop", "one_se", "tol", "max_time", "checkpoint",
    "n_jobs", "backend", "random_state", "verbose",
)  # fmt: skip


class BoostEstimator(ColumnSelectionMixin, SavingMixin, ScorecardMixin, SearchEstimator):
    """Common ground of the estimators whose columns are added by boosting."""

    criterion = ""  # the parameter is ``method``
    benefit_matrix = None
    start_from = None
    feature_groups = None

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions(set(BOOSTERS))],
        "replace": ["boolean"],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "pos_label": "no_validation",
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        **{name: SearchEstimator._parameter_constraints[name] for name in _SHARED},
    }

    method: str
    replace: bool
    shrinkage: float

    def decision_function(self, X: TableLike) -> NDArray[np.float64]:
        """Return the log-odds of the second class by the boosted model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_odds : array of shape (n_samples,)
            In nats; for the exponential losses ("confidence", "real"), twice the sum of the steps.
        """
        scores = self._evidence(open_new_rows(self, X)).scores
        return in_nats(scores[1] - scores[0])

    def _saved_model(self) -> SavedModel:
        saved, position = saved_model(self), self.selection_.positions
        rounds = [[position[name], alpha] for name, alpha in zip(self.rounds_, self.alphas_.tolist(), strict=True)]
        return replace(saved, summary={**saved.summary, "rounds": rounds})

    def _boosting(self) -> Boosting:
        return Boosting(self.method, float(self.shrinkage), float(self.smoothing), bool(self.replace))

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        require_two_classes(rows.n_classes, "boosting separates one class from the other")
        model = self._boosting()
        rule = read_discretizer(self.discretizer, rows.head, rows.n_classes)
        return replace(
            self._common_options(rows, rule, model, "forward", "log_loss"),
            splitter=read_splitter(rows, self.cv, self.random_state),
            learns_on_path=True,
            positive=positive_index(self.pos_label, rows.classes.tolist()),
        )

    def _adopt(self, candidate: Candidate) -> Self:
        super()._adopt(candidate)
        self.rounds_ = tuple(step.column for step in candidate.steps)
        self.alphas_: NDArray[np.float64] = np.array([step.alpha for step in candidate.steps])
        return self

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())

    @classmethod
    def _from_file(cls, saved: SavedModel) -> Self:
        """Return the estimator of a model file."""
        refuse_pairs(saved)
        summary, card = dict(saved.summary), saved.scorecard
        rounds = Entry(summary.pop("rounds", None), "model.summary.rounds")
        try:
            model = cls(**saved.parameters)
            boosting = model._boosting()
        except (TypeError, ValueError):
            raise ModelFileError(f"The model file has parameters that {cls.__name__} does not have.") from None
        if boosting.method not in BOOSTERS or len(card.classes) != 2:
            raise ModelFileError("The model file has no boosted model of two classes.")
        tables = tuple(replace(each, table=each.table[:, 0]) for each in card.tables)
        boosted = BoostedModel(card.classes, card.start, tables, card.class_mass, laplace=False, boosting=boosting)
        restore(model, replace(saved, scorecard=boosted, summary=summary))
        pairs = [pair.items() for pair in rounds.items()]
        if any(len(pair) != 2 for pair in pairs):
            rounds.refuse("pairs of a position and a number")
        names = model.column_names_
        model.rounds_ = tuple(names[column.whole(0, len(names) - 1)] for column, _ in pairs)
        model.alphas_ = np.array([alpha.number() for _, alpha in pairs])
        return model
