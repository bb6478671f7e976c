# SPDX-License-Identifier: BSD-3-Clause
"""The contributions to one prediction as bars."""

from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, Self

from sklearn.base import BaseEstimator

from bayesieve.exceptions import ParameterError
from bayesieve.explain.displays.axes import open_axes
from bayesieve.explain.row_explanation import RowExplanation
from bayesieve.models.intervals import TIMES_90

__all__ = ["RowExplanationDisplay"]

_WIDEST = 40  # characters of a line, which leaves half of the width for bars


@dataclass
class RowExplanationDisplay:
    """A bar per contribution to the log-odds of a row, the largest on top, with its 90 % interval if there is one.

    Parameters
    ----------
    explanation : RowExplanation
        What ``explain`` of a classifier returns for one row.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Where it is drawn.
    bars_ : matplotlib bar container
        One bar per column, and one for the intercept.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import RowExplanationDisplay, SelectiveNaiveBayes
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayes(n_features=2).fit(X, y)
    >>> display = RowExplanationDisplay.from_estimator(model, X.head(1))
    >>> len(display.bars_)
    3
    """

    explanation: RowExplanation
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    bars_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, row: int = 0, *, classes: tuple[Any, Any] | None = None, ax: Any = None
    ) -> Self:
        """Draw the explanation of one row.

        Parameters
        ----------
        estimator : fitted classifier
            Such as `SelectiveNaiveBayes`.
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.
        row : int, default=0
            The position of the row.
        classes : pair of class labels, default=None
            The log-odds of the first against the second; by default, of the predicted class against the next probable.
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.

        Returns
        -------
        display : RowExplanationDisplay
            Drawn.
        """
        explanations = estimator.explain(X)
        if not -len(explanations) <= row < len(explanations):
            raise ParameterError(f"There is no row {row}; the table has {len(explanations)} rows.")
        if not isinstance(explanations[row], RowExplanation):
            raise ParameterError(f"A {type(estimator).__name__} explains its rows by no contributions to log-odds.")
        return cls(explanations[row] if classes is None else estimator.explain(X, classes)[row]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.

        Returns
        -------
        display : RowExplanationDisplay
            This one.
        """
        shown, contributions = self.explanation, self.explanation.contributions
        names = [*(fill(f"{each.column}: {each.bin}", _WIDEST) for each in contributions), "intercept"]
        n_more = sum(name.count("\n") for name in names)  # lines
        ax = open_axes(ax, 7.0, 1.2 + 0.35 * len(names) + 0.17 * n_more)
        sizes = [*(each.log_odds for each in contributions), shown.prior]
        colors = ["tab:blue" if size >= 0 else "tab:orange" for size in sizes]
        errors = [each.error for each in contributions if each.error is not None]
        half = [*(TIMES_90 * error for error in errors), 0.0] if len(errors) == len(contributions) else None
        self.bars_ = ax.barh(range(len(names)), sizes, xerr=half, color=colors, ecolor="tab:gray")
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.axvline(0.0, color="black", linewidth=0.8)
        sums = ", ".join(f"{title} {value:+.2f}" for title, value in shown.sums())
        ax.set_xlabel(fill(f"log-odds of {shown.favored!r} against {shown.other!r} ({sums})", _WIDEST))
        self.ax_, self.figure_ = ax, ax.figure
        return self
