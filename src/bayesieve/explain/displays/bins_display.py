# SPDX-License-Identifier: BSD-3-Clause
"""Plot of the bins of a column: the share of the rows and the rate of a class per bin."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.data import resolve_columns
from bayesieve.exceptions import ParameterError
from bayesieve.explain.binning_table import binning_columns
from bayesieve.explain.displays.axes import class_position, label_bins, open_axes

__all__ = ["BinsDisplay"]


@dataclass
class BinsDisplay:
    """The bins of one column: bars for the share of the rows, and markers for the rate of a class.

    Parameters
    ----------
    column : str
        Name of the column.
    bin_labels : sequence of str
        The interval or the categories of each bin.
    share : array of shape (n_bins,)
        The share of the rows in each bin.
    rate : array of shape (n_bins,)
        The rate of the class in each bin.
    label : object
        The class.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    rate_ax_ : matplotlib axes
        Axes of the rate, on the right.
    bars_, line_ : matplotlib artists
        Bars of the shares, and markers of the rates.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import BinsDisplay, MODLDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bins = MODLDiscretizer().fit(X, y)
    >>> display = BinsDisplay.from_estimator(bins, "petal width (cm)", label=2)
    >>> display.bin_labels, display.rate.round(2).tolist()
    (['<= 0.8', '> 0.8 and <= 1.75', '> 1.75'], [0.0, 0.09, 0.98])
    """

    column: str
    bin_labels: Sequence[str]
    share: Floats
    rate: Floats
    label: Any
    ax_: Any = field(default=None, init=False, repr=False)
    rate_ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    bars_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, column: str | int, *, label: Any = None, ax: Any = None) -> Self:
        """Draw the bins that a fitted estimator has for a column.

        Parameters
        ----------
        estimator : fitted estimator with ``partitions_``
            A `MODLDiscretizer`, or a `SelectiveNaiveBayes`, which has bins for the columns on its path.
        column : str or int
            The column's name or position.
        label : class label, default=None
            The class whose rate is drawn; by default the last of ``classes_``, which is the second of two.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.

        Returns
        -------
        display : BinsDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        partitions = getattr(estimator, "partitions_", None)
        if partitions is None:
            raise ParameterError(
                f"This {type(estimator).__name__} has no bins to draw; use a MODLDiscretizer or a SelectiveNaiveBayes."
            )
        (place,) = resolve_columns(column, estimator.column_names_, "column")
        name = estimator.column_names_[place]
        if name not in partitions:
            raise ParameterError(f"Column {name!r} was not selected, so it has no bins here.")
        classes = estimator.classes_.tolist()
        label = getattr(estimator, "pos_label_", None) if label is None else label
        c = len(classes) - 1 if label is None else class_position(label, classes)
        card = getattr(estimator, "scorecard_", None)
        own = {} if card is None or card.additive() is None else {each.name: each.partition for each in card.tables}
        columns = binning_columns(own.get(name, partitions[name]), classes)
        rate = columns["rate" if len(classes) == 2 else f"rate {classes[c]}"]
        drawn = np.array(rate) if len(classes) > 2 or c == 1 else 1.0 - np.array(rate)
        return cls(name, columns["bin"], np.array(columns["share"]), drawn, classes[c]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.

        Returns
        -------
        display : BinsDisplay
            The display itself.
        """
        ax = open_axes(ax, max(4.0, 1.5 + 0.9 * len(self.bin_labels)))
        places = np.arange(len(self.bin_labels))
        self.bars_ = ax.bar(places, self.share, color="tab:blue", alpha=0.35)
        label_bins(ax, self.bin_labels)
        ax.set_ylabel("share of the rows")
        ax.set_title(self.column, parse_math=False)
        right = ax.twinx()
        (self.line_,) = right.plot(places, self.rate, color="tab:orange", marker="D", linestyle="")
        right.set_ylim(0.0, 1.0)
        right.set_ylabel(f"rate of {self.label!r}", parse_math=False)
        self.ax_, self.rate_ax_, self.figure_ = ax, right, ax.figure
        return self
