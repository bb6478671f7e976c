# SPDX-License-Identifier: BSD-3-Clause
"""Plots of bins: rows and rate of a class per bin of a column, and the contribution of each cell of a pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayesieve._typing import Floats
from bayesieve.data import resolve_columns
from bayesieve.exceptions import ParameterError
from bayesieve.explain.displays.axes import open_axes
from bayesieve.explain.scorecard_table import binning_columns
from bayesieve.models import PairTable
from bayesieve.models.intervals import TIMES_90
from bayesieve.models.number_scorecard import refuse_numbers

__all__ = ["BinsDisplay", "PairDisplay", "label_bins"]

_LONGEST = 28  # characters of a bin's label
_MOST_LETTERS = 36  # of labels in one line


@dataclass
class BinsDisplay:
    """The bins of one column: bars for the share of the rows, and markers for points, or for the rate of a class.

    Of a classifier whose log-odds are a sum over columns, such as `ScorecardClassifier`, markers are the points of the
    bins: the shape of the column. Other estimators, such as `MODLDiscretizer`, have rates.

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
    points : array of shape (n_bins,), default=None
        What each bin adds to the log-odds of the class; with more than two classes, to its score relative to the mean
        over classes. None draws the rates.
    errors : array of shape (n_bins,), default=None
        Standard errors of the points, whose 90 % intervals are drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    rate_ax_ : matplotlib axes
        Axes of the rates or the points, on the right.
    bars_, line_ : matplotlib artists
        Bars of the shares, and markers of the rates or the points.

    See Also
    --------
    PairDisplay : The points of a pair of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import BinsDisplay, MODLDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bins = MODLDiscretizer().fit(X, y)
    >>> display = BinsDisplay.from_estimator(bins, "petal width (cm)", label=2)
    >>> display.bin_labels, display.rate.round(2).tolist()
    (['<= 0.8', '> 0.8 and <= 1.75', '> 1.75'], [0.0, 0.09, 0.98])

    The points of a scorecard:

    >>> from bayesieve import ScorecardClassifier
    >>> model = ScorecardClassifier(n_features=1).fit(X, y == 2)
    >>> shape = BinsDisplay.from_estimator(model, model.path_.order[0])
    >>> bool((shape.points[1:] > shape.points[:-1]).all())
    True
    """

    column: str
    bin_labels: Sequence[str]
    share: Floats
    rate: Floats
    label: Any
    points: Floats | None = None
    errors: Floats | None = None
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
            A `ScorecardClassifier` or `SelectiveNaiveBayes`, which has bins for the columns on its path, or a
            `MODLDiscretizer`.
        column : str or int
            The column's name or position.
        label : class label, default=None
            The class whose points or rates are drawn; by default the last of ``classes_``, which is the second of two.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.

        Returns
        -------
        display : BinsDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        refuse_numbers(estimator, "Pictures of bins and pairs")
        partitions = getattr(estimator, "partitions_", None)
        if partitions is None:
            raise ParameterError(
                f"This {type(estimator).__name__} has no bins to draw; use a ScorecardClassifier or a MODLDiscretizer."
            )
        (place,) = resolve_columns(column, estimator.column_names_, "column")
        name = estimator.column_names_[place]
        if name not in partitions:
            raise ParameterError(f"Column {name!r} was not selected, so it has no bins here.")
        classes = estimator.classes_.tolist()
        label = getattr(estimator, "pos_label_", None) if label is None else label
        c = len(classes) - 1 if label is None else _class_position(label, classes)
        card = getattr(estimator, "scorecard_", None)
        additive = None if card is None else card.additive()
        own = {} if additive is None else {each.name: each for each in additive.tables}
        columns = binning_columns(own[name].partition if name in own else partitions[name], classes)
        rate = columns["rate" if len(classes) == 2 else f"rate {classes[c]}"]
        drawn = np.array(rate) if len(classes) > 2 or c == 1 else 1.0 - np.array(rate)
        points, errors = None, None
        if name in own:
            points, errors = own[name].contributions(c), own[name].contribution_errors(c)
        return cls(name, columns["bin"], np.array(columns["share"]), drawn, classes[c], points, errors).plot(ax)

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
        drawn = self.rate if self.points is None else self.points
        (self.line_,) = right.plot(places, drawn, color="tab:orange", marker="D", linestyle="")
        if self.points is None:
            right.set_ylim(0.0, 1.0)
            right.set_ylabel(f"rate of {self.label!r}", parse_math=False)
        else:
            right.axhline(0.0, color="tab:gray", linewidth=0.8)
            if self.errors is not None:
                right.errorbar(places, drawn, TIMES_90 * self.errors, fmt="none", ecolor="tab:orange", capsize=3)
            right.set_ylabel(f"points: log-odds of {self.label!r}", parse_math=False)
        self.ax_, self.rate_ax_, self.figure_ = ax, right, ax.figure
        return self


@dataclass
class PairDisplay:
    """The cells of a pair of columns: colors and numbers for the contribution, and the number of rows.

    Parameters
    ----------
    columns : tuple of two str
        Names of the columns; the first is on the vertical axis.
    bin_labels : tuple of two sequences of str
        The intervals or categories of the bins of each column.
    contribution : array of shape (n_bins_a, n_bins_b)
        What each cell adds to the log-odds of the class; with more than two classes, to its score relative to the mean
        over classes.
    counts : array of shape (n_bins_a, n_bins_b), or None
        Weight of the training rows per cell.
    label : object
        The class.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Axes and figure of the plot.
    im_ : matplotlib image
        The heat map; blue is negative, red is positive.
    text_ : array of matplotlib text of shape (n_bins_a, n_bins_b)
        The contribution and the rows of each cell.
    colorbar_ : matplotlib colorbar
        The legend of the colors.

    See Also
    --------
    BinsDisplay : The bins of one column.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve import PairDisplay
    >>> display = PairDisplay(
    ...     ("age", "region"),
    ...     (["<= 45", "> 45"], ["north", "south"]),
    ...     np.array([[0.2, -0.3], [-0.1, 0.4]]),
    ...     np.array([[10, 20], [30, 40]]),
    ...     "yes",
    ... ).plot()
    >>> print(display.text_[1, 1].get_text())
    +0.40
    40
    """

    columns: tuple[str, str]
    bin_labels: tuple[Sequence[str], Sequence[str]]
    contribution: Floats
    counts: NDArray[Any] | None
    label: Any
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    im_: Any = field(default=None, init=False, repr=False)
    text_: Any = field(default=None, init=False, repr=False)
    colorbar_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, pair: int | tuple[str, str] = 0, *, label: Any = None, ax: Any = None
    ) -> Self:
        """Draw a pair of columns of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            A classifier whose ``scorecard_`` has ``pairs``.
        pair : int or tuple of two str, default=0
            The position of the pair in ``scorecard_.pairs``, or the names of its columns in any order.
        label : class label, default=None
            The class whose contributions are drawn; by default the last of ``classes_``, which is the second of two.
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.

        Returns
        -------
        display : PairDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        refuse_numbers(estimator, "Pictures of bins and pairs")
        found = _find(estimator, pair)
        classes = estimator.classes_.tolist()
        c = len(classes) - 1 if label is None else _class_position(label, classes)
        first, second = ([each.describe(code) for code in range(each.n_bins)] for each in found.partitions)
        counts = None if found.counts is None else found.cell_mass
        return cls(found.names, (first, second), found.contributions(c), counts, classes[c]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; new axes if None.

        Returns
        -------
        display : PairDisplay
            The display itself.
        """
        rows, columns = self.bin_labels
        ax = open_axes(ax, max(4.5, 2.8 + 0.8 * len(columns)), max(3.0, 1.8 + 0.45 * len(rows)))
        largest = float(np.abs(self.contribution).max(initial=0.0)) or 1.0
        self.im_ = ax.imshow(self.contribution, cmap="RdBu_r", vmin=-largest, vmax=largest, aspect="auto")
        label_bins(ax, columns)
        ax.set_yticks(range(len(rows)), [_short_label(each) for each in rows])
        ax.set_xlabel(self.columns[1], parse_math=False)
        ax.set_ylabel(self.columns[0], parse_math=False)
        self.text_ = np.empty(self.contribution.shape, dtype=object)
        for place, value in np.ndenumerate(self.contribution):
            n_rows = "" if self.counts is None else f"\n{self.counts[place]:.10g}"
            color = "white" if abs(value) > 0.65 * largest else "black"
            style = {"ha": "center", "va": "center", "color": color, "fontsize": "small"}
            self.text_[place] = ax.text(place[1], place[0], f"{value:+.2f}{n_rows}", **style)
        self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax)
        self.colorbar_.set_label(f"contribution to the log-odds of {self.label!r}", parse_math=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _find(estimator: Any, pair: int | tuple[str, str]) -> PairTable:
    pairs: tuple[PairTable, ...] = getattr(getattr(estimator, "scorecard_", None), "pairs", ())
    if not pairs:
        raise ParameterError(f"This {type(estimator).__name__} has no pairs of columns.")
    for place, each in enumerate(pairs):
        if pair == place if isinstance(pair, int) else set(pair) == set(each.names):
            return each
    names = ", ".join(repr(each.names) for each in pairs[:10])
    raise ParameterError(f"pair={pair!r} is not a pair of this model; there are {len(pairs)}: {names}.")


def _class_position(label: Any, classes: list[Any]) -> int:
    """Return the position of a class; a label that is none of them is refused."""
    if label not in classes:
        raise ParameterError(f"label={label!r} is not a class; the classes are {', '.join(map(repr, classes[:10]))}.")
    return classes.index(label)


def _short_label(label: str) -> str:
    """Return a label that fits at a tick, and in which matplotlib finds no formula."""
    short = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
    return short.replace("$", r"\$")


def label_bins(ax: Any, labels: Sequence[str]) -> None:
    """Write the label of each bin below its place, slanted if they would overlap."""
    short = [_short_label(each) for each in labels]
    slanted = len(short) > 3 or sum(map(len, short)) > _MOST_LETTERS
    ax.set_xticks(range(len(short)), short, **({"rotation": 30, "ha": "right"} if slanted else {}))
