# SPDX-License-Identifier: BSD-3-Clause
"""The measures of a goal: recall, precision or profit of the models' own decisions, for each number of columns."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from statistics import stdev
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.decisions import expected_benefits, mailing_benefits, profit_curve
from bayesieve.report.context import ReportContext, profit_of_acting
from bayesieve.report.formats import rounded
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.metrics import Score, goal_metrics

__all__ = ["GoalScores", "ProfitPoints", "expected_profits"]

_MOST_POINTS: Final = 60


def expected_profits(
    context: ReportContext, predictions: HeldOutPredictions, positive: int, size: int | None = None
) -> Floats:
    """Return the expected profit of acting upon each row, by the probabilities of a size; rows are ranked by it."""
    assert context.amount is not None
    assert context.cost is not None
    amounts = predictions.amounts
    if amounts is None:
        amounts = np.full(len(predictions.target), context.amount)
    benefits = mailing_benefits(amounts, context.cost, positive)
    acting: Floats = expected_benefits(predictions.probabilities(size), benefits)[:, 1]
    return acting


@dataclass(frozen=True)
class ProfitPoints:
    """What acting upon the rows of the largest expected profit brings, for numbers of them.

    Attributes
    ----------
    n_acted, n_positive : list of int
        Number of rows, and of positive ones among them.
    profit : list of float
        The realized profit.
    lowest : list of float
        The expected profit of the last of these rows.
    """

    n_acted: list[int]
    n_positive: list[int]
    profit: list[float]
    lowest: list[float | None]


@dataclass(frozen=True)
class GoalScores:
    """What the decisions of a model are measured by.

    Attributes
    ----------
    context : ReportContext
        The goal.
    predictions : HeldOutPredictions
        Decisions for rows by models that were fitted without them.
    positive : int or None
        The index of the positive class.
    """

    context: ReportContext
    predictions: HeldOutPredictions
    positive: int | None

    def scores(self, size: int | None) -> dict[str, Score | None]:
        """Return the measures at a number of columns (None: the selected one); None of a share of no row."""
        metrics = goal_metrics(self.context.goal, self.context.floor)
        if not metrics or self.positive is None:
            return {}
        positive, acted = self._is_positive, self.predictions.decisions(size) == self.positive
        if "profit" in metrics:
            gains = profit_of_acting(self.context, positive)
            return {} if gains is None else {"profit": self._total(np.where(acted, gains, 0.0))}
        of = {"recall": positive, "precision": acted}
        return {name: self._share(positive & acted, of[name]) for name in metrics}

    def profit_points(self, size: int | None) -> ProfitPoints | None:
        """Return the profit of the most promising rows at a number of columns, where amounts depend on the row."""
        if self.positive is None or self.context.amounts is None:
            return None
        gains = profit_of_acting(self.context, self._is_positive)
        if gains is None:
            return None
        expected = expected_profits(self.context, self.predictions, self.positive, size)
        curve = profit_curve(expected, gains)
        n_positive = np.append(0, np.cumsum(self._is_positive[np.argsort(-expected, kind="stable")]))[curve.n_acted]
        own = int(np.searchsorted(curve.n_acted, (expected > 0).sum()))
        places = np.unique([*np.linspace(0, len(curve.total) - 1, _MOST_POINTS).round().astype(np.intp).tolist(), own])
        ranked = np.append(np.nan, np.sort(expected)[::-1])
        return ProfitPoints(
            curve.n_acted[places].tolist(),
            n_positive[places].tolist(),
            rounded(curve.total[places], 9),
            rounded(ranked[curve.n_acted[places]]),
        )

    @property
    def _is_positive(self) -> NDArray[np.bool_]:
        return np.asarray(self.predictions.target == self.positive)

    def _total(self, profits: Floats) -> Score:
        """Return a sum over rows with its standard error, from the sums of folds or from those of single rows."""
        n = len(self.predictions.folds)
        if self.predictions.n_train is None:
            error = stdev(self._by_fold(lambda rows: float(profits[rows].sum()))) * sqrt(n)
        else:
            error = float(profits.std()) * sqrt(len(profits))
        return Score(rounded(float(profits.sum()), 9), rounded(error))

    def _share(self, hits: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Score | None:
        """Return the share of some rows that are hits, with its standard error over folds or rows."""
        if not rows.any():
            return None
        share = float(hits.sum() / rows.sum())
        if self.predictions.n_train is None:
            shares = self._by_fold(lambda fold: float(hits[fold].sum() / max(rows[fold].sum(), 1)))
            error = stdev(shares) / sqrt(len(shares))
        else:
            error = sqrt(share * (1.0 - share) / rows.sum() * self.predictions.rows_per_observation)
        return Score(rounded(share), rounded(error))

    def _by_fold(self, measure: Callable[[NDArray[np.intp]], float]) -> list[float]:
        return [measure(fold.rows) for fold in self.predictions.folds]
