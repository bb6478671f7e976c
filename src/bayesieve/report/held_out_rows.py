# SPDX-License-Identifier: BSD-3-Clause
"""Held-out rows, predicted by refits without each outer fold, or by one model that was fitted without them."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data import is_number, list_values, pick_rows, read_table
from bayesieve.decisions import best_actions, expected_benefits
from bayesieve.estimators.amounts import BinnedAmount, ColumnAmount
from bayesieve.evaluation import OuterFit, outer_fits
from bayesieve.evaluation.outer_cv import Split, outer_splits, time_splits
from bayesieve.exceptions import (
    ClippedSelectionWarning,
    DataError,
    IdleColumnWarning,
    NothingSelectedWarning,
    ParameterError,
    RepeatedRowsWarning,
)
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models.scorecard import in_units
from bayesieve.report.context import ReportContext
from bayesieve.report.curves import rows_per_group
from bayesieve.report.held_out_predictions import FoldCache, FoldPredictions, HeldOutPredictions

__all__ = [
    "held_out_context",
    "inner_estimator",
    "known_amounts",
    "open_model",
    "predict_held_out",
    "predict_outer_folds",
    "predict_test_rows",
    "probability_model",
    "read_numbers",
    "tested_rows",
    "with_scoring",
]


def inner_estimator(estimator: Any) -> Any:
    """Return the classifier inside an estimator that need not be fitted."""
    if hasattr(estimator, "steps"):
        return inner_estimator(estimator.steps[-1][1])
    return inner_estimator(estimator.estimator) if hasattr(estimator, "estimator") else estimator


def open_model(model: Any, X: Any) -> tuple[Any, Any]:
    """Return what decides inside a fitted pipeline or search, and the rows of ``X`` as it sees them."""
    if hasattr(model, "best_estimator_"):
        return open_model(model.best_estimator_, X)
    if hasattr(model, "steps"):
        return open_model(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)
    return model, X


def probability_model(model: Any) -> Any:
    """Return the fitted classifier whose probabilities a `BenefitClassifier` decides by; any other as it is."""
    return getattr(model, "estimator_", model)


def with_scoring(model: Any, scoring: Any) -> Any:
    """Return a copy that is not fitted, of a classifier or of that inside another, with these scores of sizes."""
    parameters = model.get_params(deep=False)
    if "steps" in parameters:
        *steps, (name, last) = parameters["steps"]
        changed: dict[str, Any] = {"steps": [*steps, (name, with_scoring(last, scoring))]}
    elif "estimator" in parameters:
        changed = {"estimator": with_scoring(model.estimator, scoring)}
    else:
        changed = {"scoring": scoring}
    return type(model)(**(parameters | changed))


def predict_outer_folds(
    model: Any,
    X: Any,
    y: NDArray[Any],
    n_folds: int = 5,
    cache: FoldCache | None = None,
    advance: Callable[[], None] = lambda: None,
    **row_values: Any,
) -> HeldOutPredictions | None:
    """Repeat selection and fit without each fold, and predict the rows of that fold.

    Parameters
    ----------
    model : classifier
        Fitted on all rows; the refits have its parameters.
    X, y : table and target
        All rows.
    n_folds : int
        Number of outer folds.
    cache : FoldCache, default=None
        Where finished folds are stored and read.
    advance : callable
        Called after each fold.
    **row_values : arrays of shape (n_samples,)
        What ``fit`` is given in addition, such as ``amounts``; ``groups``, whose rows stay in one fold;
        ``sample_weight``, by which scores are weighted, too; ``times``: folds are tested on what follows their training
        rows.

    Returns
    -------
    predictions : HeldOutPredictions or None
        None if it was interrupted.
    """
    stored = {} if cache is None else {i: cache.read(i) for i in range(n_folds)}
    folds = {i: fold for i, fold in stored.items() if fold is not None}
    for _ in folds:
        advance()
    refit = with_scoring(model, None)
    splits = _splits(X, y, n_folds, row_values)
    given = {name: values for name, values in row_values.items() if name != "times"}
    try:
        with _without_repetition():
            for fit in outer_fits(refit, X, y, splits, skip=tuple(folds), **given):
                fitted = probability_model(open_model(fit.model, fit.X)[0])
                if not fitted.path_.complete and fitted.max_time is None:
                    return None  # by Ctrl-C
                folds[fit.number] = _predict_fold(fit, model.classes_)
                if cache is not None:
                    cache.write(fit.number, folds[fit.number])
                advance()
    except KeyboardInterrupt:
        return None
    return HeldOutPredictions(
        [folds[i] for i in range(n_folds)],
        np.searchsorted(model.classes_, y),
        model.classes_,
        weights=row_values.get("sample_weight"),
        trained_on=[train for train, _ in splits],
        note=_note(row_values, n_folds),
        rows_per_observation=rows_per_group(row_values["groups"]) if "groups" in row_values else 1.0,
    )


def _predict_fold(fold: OuterFit, classes: NDArray[Any]) -> FoldPredictions:
    """Predict the rows of a fold with the model that was fitted without them."""
    deciding, X = open_model(fold.model, fold.X)
    model = probability_model(deciding)
    own = model.predict_proba(X)
    # A model from a file has one size.
    one_size = model.selection_.fitted is None
    staged = {model.selection_.best.n_features: own} if one_size else dict(model.staged_predict_proba(X))
    stages = np.array([*staged.values(), own], dtype=np.float64)
    decisions = _staged_decisions(deciding, X, stages, classes)
    amounts = deciding.expected_amount(X) if hasattr(deciding, "expected_amount") else None
    columns = dict.fromkeys([*model.path_.order, *model.scorecard_.columns])  # of pairs, too
    return FoldPredictions(fold.rows, tuple(staged), stages, decisions, tuple(columns), model.path_.complete, amounts)


def _staged_decisions(deciding: Any, X: Any, stages: Floats, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of the predicted class of each row, by the probabilities of each size and of the selected one.

    That of the selected size is what ``predict`` returns; of other sizes, what it would return after ``select``.
    """
    predicted = np.searchsorted(classes, deciding.predict(X))
    if hasattr(deciding, "row_benefits"):
        benefits = deciding.row_benefits(X)
        actions = [deciding.actions_[best_actions(expected_benefits(each, benefits))] for each in stages[:-1]]
        return np.array([*(np.searchsorted(classes, each) for each in actions), predicted])
    if len(classes) != 2:
        return np.array([*stages[:-1].argmax(axis=2), predicted])
    positive = deciding.positive_index_
    levels = [threshold.probability for _, threshold in deciding.staged_thresholds()]
    accepted = [stage[:, positive] > level for stage, level in zip(stages[:-1], levels, strict=True)]
    return np.array([*(np.where(each, positive, 1 - positive) for each in accepted), predicted])


