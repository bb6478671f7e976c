# SPDX-License-Identifier: BSD-3-Clause
"""The report as an object: shown in a notebook, saved as an HTML page, or used as plain data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import Groups, Intervals
from bayesieve.data import (
    arrange_columns,
    build_frame,
    countable_frame,
    is_frame,
    pick_rows,
    read_labels,
    read_table,
    resolve_columns,
    write_atomically,
)
from bayesieve.estimators.amounts import BINS
from bayesieve.estimators.search_estimator import SelectionEstimator
from bayesieve.estimators.wrapper_selector import WrapperSelector
from bayesieve.evaluation.outer_cv import fit_rows
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.models.number_scorecard import refuse_numbers
from bayesieve.quality import Finding, check_data
from bayesieve.report.comparison import compare_models
from bayesieve.report.context import ReportContext, default_context
from bayesieve.report.data_check import relevant_findings
from bayesieve.report.held_out_rows import (
    held_out_context,
    inner_estimator,
    known_amounts,
    open_model,
    predict_outer_folds,
    predict_test_rows,
    probability_model,
    tested_rows,
    with_scoring,
)
from bayesieve.report.page import render_page
from bayesieve.report.summary import Summary, summarize, summary_json
from bayesieve.report.wrapper_report import WrapperSummary, render_wrapper, summarize_wrapper

__all__ = ["Report"]

_METRICS = ("error", "auc", "brier", "log_loss")
_ROW_VALUES = ("groups", "sample_weight", "times", "amounts")
_OF_SELECTORS = ("groups", "sample_weight")
_HEIGHT = 900  # pixels of a notebook cell


class Report:
    """The selection of a classifier, and its scores by cross-validation.

    As the last value of a notebook cell, it is shown as an interactive page inside a frame that can run only the
    script of the page.

    Parameters
    ----------
    summary : Summary
        The content of the page; see `bayesieve.report.summarize`.

    Attributes
    ----------
    summary : dict
        The same as plain data.
    html : str
        The page: one self-contained file.
    verdict : str
        The result in a few sentences.

    See Also
    --------
    ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, BoostClassifier : What a report is about.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import Report, ScorecardClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> report = Report.from_estimator(ScorecardClassifier(n_features=3), X, y, cv=3)
    >>> [size["n_columns"] for size in report.summary["sizes"] if size["selected"]]
    [3]
    >>> report.save("report.html")  # and report.report.json with the same numbers
    """

    def __init__(self, summary: Summary | WrapperSummary) -> None:
        self._content = summary

    @classmethod
    def from_estimator(
        cls,
        estimator: SelectionEstimator,
        X: Any,
        y: ArrayLike,
        *,
        context: ReportContext | None = None,
        cv: int = 5,
        compare: bool = True,
        what_if: bool = False,
        advance: Callable[[], None] = lambda: None,
        **row_values: ArrayLike,
    ) -> Self:
        """Fit a classifier on all rows, then without each outer fold, and summarize the results.

        Parameters
        ----------
        estimator : ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, BoostClassifier or BenefitClassifier
            Or a pipeline that ends with one of them, or a search over its parameters, such as `GridSearchCV`: columns
            are then those after the other steps. Fitted or not: it is not changed, and a copy with its parameters is
            fitted ``cv + 1`` times. If it is fitted, the copy must select the same columns; otherwise ``X`` and ``y``
            are not its training data. A `WrapperSelector` has a report of its own: path, sizes, and the scores of its
            estimator in outer folds, with ``groups`` and ``sample_weight``.
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The training data.
        y : array of shape (n_samples,)
            Class labels; the name of a series is used as the name of the target.
        context : ReportContext, default=None
            Goal, costs and source of the data. By default they follow from the parameters of the classifier, and the
            positive class is its ``pos_label_``.
        cv : int, default=5
            Number of outer cross-validation folds.
        compare : bool, default=True
            Whether gradient boosting, tuned in each fold, and logistic regression are fitted in the same folds, and
            with a limit of ``n_features`` the classifier without it, as long as ``context.compare_seconds`` suffice
            (30 by default).
        what_if : bool, default=False
            Whether the page has a form in which a reader enters the values of a row, and sees its probability and what
            each value adds. The page then holds the model with all its categories.
        advance : callable
            Called after each fold.
        **row_values : arrays of shape (n_samples,)
            ``groups``: the rows of one group stay in one fold. ``sample_weight``: weights of rows in fits and scores.
            ``times``: each fold is tested on rows that follow its training rows. For a `BenefitClassifier`,
            ``amounts``: the amount of each row of the positive class, unless its ``amount`` is a column.

        Returns
        -------
        report : Report
            The report.
        """
        if isinstance(estimator, WrapperSelector):
            return cls(_of_wrapper(estimator, X, y, cv, row_values, advance))
        _check_estimator(estimator, row_values)
        labels = _read_labels(y)
        _check_folds(labels, cv)
        given = _read_row_values(row_values, len(labels))
        of_fit = {name: values for name, values in given.items() if name != "times"}
        model = fit_rows(with_scoring(estimator, _METRICS), X, labels, of_fit)
        deciding, table = open_model(model, X)
        fitted = probability_model(deciding)
        _check_bins(fitted)
        if hasattr(estimator, "classes_"):
            _check_same(probability_model(open_model(estimator, X)[0]), fitted)
        stopped = not fitted.path_.complete and fitted.max_time is None
        predictions = None if stopped else predict_outer_folds(model, X, labels, cv, advance=advance, **given)
        if predictions is None:
            raise KeyboardInterrupt
        command = f"Report.from_estimator({' '.join(repr(with_scoring(estimator, None)).split())}, X, y, cv={cv})"
        amounts = given["amounts"] if "amounts" in given else known_amounts(deciding, table)
        context = context or default_context(deciding, y, command, amounts)
        context = replace(context, what_if=context.what_if or what_if)
        if context.findings is None:
            drop = getattr(fitted, "drop", None) if table is X else None  # a pipeline's model has other columns
            context = replace(context, findings=_find_in_data(X, labels, drop))
        seconds = context.compare_seconds if compare else 0
        others = compare_models(fitted if table is X else model, X, predictions, seconds)
        table, predictions, context = tested_rows(_named(table, fitted), predictions, context)
        return cls(summarize(deciding, table, predictions, context, others))

    @classmethod
    def from_fitted(cls, model: SelectionEstimator, X: Any, y: ArrayLike, *, amounts: ArrayLike | None = None) -> Self:
        """Evaluate a fitted or loaded classifier on rows that it was not fitted on.

        Parameters
        ----------
        model : ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, BoostClassifier or BenefitClassifier
            Fitted, or loaded from a file.
        X : data frame or array of shape (n_samples, n_features)
            Test rows.
        y : array of shape (n_samples,)
            Their classes.
        amounts : array of shape (n_samples,), default=None
            For a `BenefitClassifier`, the amount of each row of the positive class, unless a column of ``X`` has them;
            without them, there is no profit in the report.

        Returns
        -------
        report : Report
            The report; scores and counts are those of the test rows.
        """
        refuse_numbers(model, "Reports")
        table = X
        if is_frame(X) and hasattr(model, "feature_names_in_"):
            model.predict(pick_rows(X, [0]))  # refuses a table without a column that is used
            X = arrange_columns(X, [str(name) for name in model.feature_names_in_])
        labels = _read_labels(y)
        if unknown := sorted(set(labels.tolist()) - set(model.classes_.tolist()), key=str):
            raise DataError(f"y has the class {unknown[0]!r}, which the model does not have.")
        name = getattr(y, "name", None)
        context = held_out_context(
            model,
            "target" if name is None else str(name),
            table,
            None if amounts is None else _read_row_values({"amounts": amounts}, len(labels))["amounts"],
            source="Test rows",
            command="Report.from_fitted(model, X, y)",
        )
        predictions = predict_test_rows(model, X, labels, "the test table")
        return cls(summarize(model, _named(X, model), predictions, context))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of the page as plain data."""
        return self._content.as_json()

    @cached_property
    def html(self) -> str:
        """The page."""
        content = self._content
        return render_wrapper(content) if isinstance(content, WrapperSummary) else render_page(content)

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        return self._content.verdict

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, and the same numbers as JSON next to it.

        Parameters
        ----------
        path : str or path
            An HTML file; the JSON file has the same name with the suffix ``.report.json``.
        """
        place = Path(path)
        if place.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"A report is an HTML file, got {str(place)!r}.")
        write_atomically(place, self.html.encode(), "The report")
        write_atomically(place.with_suffix(".report.json"), summary_json(self.summary).encode(), "The summary")

    def __str__(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"Report({self.verdict})"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, isolated from the style of the notebook."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" title="bayesieve report" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 1px solid #8884; border-radius: 6px"></iframe>'
        )


def _of_wrapper(
    selector: WrapperSelector, X: Any, y: Any, cv: int, row_values: Mapping[str, ArrayLike], advance: Callable[[], None]
) -> WrapperSummary:
    if cv < 2:
        raise ParameterError(f"cv must be 2 or more, got {cv!r}.")
    if other := sorted(set(row_values) - set(_OF_SELECTORS)):
        raise ParameterError(f"A report of a WrapperSelector takes {' and '.join(_OF_SELECTORS)}; got {other[0]!r}.")
    return summarize_wrapper(selector, X, y, cv, _read_row_values(row_values, len(y)), advance)


def _read_labels(y: ArrayLike) -> NDArray[Any]:
    return read_labels(y, np.asarray(y).size)


def _check_estimator(estimator: Any, row_values: Mapping[str, ArrayLike]) -> None:
    inner = inner_estimator(estimator)
    if not hasattr(inner, "staged_predict_proba"):
        raise ParameterError(
            "A report is of a ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier or BoostClassifier, or of a "
            f"BenefitClassifier over one of them, got {type(inner).__name__}."
        )
    if hasattr(estimator, "expected_benefit") and "amounts" not in row_values and not _knows_amounts(estimator):
        raise ParameterError(
            "A report of a BenefitClassifier needs amounts=..., the amount of each positive row, or amount=..., the "
            "name of the column that has them."
        )


def _knows_amounts(estimator: Any) -> bool:
    """Return whether the amounts of rows are a column of their table."""
    amount = getattr(estimator, "amount", None)
    return isinstance(amount, str) and amount != BINS


def _check_folds(labels: NDArray[Any], cv: int) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    if cv < 2:
        raise ParameterError(f"cv must be 2 or more, got {cv!r}.")
    if not len(labels):
        raise DataError("The table has no rows; a report needs some of each class.")
    if counts.min() < cv:
        rarest = classes.tolist()[int(counts.argmin())]
        rows = "1 row" if counts.min() == 1 else f"{counts.min()} rows"
        raise DataError(f"Class {rarest!r} has {rows}; cv={cv} needs at least {cv} rows of each class.")


def _check_bins(model: Any) -> None:
    for name, partition in model.partitions_.items():
        if not isinstance(partition, Intervals | Groups):
            raise ParameterError(
                f"A report shows intervals and groups of values, and the bins of column {name!r} are those of a "
                f"transformer ({type(partition).__name__}); use one of the named discretizers."
            )


def _read_row_values(row_values: Mapping[str, ArrayLike], n_rows: int) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, values in row_values.items():
        if name not in _ROW_VALUES:
            rows = ", ".join(_ROW_VALUES)
            raise ParameterError(
                f"Report.from_estimator has no parameter {name!r}; arrays with one value per row are {rows}."
            )
        given[name] = np.asarray(values, dtype=np.float64 if name in ("amounts", "sample_weight") else None)
        if given[name].shape != (n_rows,):
            raise DataError(f"{name} has shape {given[name].shape}; one value per row is expected, {n_rows} in all.")
    return given


def _check_same(estimator: SelectionEstimator, model: Any) -> None:
    """Refuse a fitted classifier that was fitted on other rows, with sample weights, or with another size."""
    path = getattr(estimator, "path_", None)
    if path is not None and path.order != model.path_.order:
        raise DataError(
            f"Refitted on these rows, the classifier selects {len(model.path_.order)} columns that differ from the "
            f"{len(path.order)} of the fitted one: pass its training data, fit it without sample weights, and set "
            "n_features to its size."
        )


def _find_in_data(X: Any, labels: NDArray[Any], drop: Any) -> list[Finding] | None:
    """Check the data of a fit; a sparse matrix has no text and no missing values to look for."""
    if hasattr(X, "tocsc"):
        return None
    names = read_table(X).names
    return relevant_findings(check_data(X, labels), [names[j] for j in resolve_columns(drop, names, "drop", X)])


def _named(X: Any, model: Any) -> Any:
    """Return the table as a data frame, with the model's names for columns without names, or as a sparse matrix."""
    if is_frame(X):
        return countable_frame(X)
    if hasattr(X, "tocsc"):
        return X.tocsr()
    return build_frame(dict(zip(model.column_names_, np.asarray(X).T, strict=True)), None)
