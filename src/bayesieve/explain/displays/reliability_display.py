# SPDX-License-Identifier: BSD-3-Clause
"""Reliability diagram: observed frequency against predicted probability."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve.decisions import BrierSplit, Reliability, brier_split, reliability
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.explain.displays.axes import open_axes
from bayesieve.models.number_scorecard import refuse_numbers

__all__ = ["ReliabilityDisplay"]


@dataclass
class ReliabilityDisplay:
    """Observed frequency of a class against its predicted probability, for groups of rows.

    Groups have about the same weight, and equal probabilities stay together. The legend has the Brier score and its
    calibration term.

    Parameters
    ----------
    groups : Reliability
        Weight, mean predicted probability and observed frequency of each group.
    split : BrierSplit
        The Brier score of all rows and its decomposition.
    name : str
        Name in the legend.
    label : object
        The positive class.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    line_ : matplotlib artist
        The curve.

    Examples
    --------
    >>> from bayesieve import ReliabilityDisplay
    >>> y_prob, y_true = [0.1, 0.1, 0.8, 0.8, 0.8], [0, 0, 1, 1, 0]
    >>> display = ReliabilityDisplay.from_predictions(y_true, y_prob)
    >>> display.groups.observed.round(2).tolist()  # where 0.1 and 0.8 were predicted
    [0.0, 0.67]
    """

    groups: Reliability
    split: BrierSplit
    name: str
    label: Any
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_groups: int = 10,
        pos_label: Any = None,
        ax: Any = None,
        **curve: Any,
    ) -> Self:
        """Draw the reliability diagram of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba``.
        X, y : table and class labels
            Held-out rows; on training rows the diagram is optimistic.
        sample_weight : array of shape (n_samples,), default=None
            Sample weights.
        n_groups : int, default=10
            Approximate number of groups.
        pos_label : class label, default=None
            The positive class; by default the last of ``classes_``, which is the second of two.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **curve
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        refuse_numbers(estimator, "Reliability diagrams")
        classes = estimator.classes_.tolist()
        own = getattr(estimator, "pos_label_", None)
        label = pos_label if pos_label is not None else classes[-1] if own is None else own
        if label not in classes:
            raise ParameterError(
                f"pos_label={label!r} is not a class; the classes are {', '.join(map(repr, classes[:10]))}."
            )
        y_prob = estimator.predict_proba(X)[:, classes.index(label)]
        options = {"sample_weight": sample_weight, "n_groups": n_groups, "pos_label": label, "ax": ax}
        return cls.from_predictions(y, y_prob, name=type(estimator).__name__, **options, **curve)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_groups: int = 10,
        pos_label: Any = None,
        name: str = "probabilities",
        ax: Any = None,
        **curve: Any,
    ) -> Self:
        """Draw the reliability diagram of given probabilities.

        Parameters
        ----------
        y_true : array of shape (n_samples,)
            Class labels.
        y_prob : array of shape (n_samples,)
            Predicted probabilities of the positive class.
        sample_weight : array of shape (n_samples,), default=None
            Sample weights.
        n_groups : int, default=10
            Approximate number of groups.
        pos_label : class label, default=None
            The positive class; by default the larger of two labels.
        name : str, default="probabilities"
            Name in the legend.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **curve
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The display, drawn.
        """
        labels = np.asarray(y_true).ravel()
        classes = np.unique(labels).tolist()
        if pos_label is None and len(classes) > 2:
            raise DataError(f"There are {len(classes)} classes; set pos_label to the positive class.")
        label = classes[-1] if pos_label is None else pos_label
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        probabilities, positive = np.asarray(y_prob, dtype=np.float64), np.asarray(labels == label)
        groups = reliability(probabilities, positive, weights, n_groups)
        return cls(groups, brier_split(probabilities, positive, weights, n_groups), name, label).plot(ax, **curve)

    def plot(self, ax: Any = None, **curve: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.
        **curve
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The display itself.
        """
        ax = open_axes(ax, 5.0, 5.0)
        text = f"{self.name}: Brier score {self.split.brier:.3f}, calibration term {self.split.calibration:.4f}"
        style: dict[str, Any] = {"marker": "o", "label": text} | curve
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1)
        (self.line_,) = ax.plot(self.groups.probability, self.groups.observed, **style)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set_xlabel(f"mean predicted probability of {self.label!r}", parse_math=False)
        ax.set_ylabel("observed frequency")
        ax.legend(loc="upper left", fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
