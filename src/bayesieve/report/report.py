"""The report as an object: read in a notebook, saved as a page, or taken as plain data."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data import build_frame, is_frame, write_atomically
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report.judging import judge
from bayesieve.report.page import render_page
from bayesieve.report.question import Question
from bayesieve.report.summary import summarize

__all__ = ["Report"]

_METRICS = ("error", "auc", "brier", "log_loss")
_HEIGHT = 900  # pixels of a notebook's cell


@dataclass(frozen=True)
class Report:
    """What a classifier found and what it is worth on rows that it has not seen.

    The last value of a notebook's cell is shown as the page itself, inside a frame that may run the page's script and
    nothing else.

    Parameters
    ----------
    summary : dict
        All that the page says, as plain data; see `bayesieve.report.summarize`.

    Attributes
    ----------
    summary : dict
        The same.
    html : str
        The page: one file that needs nothing else.
    verdict : str
        What was found, in a sentence or two.

    See Also
    --------
    SelectiveNaiveBayes : The classifier that is reported of.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import Report, SelectiveNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> report = Report.from_estimator(SelectiveNaiveBayes(n_features=3), X, y, n_folds=3)
    >>> [size["n_columns"] for size in report.summary["sizes"] if size["chosen"]]
    [3]
    >>> report.save("report.html")  # and report.json, its numbers
    """

    summary: dict[str, Any] = field(repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        question: Question | None = None,
        n_folds: int = 5,
        advance: Callable[[], None] = lambda: None,
    ) -> Self:
        """Fit a classifier on all rows, then without each fold, and sum up what came of it.

        Parameters
        ----------
        estimator : SelectiveNaiveBayes
            Fitted or not: it is left as it is, and a copy with its parameters is fitted ``n_folds + 1`` times. Of a
            fitted one, the copy must choose the same columns; otherwise the table is not the one that it knows.
        X : data frame or array of shape (n_rows, n_columns)
            The table.
        y : array of shape (n_rows,)
            Class labels; the name of a series is taken for that of the target.
        question : Question, default=None
            What was asked, where the parameters of the classifier do not tell. By default the positive one of two
            classes is ``pos_label``, or the rarer.
        n_folds : int, default=5
            Folds of the honest estimate.
        advance : callable
            Called after each fold.

        Returns
        -------
        report : Report
            Of all of it.
        """
        if not hasattr(estimator, "staged_predict_proba"):
            raise ParameterError(f"A report is of a SelectiveNaiveBayes, got {type(estimator).__name__}.")
        labels = np.asarray(y).ravel()
        _check_folds(labels, n_folds)
        model = type(estimator)(**(estimator.get_params(deep=False) | {"scoring": _METRICS})).fit(X, labels)
        _check_same(estimator, model)
        stopped = not model.path_.complete and model.max_time is None
        honest = None if stopped else judge(model, X, labels, n_folds, advance=advance)
        if honest is None:
            raise KeyboardInterrupt
        asked = question or _ask(estimator, y, labels, n_folds)
        return cls(summarize(model, _named(X, model), honest, asked))

    @cached_property
    def html(self) -> str:
        """The page."""
        return render_page(self.summary)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence or two."""
        return str(self.summary["verdict"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, and beside it the same numbers as JSON.

        Parameters
        ----------
        path : str or path
            An HTML file; the other one ends in ``.json`` instead.
        """
        place = Path(path)
        if place.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"A report is an HTML file, got {str(place)!r}.")
        write_atomically(place, self.html.encode(), "The report")
        write_atomically(place.with_suffix(".json"), json.dumps(self.summary, indent=1).encode(), "The summary")

    def __str__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, where neither its style nor the notebook's reaches the other."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="bayesieve report" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 1px solid #8884; border-radius: 6px"></iframe>'
        )


def _check_folds(labels: NDArray[Any], n_folds: int) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    if n_folds < 2:
        raise ParameterError(f"n_folds must be 2 or more, got {n_folds!r}.")
    if counts.min() < n_folds:
        rarest = classes.tolist()[int(counts.argmin())]
        raise DataError(f"The class {rarest!r} has {counts.min()} rows; each of {n_folds} folds needs one.")


def _check_same(estimator: Any, model: Any) -> None:
    """Refuse a fitted classifier that knows other rows, or weights, or was told another size."""
    known = getattr(estimator, "path_", None)
    if known is not None and known.order != model.path_.order:
        raise DataError(
            f"With these rows the classifier chooses {len(model.path_.order)} columns, and the fitted one has "
            f"{len(known.order)}, not all the same: give the rows that it was fitted on, without weights, and its size "
            "as n_features."
        )


def _ask(estimator: Any, y: Any, labels: NDArray[Any], n_folds: int) -> Question:
    """Return the question that the parameters answer."""
    classes, counts = np.unique(labels, return_counts=True)
    positive = estimator.pos_label
    if positive is None and len(classes) == 2:
        positive = classes.tolist()[int(counts[0] >= counts[1])]
    wish = estimator.threshold
    floor = wish if isinstance(wish, tuple | list) else ("probability", None)
    name = getattr(y, "name", None)
    return Question(
        target="target" if name is None else str(name),
        goal=floor[0],
        positive=positive if len(classes) == 2 else None,
        floor=floor[1],
        source="A table in memory",
        command=f"Report.from_estimator({' '.join(repr(estimator).split())}, X, y, n_folds={n_folds})",
    )


def _named(X: Any, model: Any) -> Any:
    """Return the table as a data frame, with the names that the model gave to columns that have none."""
    if is_frame(X):
        return X
    if hasattr(X, "tocsc"):
        raise DataError("A report needs a data frame or an array, got a sparse matrix.")
    return build_frame(dict(zip(model.column_names_, np.asarray(X).T, strict=True)), None)
