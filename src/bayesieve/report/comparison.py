# SPDX-License-Identifier: BSD-3-Clause
"""Comparison with other models on the same rows: class frequencies, logistic regression, gradient boosting.

If the number of columns is limited, the same method without the limit is one of them.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from time import process_time
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.data import pick_rows
from bayesieve.evaluation import REFERENCE_MODELS, ReferenceTable, corrected_error, reference_matrix
from bayesieve.evaluation.measures import paired_errors
from bayesieve.exceptions import BayesieveWarning
from bayesieve.explain.selection_reasons import DROPPED
from bayesieve.report.context import Setting
from bayesieve.report.formats import plural, rounded, score, score_error
from bayesieve.report.held_out_predictions import FoldPredictions, HeldOutPredictions
from bayesieve.report.markup import Cell, Markup, join, table, tag
from bayesieve.report.sizes import METRICS, Score, Size, describe_scores, with_error

__all__ = [
    "FREQUENCIES",
    "TUNED",
    "UNLIMITED",
    "ComparedModel",
    "ComparedModels",
    "Comparison",
    "TrainingRows",
    "compare_models",
    "describe_comparison",
    "describe_others",
    "draw_comparison",
]

FREQUENCIES: Final = "class frequencies"
UNLIMITED: Final = "the same method with any number of columns"
TUNED: Final = "gradient boosting"
_WHAT: Final = {
    TUNED: "Gradient boosting is scikit-learn's, and chose the number and size of its trees by a fifth of its training "
    "rows.",
    "logistic regression": "Logistic regression is scikit-learn's, with its defaults.",
}
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


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a model was fitted on, where it is evaluated on other rows: table, labels and weights."""

    X: Any
    y: Any
    weights: Floats | None = None


def compare_models(
    model: Any, X: Any, predictions: HeldOutPredictions, seconds: float | None, train: TrainingRows | None = None
) -> Comparison:
    """Fit other models on the same training rows, and predict the same held-out rows.

    Parameters
    ----------
    model : fitted classifier
        Columns that it had to leave out are left out of the others, too; a pipeline leaves out none.
    X : table
        The rows of the predictions.
    predictions : HeldOutPredictions
        Of outer folds, or of rows that follow ``train``.
    seconds : float or None
        Processor time; a model that is not done by then is left out. None for no limit, 0 for no comparison.
    train : TrainingRows or None
        The training rows of a single model.
    """
    if seconds == 0:
        return Comparison()
    if predictions.n_train is not None and train is None:
        return Comparison(left_out="Other models are compared where their training rows are at hand.")
    n_cells = (len(predictions.target) + (0 if train is None else len(train.y))) * X.shape[1]
    if n_cells > _MOST_CELLS:
        return Comparison(left_out=f"No other model was fitted: the table has {n_cells:,} cells.")
    end = np.inf if seconds is None else process_time() + seconds
    jobs = _reference_jobs(model, X, predictions, train) | _unlimited_jobs(model, X, predictions, train)
    done: dict[str, list[Floats]] = {}
    for name, job in jobs.items():
        by_fold: list[Floats] = []
        for fold in predictions.folds:
            if process_time() >= end:
                left = " and ".join(list(jobs)[len(done) :])
                limit = f"{seconds:g} s of processor time"
                return Comparison(done, f"No time was left to compare with {left}: the limit is {limit}.")
            by_fold.append(job(fold))
        done[name] = by_fold
    return Comparison(done)


Jobs = dict[str, Callable[[FoldPredictions], Floats]]


def _reference_jobs(model: Any, X: Any, predictions: HeldOutPredictions, train: TrainingRows | None) -> Jobs:
    """Return what fits and predicts each of the reference models, given a fold."""
    dropped, n_train = getattr(model, "drop", None), 0 if train is None else len(train.y)
    target, weights = predictions.target, predictions.weights
    if train is None:
        matrix = reference_matrix(X, dropped)
    else:
        matrix = reference_matrix(train.X, dropped, new_rows=X)
        target = np.concatenate([np.searchsorted(predictions.classes, train.y), target])
        weights = None if train.weights is None else np.append(train.weights, np.ones(len(X)))
    table = ReferenceTable(*matrix, target, len(predictions.classes), weights)

    def job(name: str) -> Callable[[FoldPredictions], Floats]:
        def predict(fold: FoldPredictions) -> Floats:
            of_fit = np.arange(n_train) if n_train else predictions.training_rows(fold)
            return table.predict(name, of_fit, n_train + fold.rows)

        return predict

    return {name: job(name) for name in REFERENCE_MODELS}


