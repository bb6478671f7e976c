"""The profit curve: what acting on the most promising rows brings."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bayesieve.decisions import ProfitCurve
from bayesieve.displays.axes import open_axes
from bayesieve.exceptions import ParameterError

__all__ = ["ProfitCurveDisplay"]


@dataclass
class ProfitCurveDisplay:
    """What was promised and what came, for every number of rows acted upon, the most promising first.

    Parameters
    ----------
    curve : ProfitCurve
        Both totals.
    n_advised : int
        How many rows promise more than nothing: the classifier's own choice.
    name : str
        What is drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn.
    line_, promised_line_ : matplotlib artists
        What came, and what was promised.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bayesieve import BenefitClassifier, ProfitCurveDisplay
    >>> X, y = np.arange(10.0).reshape(-1, 1), np.array([0, 0, 0, 0, 1, 0, 0, 1, 1, 1])
    >>> donors = BenefitClassifier(LogisticRegression(), cost=3.0).fit(X, y, amounts=8.0 * y)
    >>> display = ProfitCurveDisplay.from_estimator(donors, X, y, amounts=8.0 * y)
    >>> display.n_advised, display.curve.total[display.n_advised].item()
    (5, 9.0)
    """

    curve: ProfitCurve
    n_advised: int
    name: str
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)
    promised_line_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        amounts: ArrayLike | None = None,
        benefits: ArrayLike | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier of benefits with two actions.

        Parameters
        ----------
        estimator : fitted BenefitClassifier
            Whose promises order the rows.
        X, y, amounts, benefits
            Rows that it was not fitted on, and what they bring; see `BenefitClassifier.realized_benefit`.
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.
        **line
            Given to matplotlib's ``plot`` for what came.

        Returns
        -------
        display : ProfitCurveDisplay
            Drawn.
        """
        if not hasattr(estimator, "profit_curve"):
            raise ParameterError(f"A profit curve is of a BenefitClassifier, got {type(estimator).__name__}.")
        curve = estimator.profit_curve(X, y, amounts, benefits)
        expected = estimator.expected_benefit(X, benefits)
        n_advised = int(np.sum(expected[:, 1] > expected[:, 0]))
        return cls(curve, n_advised, type(estimator).__name__).plot(ax, **line)

    def plot(self, ax: Any = None, **line: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.
        **line
            Given to matplotlib's ``plot`` for what came.

        Returns
        -------
        display : ProfitCurveDisplay
            This one.
        """
        ax = open_axes(ax)
        style: dict[str, Any] = {"label": f"{self.name}: what came"} | line
        (self.line_,) = ax.plot(self.curve.n_acted, self.curve.total, **style)
        (self.promised_line_,) = ax.plot(
            self.curve.n_acted, self.curve.expected, color=self.line_.get_color(), linestyle="--", label="promised"
        )
        ax.axvline(self.n_advised, color="0.5", linestyle=":", linewidth=1, label=f"{self.n_advised:,} rows advised")
        ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        ax.set(xlabel="rows acted upon, the most promising first", ylabel="total, against acting on none")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
