# SPDX-License-Identifier: BSD-3-Clause
"""The realized benefit of decisions, given the true classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from bayesieve.estimators._types import TableLike
from bayesieve.estimators.binned_amount import BinnedAmount
from bayesieve.estimators.expected_amounts import ColumnAmount, LearnedAmount, read_amounts
from bayesieve.estimators.fitted_mixins import PositiveClassMixin
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["RealizedBenefitMixin"]


class RealizedBenefitMixin(PositiveClassMixin):
    """Adds up the benefits of a fitted classifier's actions; a subclass gives expected benefits."""

    cost: float
    amount_: ColumnAmount | LearnedAmount | BinnedAmount | None
    benefit_matrix_: Floats | None

    def expected_benefit(self, X: TableLike, benefits: ArrayLike | None = None) -> Floats:
        """Return the expected benefit of each action."""
        raise NotImplementedError

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
