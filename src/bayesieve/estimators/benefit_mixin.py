# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted classifier with benefits does: it explains its decisions, adds up what they bring, and is saved."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.decisions import (
    Profit,
    ProfitCurve,
    best_actions,
    mailing_benefits,
    profit_curve,
    read_benefits,
    realized_benefits,
    total_profit,
)
from bayesieve.estimators._types import Array, TableLike
from bayesieve.estimators.amounts import BinnedAmount, ColumnAmount, LearnedAmount, read_amounts
from bayesieve.estimators.fitted_mixins import PositiveClassMixin
from bayesieve.estimators.saving import SavingMixin
from bayesieve.exceptions import DataError, ModelFileError, ParameterError
from bayesieve.explain.benefit_explanation import BenefitExplanation, explain_amounts
from bayesieve.model_file.file import write_model
from bayesieve.model_file.saved_model import SavedBenefit, SavedModel
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["BenefitMixin"]


class BenefitMixin(PositiveClassMixin):
    """Decisions by expected benefits, which a subclass gives: explained, added up, and saved."""

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

    def row_benefits(self, X: TableLike, probabilities: Floats | None = None) -> Floats:
        """Return the benefit of each action if each class is true: amounts less costs, or the matrix of all rows.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            The rows.
        probabilities : array of shape (n_samples, n_classes), default=None
            Those of ``predict_proba``, where they are known.

        Returns
        -------
        benefits : array of shape (n_samples or 1, n_actions, n_classes)
            Weighted by the class probabilities of a row, they are its expected benefits.
        """
        if self.amount_ is None:
            return self._benefits_of(None, 0)
        chances = self.predict_proba(X) if probabilities is None else probabilities
        amounts = self.amount_.predict(X, chances[:, self.positive_index_])
        return mailing_benefits(amounts, self.cost, self.positive_index_)

    def predict_proba(self, X: TableLike) -> Floats:
        """Return the classifier's probabilities."""
        raise NotImplementedError

    def expected_benefit(self, X: TableLike, benefits: ArrayLike | None = None) -> Floats:
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
        expected = self.expected_benefit(X)
        amounts = self.expected_amount(X)
        chosen = best_actions(expected)
        actions = self.actions_.tolist()
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

    def realized_benefit(
        self,
        X: TableLike,
        y: ArrayLike,
        *,
        amounts: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
        level: float = 0.95,
        n_draws: int = 1000,
        random_state: int = 0,
    ) -> Profit:
        """Return the total benefit of the actions, given the true classes, with a bootstrap interval.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            Held-out rows; on training rows the figure is optimistic.
        y : array of shape (n_samples,)
            Their classes.
        amounts : array of shape (n_samples,), default=None
            The amount of each row of the positive class.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            The benefits of these rows, instead of amounts.
        level : float, default=0.95
            The confidence level of the interval.
        n_draws : int, default=1000
            Number of bootstrap draws.
        random_state : int, default=0
            Seed of the draws.

        Returns
        -------
        profit : Profit
            The total, its interval, and how many rows were acted upon.
        """
        actions = best_actions(self.expected_benefit(X, benefits))
        truth, true_benefits = self._truth(y, amounts, benefits)
        realized = realized_benefits(actions, truth, true_benefits)
        return total_profit(realized, actions > 0, level, n_draws, random_state)

    def profit_curve(
        self, X: TableLike, y: ArrayLike, amounts: ArrayLike | None = None, benefits: ArrayLike | None = None
    ) -> ProfitCurve:
        """Return the benefit of acting upon the most promising rows, for every number of them; for two actions.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            Held-out rows; on training rows the figure is optimistic.
        y : array of shape (n_samples,)
            Their classes.
        amounts : array of shape (n_samples,), default=None
            The amount of each row of the positive class.
        benefits : array of shape (n_samples, n_actions, n_classes), default=None
            The benefits of these rows, instead of amounts.

        Returns
        -------
        curve : ProfitCurve
            Totals of action 1 less those of action 0.
        """
        expected = self.expected_benefit(X, benefits)
        if expected.shape[1] != 2:
            raise ParameterError(f"A profit curve is for two actions; there are {expected.shape[1]}.")
        truth, true_benefits = self._truth(y, amounts, benefits)
        nothing, something = (
            realized_benefits(np.full(len(truth), a, dtype=np.intp), truth, true_benefits) for a in (0, 1)
        )
        return profit_curve(expected[:, 1] - expected[:, 0], something - nothing)

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
        self.estimator_ = classifier
        self.classes_ = np.asarray(classifier.classes_)
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

    def _benefits_of(self, benefits: ArrayLike | None, n_rows: int) -> Floats:
        if benefits is not None:
            return read_benefits(benefits, len(self.classes_), n_rows)
        assert self.benefit_matrix_ is not None
        matrix: Floats = self.benefit_matrix_[None]
        return matrix

    def _truth(
        self, y: ArrayLike, amounts: ArrayLike | None, benefits: ArrayLike | None
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the class of each row, and the benefit of each action."""
        labels = np.asarray(y).ravel()
        truth = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        if (strange := labels[self.classes_[truth] != labels]).size:
            raise DataError(f"y has the label {strange[0].item()!r}, which did not occur in training.")
        if amounts is not None:
            if len(self.classes_) != 2:
                raise DataError("Amounts are for two classes; give benefits.")
            positive = self.positive_index_
            return truth, mailing_benefits(read_amounts(amounts, truth == positive), self.cost, positive)
        if benefits is None and self.amount_ is not None:
            raise DataError("The benefit of the actions depends on amounts; give those of the positive rows.")
        return truth, self._benefits_of(benefits, len(labels))
