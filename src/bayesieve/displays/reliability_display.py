"""Reliability: whether it happened as often as was said."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from bayesieve.decisions import BrierSplit, Reliability, brier_split, reliability
from bayesieve.displays.axes import open_axes
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["ReliabilityDisplay"]


@dataclass
class ReliabilityDisplay:
    """Groups of rows by probability, against how often the class occurred in each.

    Groups have about the same weight and equal probabilities stay together. In the legend stands the Brier score and
    what of it is bad calibration.

    Parameters
    ----------
    groups : Reliability
        Weight, mean probability and share of positives of each group.
    split : BrierSplit
        The Brier score of all rows and its parts.
    name : str
        What is drawn.
    label : object
        The positive class.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn.
    line_ : matplotlib artist
        The curve.

    Examples
    --------
    >>> from bayesieve import ReliabilityDisplay
    >>> said, happened = [0.1, 0.1, 0.8, 0.8, 0.8], [0, 0, 1, 1, 0]
    >>> display = ReliabilityDisplay.from_predictions(happened, said)
    >>> display.groups.observed.round(2).tolist()  # where 0.1 and 0.8 were said
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
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_groups: int = 10,
        pos_label: Any = None,
        ax: Any = None,
        **curve: Any,
    ) -> Self:
        """Draw how far the probabilities of any fitted classifier can be trusted.

        Parameters
        ----------
        estimator : fitted classifier
            With ``predict_proba``.
        X, y : table and class labels
            Rows that it was not fitted on, for an honest picture.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        n_groups : int, default=10
            About so many groups.
        pos_label : class label, default=None
            The class that is looked at; the last of ``classes_`` where None, which is the second of two.
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.
        **curve
            Given to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            Drawn.
        """
        check_is_fitted(estimator)
        classes = estimator.classes_.tolist()
        label = classes[-1] if pos_label is None else pos_label
        if label not in classes:
            raise ParameterError(f"pos_label={label!r} is no class; they are {', '.join(map(repr, classes[:10]))}.")
        said = estimator.predict_proba(X)[:, classes.index(label)]
        options = {"sample_weight": sample_weight, "n_groups": n_groups, "pos_label": label, "ax": ax}
        return cls.from_predictions(y, said, name=type(estimator).__name__, **options, **curve)

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
        """Draw how far given probabilities can be trusted.

        Parameters
        ----------
        y_true : array of shape (n_rows,)
            Class labels.
        y_prob : array of shape (n_rows,)
            Probabilities of the positive class.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.
        n_groups : int, default=10
            About so many groups.
        pos_label : class label, default=None
            The positive class; the larger of two labels where None.
        name : str, default="probabilities"
            For the legend.
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.
        **curve
            Given to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            Drawn.
        """
        labels = np.asarray(y_true).ravel()
        found = np.unique(labels).tolist()
        if pos_label is None and len(found) > 2:
            raise DataError(f"There are {len(found)} classes; say which one is looked at (pos_label).")
        label = found[-1] if pos_label is None else pos_label
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        said, happened = np.asarray(y_prob, dtype=np.float64), np.asarray(labels == label)
        groups = reliability(said, happened, weights, n_groups)
        return cls(groups, brier_split(said, happened, weights, n_groups), name, label).plot(ax, **curve)

    def plot(self, ax: Any = None, **curve: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; new axes if None.
        **curve
            Given to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            This one.
        """
        ax = open_axes(ax, 5.0, 5.0)
        words = f"{self.name}: Brier {self.split.brier:.3f}, of which calibration {self.split.calibration:.4f}"
        style: dict[str, Any] = {"marker": "o", "label": words} | curve
        ax.plot([0, 1], [0, 1], color="0.6", linestyle=":", linewidth=1)
        (self.line_,) = ax.plot(self.groups.probability, self.groups.observed, **style)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set_xlabel(f"probability of {self.label!r}, mean of a group", parse_math=False)
        ax.set_ylabel("how often it happened")
        ax.legend(loc="upper left", fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
