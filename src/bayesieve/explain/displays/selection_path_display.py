# SPDX-License-Identifier: BSD-3-Clause
"""Plot of the selection path: the score for each number of columns."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.exceptions import ParameterError
from bayesieve.explain.displays.axes import open_axes
from bayesieve.search.criteria import METRICS

__all__ = ["SelectionPathDisplay"]


@dataclass
class SelectionPathDisplay:
    """The best score for each number of columns that a search visited.

    These scores guided the selection, so they are optimistic; `bayesieve.Report` and `bayesieve.evaluate` give
    cross-validated scores.

    Parameters
    ----------
    n_features : int array of shape (n_sizes,)
        Numbers of columns, increasing.
    value : array of shape (n_sizes,)
        The value of the metric, with its usual sign.
    error : array of shape (n_sizes,)
        Its standard error, taking folds as independent; 0 if there is a single fold.
    selected : int
        The number of selected columns.
    metric : str
        Name of the metric.
    is_loss : bool
        Whether lower is better.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    line_ : matplotlib artist
        The curve.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import NaiveBayesSelector, SelectionPathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = NaiveBayesSelector(n_features=4, cv=3).fit(X, y)
    >>> display = SelectionPathDisplay.from_estimator(selector)
    >>> display.n_features.tolist(), display.selected, display.is_loss
    ([0, 1, 2, 3, 4], 4, True)
    """

    n_features: NDArray[np.int64]
    value: Floats
    error: Floats
    selected: int
    metric: str
    is_loss: bool
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, *, metric: str | None = None, ax: Any = None, **curve: Any
    ) -> Self:
        """Draw the path of a fitted selector or classifier.

        Parameters
        ----------
        estimator : fitted estimator with ``path_``
            Such as `NaiveBayesSelector`, `SelectiveNaiveBayes`, `VoteSelector` or `FilterSelector` of subsets.
        metric : str, default=None
            One of the metrics in the parameter ``scoring`` of the estimator; by default the criterion of the search.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **curve
            Passed to matplotlib's ``errorbar``.

        Returns
        -------
        display : SelectionPathDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        path = getattr(estimator, "path_", None)
        if path is None:
            raise ParameterError(
                f"A selection path is the result of a search; this {type(estimator).__name__} has none."
            )
        if metric is None or metric == path.criterion:
            best = path.best_by_size()
            sizes, splits = list(best), [best[size].split_scores for size in best]
            means, is_loss = [best[size].score for size in best], path.is_loss
        else:
            sizes, splits = _reported(estimator, metric)
            means, is_loss = [float(np.mean(each)) for each in splits], METRICS[metric].is_loss
        value = (-1.0 if is_loss else 1.0) * np.array(means, dtype=np.float64)
        error = np.array([_standard_error(each) for each in splits], dtype=np.float64)
        display = cls(np.array(sizes), value, error, len(path.order), metric or path.criterion, bool(is_loss))
        return display.plot(ax, **curve)

    def plot(self, ax: Any = None, **curve: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **curve
            Passed to matplotlib's ``errorbar``.

        Returns
        -------
        display : SelectionPathDisplay
            The display itself.
        """
        ax = open_axes(ax)
        style = {"marker": "o", "markersize": 4, "capsize": 2} | curve
        self.line_ = ax.errorbar(self.n_features, self.value, self.error if self.error.any() else None, **style)
        ax.axvline(self.selected, color="0.5", linestyle="--", linewidth=1, label=f"{self.selected} selected")
        ax.set_xlabel("number of columns")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_ylabel(f"{self.metric.replace('_', ' ')} ({'lower' if self.is_loss else 'higher'} is better)")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _reported(estimator: BaseEstimator, metric: str) -> tuple[list[int], list[list[float]]]:
    """Return the sizes, and the scores of each size on every fold."""
    results = getattr(estimator, "cv_results_", {})
    splits = [
        values for name, values in results.items() if name.startswith("split") and name.endswith(f"_test_{metric}")
    ]
    if metric not in METRICS or not splits:
        prefix = "mean_test_"
        reported = [
            name.removeprefix(prefix) for name in results if name.startswith(prefix) and name != "mean_test_score"
        ]
        available = ", ".join(reported) or "its criterion only"
        raise ParameterError(f"metric={metric!r} was not computed; available: {available}; see the parameter scoring.")
    return results["n_features"].tolist(), np.array(splits).T.tolist()


def _standard_error(scores: Any) -> float:
    return float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0