@contextmanager
def _without_repetition() -> Iterator[None]:
    """Ignore warnings about the selections of folds: the model has issued its own, and a report counts folds."""
    with warnings.catch_warnings():
        for category in (NothingSelectedWarning, ClippedSelectionWarning, IdleColumnWarning, RepeatedRowsWarning):
            warnings.simplefilter("ignore", category)
        yield


def _splits(X: Any, y: NDArray[Any], n_folds: int, row_values: dict[str, Any]) -> list[Split]:
    if "times" not in row_values:
        return outer_splits(y, n_folds, row_values.get("groups"), table=read_table(X))
    if "groups" in row_values:
        raise ParameterError("Folds are by groups or by time; give one of the two.")
    return time_splits(y, row_values["times"], n_folds)


def _note(row_values: dict[str, Any], n_folds: int) -> str:
    """Return how rows were held out, if it is not the usual way."""
    sentences = []
    if "times" in row_values:
        sentences.append(
            f"Rows are divided by time into {n_folds + 1} parts: each of {n_folds} models was fitted on the first "
            "parts and tested on the next one. All counts are counts of tested rows, without the first part."
        )
    if "groups" in row_values:
        n_groups, n_alike = len(np.unique(row_values["groups"])), rows_per_group(row_values["groups"])
        sentences.append(
            f"The rows of each of {n_groups:,} groups are in one fold; as rows of a group may be alike, intervals "
            f"count {n_alike:,.1f} rows as one observation, which is cautious."
        )
    if "sample_weight" in row_values:
        sentences.append("Fits and scores are weighted; counts are counts of rows.")
    return " ".join(sentences)


def tested_rows(
    X: Any, predictions: HeldOutPredictions, context: ReportContext
) -> tuple[Any, HeldOutPredictions, ReportContext]:
    """Return the rows that were held out in some fold, with their predictions and amounts; usually all rows."""
    rows, tested = predictions.restricted()
    if tested is predictions:
        return X, predictions, context
    amounts = None if context.amounts is None else context.amounts[rows]
    return pick_rows(X, rows), tested, replace(context, amounts=amounts)


