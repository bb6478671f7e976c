# SPDX-License-Identifier: BSD-3-Clause
"""Comparison with other models on the same outer folds: class frequencies, logistic regression, gradient boosting."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.evaluation import REFERENCE_MODELS, ReferenceTable, corrected_error, reference_matrix
from bayesieve.report.context import Setting
from bayesieve.report.formats import rounded, score, score_error
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.sizes import METRICS, Score, Size, describe_scores, with_error

__all__ = [
    "FREQUENCIES",
    "ComparedModel",
    "ComparedModels",
    "Comparison",
    "compare_models",
    "describe_comparison",
    "draw_comparison",
]

FREQUENCIES: Final = "class frequencies"
_MOST_CELLS: Final = 50_000_000  # of a table as numbers: 400 MB
_SHOWN: Final = ("log_loss", "auc", "accuracy")  # metrics


@dataclass(frozen=True)
class Comparison:
    """Predictions of other models for the rows of each outer fold.

    Attributes
    ----------
    probabilities : dict of str to list of arrays of shape (n_samples, n_classes)
        Class probabilities by model and fold.
    left_out : str
        A sentence if models were left out; otherwise empty.
    """

    probabilities: dict[str, list[Floats]] = field(default_factory=dict)
    left_out: str = ""


def compare_models(model: Any, X: Any, predictions: HeldOutPredictions, seconds: float | None) -> Comparison:
    """Fit logistic regression and gradient boosting without each outer fold, and predict its rows.

    Parameters
    ----------
    model : fitted classifier
        Columns that it had to leave out are left out of the others, too; a pipeline leaves out none.
    X : table
        All rows.
    predictions : HeldOutPredictions
        Of outer folds.
    seconds : float or None
        Processor time; a model that is not done by then is left out. None for no limit, 0 for no comparison.
    """
    if seconds == 0:
        return Comparison()
    if predictions.n_train is not None:
        return Comparison(left_out="Other models are compared in cross-validation only.")
    end = np.inf if seconds is None else process_time() + seconds
    n_cells = len(predictions.target) * X.shape[1]
    if n_cells > _MOST_CELLS:
        return Comparison(left_out=f"No other model was fitted: the table has {n_cells:,} cells.")
    target, weights = predictions.target, predictions.weights
    table = ReferenceTable(
        *reference_matrix(X, getattr(model, "drop", None)), target, len(predictions.classes), weights
    )
    done: dict[str, list[Floats]] = {}
    for name in REFERENCE_MODELS:
        by_fold: list[Floats] = []
        for fold in predictions.folds:
            if process_time() >= end:
                left = " and ".join(list(REFERENCE_MODELS)[len(done) :])
                limit = f"{seconds:g} s of processor time"
                return Comparison(done, f"No time was left to compare with {left}: the limit is {limit}.")
            by_fold.append(table.predict(name, predictions.training_rows(fold), fold.rows))
        done[name] = by_fold
    return Comparison(done)


@dataclass(frozen=True)
class ComparedModel:
    """Another model: its scores by metric, and the log loss of the model minus its own, mean over folds.

    The difference has the standard error of Nadeau and Bengio's corrected resampled t test; it is None without folds.
    """

    name: str
    scores: dict[str, Score]
    difference: Score | None


@dataclass(frozen=True)
class ComparedModels:
    """Other models on the same rows, class frequencies first; ``left_out`` is a sentence if some were left out."""

    models: list[ComparedModel]
    left_out: str

    @property
    def baseline(self) -> dict[str, Score]:
        """The scores of class frequencies, by metric."""
        return self.models[0].scores


def describe_comparison(predictions: HeldOutPredictions, comparison: Comparison | None) -> ComparedModels:
    """Return the scores of all models on the same folds, and how much worse or better the model's log loss is."""
    others = {FREQUENCIES: [predictions.frequencies(fold) for fold in predictions.folds]}
    if comparison is not None:
        others |= comparison.probabilities
    own = [fold.probabilities(None) for fold in predictions.folds]
    models = [
        ComparedModel(
            name,
            describe_scores(predictions.scores_of(probabilities)),
            None if predictions.n_train is not None else _difference(predictions, own, probabilities),
        )
        for name, probabilities in others.items()
    ]
    return ComparedModels(models, "" if comparison is None else comparison.left_out)


def _difference(predictions: HeldOutPredictions, own: list[Floats], others: list[Floats]) -> Score:
    n_test = np.mean([len(fold.rows) for fold in predictions.folds])
    n_rows = len(predictions.target)
    first, second = (np.array(predictions.fold_scores(each)["log_loss"]) for each in (own, others))
    error = corrected_error(first - second, float(n_test / (n_rows - n_test)))
    return Score(rounded((first - second).mean()), rounded(error))


def draw_comparison(setting: Setting, size: Size, compared: ComparedModels) -> Markup | None:
    """Return the scores of the model at its size and of the others, if there are any."""
    left_out = compared.left_out
    if len(compared.models) < 2:  # class frequencies are in the verdict already
        return tag("p", left_out, class_="quiet") if left_out else None
    first, *others = [_row(model.name, "words", model.scores) for model in compared.models]
    own = _row(f"this model ({size.n_columns} columns)", "words own", size.held_out)
    headings = [
        ("model", "Fitted and evaluated in the same folds"),
        *((METRICS[name].title, f"{setting.method}, ± {setting.standard_error}") for name in _SHOWN),
    ]
    return tag(
        "div",
        tag("h2", "Compared with other models"),
        tag("p", f"All in the same folds; {setting.method}, ± {setting.standard_error}. {left_out}", class_="lead"),
        tag("div", table(headings, [first, own, *others], "comparison", id="comparison-table"), class_="card"),
        id="comparison",
    )


def _row(name: str, kind: str, scores: dict[str, Score]) -> Sequence[Cell]:
    return [(name, kind), *(_cell(metric, scores[metric]) for metric in _SHOWN)]


def _cell(metric: str, value: Score) -> Markup:
    """Return a score with its error; one that is shown as zero is left out, as that of class frequencies."""
    if score_error(metric, value.standard_error) == score_error(metric, 0.0):
        return join([score(metric, value.mean)])
    return with_error(metric, value)
