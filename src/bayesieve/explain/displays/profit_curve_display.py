# SPDX-License-Identifier: BSD-3-Clause
"""Plot of the profit curve: the profit of acting on the rows with the highest expected profit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from bayesieve.decisions import ProfitCurve
from bayesieve.exceptions import ParameterError
from bayesieve.explain.displays.axes import open_axes

__all__ = ["ProfitCurveDisplay"]


@dataclass
class ProfitCurveDisplay:
    """Expected and realized profit against the number of rows acted on, highest expected profit first.

    Parameters
    ----------
    curve : ProfitCurve
        Expected and realized totals.
    n_recommended : int
        Number of rows on which the classifier acts: those whose expected profit is positive.
    name : str
        Name in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    line_, expected_line_ : matplotlib artists
        Curves of the realized and of the expected profit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesieve import BenefitClassifier, ProfitCurveDisplay
    >>> X, y = np.arange(10.0).reshape(-1, 1), np.array([0, 0, 0, 0, 1, 0, 0, 1, 1, 1])
    >>> donors = BenefitClassifier(LogisticRegression(), cost=3.0).fit(X, y, amounts=8.0 * y)
    >>> display = ProfitCurveDisplay.from_estimator(donors, X, y, amounts=8.0 * y)
    >>> display.n_recommended, display.curve.total[display.n_recommended].item()
    (5, 9.0)
    """

    curve: ProfitCurve
    n_recommended: int
    name: str
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)
    expected_line_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: ArrayLike,
        *,
        amounts: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw the profit curve of a fitted `BenefitClassifier` with two actions.

        Parameters
        ----------
        estimator : fitted BenefitClassifier
            The classifier; its expected profits sort the rows.
        X, y, amounts, benefits
            Held-out rows and their benefits; see `BenefitClassifier.realized_benefit`.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **line
            Passed to matplotlib's ``plot`` for the realized profit.

        Returns
        -------
        display : ProfitCurveDisplay
            The display, drawn.
        """
        if not hasattr(estimator, "profit_curve"):
            raise ParameterError(f"A profit curve needs a BenefitClassifier, got {type(estimator).__name__}.")
        curve = estimator.profit_curve(X, y, amounts, benefits)
        expected = estimator.expected_benefit(X, benefits)
        n_recommended = int(np.sum(expected[:, 1] > expected[:, 0]))
        return cls(curve, n_recommended, type(estimator).__name__).plot(ax, **line)

    def plot(self, ax: Any = None, **line: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **line
            Passed to matplotlib's ``plot`` for the realized profit.

        Returns
        -------
        display : ProfitCurveDisplay
            The display itself.
        """
        ax = open_axes(ax)
        style: dict[str, Any] = {"label": f"{self.name}: realized profit"} | line
        (self.line_,) = ax.plot(self.curve.n_acted, self.curve.total, **style)
        (self.expected_line_,) = ax.plot(
            self.curve.n_acted,
            self.curve.expected,
            color=self.line_.get_color(),
            linestyle="--",
            label="expected profit",
        )
        ax.axvline(
            self.n_recommended,
            color="0.5",
            linestyle=":",
            linewidth=1,
            label=f"{self.n_recommended:,} rows with positive expected profit",
        )
        ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        ax.set(xlabel="rows acted on, by decreasing expected profit", ylabel="total profit")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