def _unlimited_jobs(model: Any, X: Any, predictions: HeldOutPredictions, train: TrainingRows | None) -> Jobs:
    """Return the same for the classifier itself without its limit of columns; nothing if it has none."""
    parameters = model.get_params(deep=False)
    asked = parameters.get("n_features")
    most: Any = asked if isinstance(asked, Real) else asked[1] if isinstance(asked, tuple | list) else None
    n_candidates = 0 if most is None else sum(why["reason"] != DROPPED for why in model.why_.values())
    if most is None or most >= n_candidates:
        return {}
    free = {"n_features": type(model)().n_features, "scoring": None, "checkpoint": None, "verbose": 0}

    def predict(fold: FoldPredictions) -> Floats:
        other = type(model)(**(parameters | {key: value for key, value in free.items() if key in parameters}))
        of_fit = _training_rows(X, predictions, fold) if train is None else train
        weights = {} if of_fit.weights is None else {"sample_weight": of_fit.weights}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayesieveWarning)  # of a fit that is not the user's
            other.fit(of_fit.X, of_fit.y, **weights)
            found: Floats = other.predict_proba(pick_rows(X, fold.rows))
        return found

    return {UNLIMITED: predict}


def _training_rows(X: Any, predictions: HeldOutPredictions, fold: FoldPredictions) -> TrainingRows:
    """Return the rows that the model of an outer fold was fitted on."""
    rows, weights = predictions.training_rows(fold), predictions.weights
    labels = predictions.classes[predictions.target[rows]]
    return TrainingRows(pick_rows(X, rows), labels, None if weights is None else weights[rows])


@dataclass(frozen=True)
class ComparedModel:
    """Another model: its scores by metric, and what this model gives up, positive where this model is worse.

    Differences are means over folds with the standard error of Nadeau and Bengio's corrected resampled t test; on rows
    of a single model, they have that of the differences of rows.
    """

    name: str
    scores: dict[str, Score]
    given_up: dict[str, Score]

    def worse(self) -> dict[str, Score]:
        """Return what this model gives up by more than a standard error, by metric."""
        return {name: each for name, each in self.given_up.items() if each.mean > each.standard_error}


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
            _given_up(predictions, own, probabilities),
        )
        for name, probabilities in others.items()
    ]
    return ComparedModels(models, "" if comparison is None else comparison.left_out)


def _given_up(predictions: HeldOutPredictions, own: list[Floats], others: list[Floats]) -> dict[str, Score]:
    if predictions.n_train is not None:
        (first,), (second,) = own, others
        found = paired_errors(first, second, predictions.target, predictions.classes)
    else:
        n_test = np.mean([len(fold.rows) for fold in predictions.folds])
        share = float(n_test / (len(predictions.target) - n_test))
        scores = [predictions.fold_scores(each) for each in (own, others)]
        by_fold = {name: np.array(scores[0][name]) - np.array(scores[1][name]) for name in _SHOWN}
        found = {name: (float(each.mean()), corrected_error(each, share)) for name, each in by_fold.items()}
    return {
        name: Score(rounded(-mean if METRICS[name].higher_is_better else mean), rounded(error))
        for name, (mean, error) in found.items()
    }


def describe_others(compared: ComparedModels) -> str:
    """Return what the other models are, and which were left out."""
    what = [_WHAT[model.name] for model in compared.models if model.name in _WHAT]
    return " ".join([*what, *([compared.left_out] if compared.left_out else [])])


def draw_comparison(setting: Setting, size: Size, compared: ComparedModels) -> Markup | None:
    """Return the scores of the model at its size and of the others, if there are any."""
    left_out = compared.left_out
    if len(compared.models) < 2:  # class frequencies are in the verdict already
        return tag("p", left_out, class_="quiet") if left_out else None
    same = "All on the same rows" if setting.evaluation.n_folds == 0 else "All in the same folds"
    first, *others = [_row(model.name, "words", model.scores) for model in compared.models]
    own = _row(f"this model ({plural(size.n_columns, 'column')})", "words own", size.held_out)
    headings = [
        ("model", "Fitted and evaluated on the same rows"),
        *((METRICS[name].title, f"{setting.method}, ± {setting.standard_error}") for name in _SHOWN),
    ]
    return tag(
        "div",
        tag("h2", "Compared with other models"),
        tag("p", f"{same}; {setting.method}, ± {setting.standard_error}. {describe_others(compared)}", class_="lead"),
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
