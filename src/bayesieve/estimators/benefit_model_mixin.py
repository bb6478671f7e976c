# SPDX-License-Identifier: BSD-3-Clause
"""What can be done with benefits over a classifier of this library: rows are explained, and the model is saved."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.decisions import best_actions
from bayesieve.estimators._types import Array, TableLike
from bayesieve.estimators.binned_amount import BinnedAmount
from bayesieve.estimators.expected_amounts import ColumnAmount, LearnedAmount
from bayesieve.estimators.fitted_mixins import PositiveClassMixin, SavingMixin
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.explain.benefit_explanation import BenefitExplanation, explain_amounts
from bayesieve.model_file.file import write_model
from bayesieve.model_file.saved_model import SavedBenefit, SavedModel
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["BenefitModelMixin"]


class BenefitModelMixin(PositiveClassMixin):
    """Explanations and the model file; a subclass gives expected benefits."""

    cost: float
    estimator_: BaseEstimator
    actions_: Array
    amount_: ColumnAmount | LearnedAmount | BinnedAmount | None
    benefit_matrix_: Floats | None

    def expected_amount(self, X: TableLike) -> Floats | None:
        """Return the expected amount of each row if it is positive; None where there are no amounts.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        amounts : array of shape (n_samples,), or None
            Those of amounts that are predicted are 0 at least.
        """
        probabilities = self.predict_proba(X)
        return None if self.amount_ is None else self.amount_.predict(X, probabilities[:, self.positive_index_])

    def predict_proba(self, X: TableLike) -> Floats:
        """Return the classifier's probabilities."""
        raise NotImplementedError

    def expected_benefit(self, X: TableLike) -> Floats:
        """Return the expected benefit of each action."""
        raise NotImplementedError

    def explain(self, X: TableLike) -> tuple[BenefitExplanation, ...]:
        """Return why each row gets its action: probabilities, amount and benefits, and what they are made of.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        explanations : tuple of BenefitExplanation
            One per row; its ``probability`` is what the classifier's ``explain`` returns.
        """
        check_is_fitted(self)
        if not hasattr(self.estimator_, "explain"):
            raise ParameterError(
                f"A {type(self.estimator_).__name__} has no explanations of rows; use a classifier of bayesieve."
            )
        expected, amounts = self.expected_benefit(X), self.expected_amount(X)
        chosen, actions = best_actions(expected), self.actions_.tolist()
        parts: list[tuple[Any, ...]] = [()] * len(expected)
        start = None
        if isinstance(self.amount_, BinnedAmount):
            start = float(in_units(self.amount_.model.start))
            parts = list(explain_amounts(self.amount_.model, self.amount_.code(X).tables, len(expected)))
        return tuple(
            BenefitExplanation(
                actions[chosen[i]],
                dict(zip(actions, expected[i].tolist(), strict=True)),
                None if amounts is None else float(amounts[i]),
                start,
                parts[i],
                probability,
            )
            for i, probability in enumerate(self.estimator_.explain(X))
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier, amounts and costs to a JSON file, from which `bayesieve.load` restores the decisions.

        Parameters
        ----------
        path : str or path
            The file. It holds no code: the classifier must be one of bayesieve, and amounts a column, a mean or
            ``amount="bins"``.
        """
        check_is_fitted(self)
        if not isinstance(self.estimator_, SavingMixin):
            name = type(self.estimator_).__name__
            raise ModelFileError(f"A model file holds no code, and {name} is not a classifier of bayesieve.")
        saved: SavedModel = self.estimator_._saved_model()
        benefit = SavedBenefit(float(self.cost), self.pos_label, self.benefit_matrix_, self._saved_amount())
        write_model(path, replace(saved, benefit=benefit))

    def _saved_amount(self) -> AmountModel | str | None:
        if isinstance(self.amount_, LearnedAmount):
            name = type(self.amount_.regressor).__name__
            raise ModelFileError(f"A model file holds no code, so not the amounts of a {name}; use amount='bins'.")
        return self.amount_.model if isinstance(self.amount_, BinnedAmount) else getattr(self.amount_, "column", None)

    def _adopt_classifier(self, classifier: BaseEstimator) -> None:
        self.estimator_, self.classes_ = classifier, np.asarray(classifier.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(classifier, name):
                setattr(self, name, getattr(classifier, name))

    def _name_actions(self) -> None:
        n_actions = 2 if self.benefit_matrix_ is None else len(self.benefit_matrix_)
        if n_actions != len(self.classes_):
            self.actions_ = np.arange(n_actions)
        else:
            to_act_is_first = self.amount_ is not None and self.positive_index_ == 0
            self.actions_ = self.classes_[::-1] if to_act_is_first else self.classes_