def predict_held_out(model: Any, X: Any, y: NDArray[Any], n_train: int, note: str = "") -> HeldOutPredictions:
    """Predict held-out rows with one model.

    Parameters
    ----------
    model : classifier
        Fitted without these rows.
    X, y : table and target
        The held-out rows.
    n_train : int
        Number of training rows.
    note : str
        How rows were held out, if they are not spread evenly over one table.

    Returns
    -------
    predictions : HeldOutPredictions
        With all rows in place of the folds.
    """
    all_rows = _predict_fold(OuterFit(0, model, np.arange(len(y)), X), model.classes_)
    target = np.searchsorted(model.classes_, y)
    return HeldOutPredictions([all_rows], target, model.classes_, n_train, note=note)


def known_amounts(model: Any, X: Any) -> Floats | None:
    """Return the amounts of rows, from the column that has them; None if the table, or the model, has no such column.

    A missing value counts as 0, but not where the model decides by the column itself.
    """
    if isinstance(amount := getattr(model, "amount_", None), ColumnAmount):
        return amount.predict(X, np.empty(0))
    record = getattr(probability_model(model), "training_record_", None)
    names = read_table(X).names
    if record is None or record.amount_column not in names:
        return None
    return read_numbers(X, names.index(record.amount_column), record.amount_column)


def read_numbers(X: Any, place: int, name: str) -> Floats:
    """Return the amounts in a column; a missing value counts as 0."""
    values = list_values(X, place)
    if not all(value is None or is_number(value) for value in values):
        raise ParameterError(f"--amount names the column {name!r}, which is not numeric.")
    amounts: Floats = np.nan_to_num(np.array([0.0 if value is None else float(value) for value in values]))
    return amounts


def held_out_context(model: Any, target: str, X: Any, amounts: Floats | None = None, **source: Any) -> ReportContext:
    """Return the context of a report of a fitted model on test rows; ``source`` describes them.

    ``amounts`` are those of the rows, where they are not in the table. Where a model decides by amounts and those of
    the rows are not known, there is no profit, and the mean amount of the training stands for theirs on the page.
    """
    inner = probability_model(model)
    rule = inner.threshold_.rule
    record = getattr(inner, "training_record_", None) or TrainingRecord()
    goal: dict[str, Any] = {}
    if getattr(model, "amount_", None) is not None:
        amounts = known_amounts(model, X) if amounts is None else amounts
        column = getattr(model.amount_, "column", record.amount_column)
        goal = {"cost": float(model.cost), "amounts": amounts, "amount_column": column}
        goal["amount"] = _mean_amount(model.amount_, amounts)
        goal |= {} if amounts is None else {"goal": "profit", "promise": record.profit}
    elif record.cost is not None and record.amount is not None:
        goal = {"goal": "profit", "cost": record.cost, "amount": record.amount, "promise": record.profit}
    elif rule.name in ("recall", "precision"):
        goal = {"goal": rule.name, "floor": float(rule.level)}
    return ReportContext(target, positive=inner.pos_label_, compare_seconds=0.0, trained=record, **goal, **source)


def _mean_amount(amount: Any, amounts: Floats | None) -> float | None:
    """Return the amount that stands for those of all rows."""
    if isinstance(amount, BinnedAmount):
        return float(in_units(amount.model.start))
    return None if amounts is None else float(amounts.mean())


def predict_test_rows(model: Any, X: Any, y: NDArray[Any], name: str, in_sample: bool = False) -> HeldOutPredictions:
    """Predict rows that a model was not fitted on, unless ``in_sample``; ``name`` is that of their table."""
    counts = {label: int((y == label).sum()) for label in model.classes_.tolist()}
    rarest = min(counts, key=counts.__getitem__)
    if not counts[rarest]:
        raise DataError(f"{name}: class {rarest!r} has no rows; an evaluation needs rows of every class.")
    n_train = int(np.rint(probability_model(model).scorecard_.mass))
    note = (
        f"The model was fitted on {n_train:,} rows and evaluated on the {len(y):,} rows of {name}. Scores and "
        "decisions are those of these rows; rows and rates of bins are those of the training."
    )
    if in_sample:
        note = (
            f"{name} is the file that the model was trained on, so that all scores are optimistic; evaluate it on "
            "other rows."
        )
    predictions = predict_held_out(model, X, y, n_train, note)
    mass = np.asarray(probability_model(model).scorecard_.class_mass)
    baselines = [np.tile(mass / mass.sum(), (len(fold.rows), 1)) for fold in predictions.folds]
    return replace(predictions, baselines=baselines, in_sample=in_sample)
