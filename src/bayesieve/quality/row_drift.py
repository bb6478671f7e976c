# SPDX-License-Identifier: BSD-3-Clause
"""New rows compared with the training rows of a model: columns, scores, and with labels the losses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Floats
from bayesieve.bins import Groups
from bayesieve.data import Column
from bayesieve.decisions.benefits import total_profit
from bayesieve.estimators.amounts import amount_tables, row_amounts
from bayesieve.estimators.rows import open_new_rows
from bayesieve.evaluation.measures import decision_shares, scores_with_errors
from bayesieve.exceptions import DataError, ParameterError, UnseenValuesWarning
from bayesieve.model_file.training_record import TrainingRecord, group_scores
from bayesieve.models.number_scorecard import refuse_numbers
from bayesieve.quality.drift_result import BinDrift, ColumnDrift, Drift, MetricDrift, ScoreDrift
from bayesieve.quality.stability_index import DriftBins, column_bins, drift_level, psi, psi_by_chance, unseen_by_chance

__all__ = ["drift", "shown_classes"]

_UNSEEN = 5


def drift(
    model: Any, X: Any, y: ArrayLike | None = None, *, amounts: ArrayLike | None = None, reference: Any = None
) -> Drift:
    """Compare new rows with the training rows of a model.

    Parameters
    ----------
    model : fitted classifier
        A `ScorecardClassifier`, `SelectiveNaiveBayes`, `VoteClassifier` or `BoostSelector`, or a `BenefitClassifier`
        over one, fitted or loaded from a file. The counts of its bins are those of the training rows; of a
        `BenefitClassifier`, columns of the expected amount are compared, too.
    X : data frame or array of shape (n_samples, n_features)
        New rows, with the columns of the training table.
    y : array of shape (n_samples,), default=None
        Their classes, if they are known by now: losses and calibration are compared, too.
    amounts : array of shape (n_samples,), default=None
        With ``y``, the amount of each row of the positive class: the profit per row is compared, too, with that of the
        training in the model file. Amounts that are a column, or the same for all rows, need not be given.
    reference : (X, y), default=None
        Held-out rows whose scores and losses the new ones are compared with; y may be None. By default those that
        `bayesieve fit` keeps in the model file; without either, scores are not compared.

    Returns
    -------
    drift : Drift
        Printed, it is a sentence; ``to_frame()`` has a row per column.

    See Also
    --------
    check_data : Look for what spoils a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import ScorecardClassifier, drift
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = ScorecardClassifier(n_features=2).fit(X[:300], y[:300])
    >>> shifted = X[300:] * 1.3
    >>> [column.level for column in drift(model, shifted, reference=(X[300:], y[300:])).columns]
    ['large', 'large']
    """
    deciding, model = model, getattr(model, "estimator_", model)  # inside a BenefitClassifier
    refuse_numbers(model, "Comparisons of drift")
    if not hasattr(model, "scorecard_"):
        raise ParameterError(f"drift needs a fitted classifier of this library, got {type(model).__name__}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)  # they are counted below
        probabilities = np.asarray(model.predict_proba(X))
    table, position = open_new_rows(model, X), model.selection_.positions
    found = column_bins(model.scorecard_, amount_tables(deciding))
    columns = [_column_drift(name, bins, table.column(position[name]), len(found)) for name, bins in found.items()]
    importance = dict(zip(model.column_names_, model.feature_importances_.tolist(), strict=True))
    columns.sort(key=lambda column: (-column.psi, -importance[column.name]))
    record = _reference_record(model, reference)
    codes = None if y is None else _codes(y, len(probabilities), model.classes_)
    metrics: tuple[MetricDrift, ...] = ()
    if codes is not None:
        now = scores_with_errors(model.classes_, probabilities, codes) | _shares(model, X, codes, record)
        metrics = (*_then_and_now(now, record), *_profit_drift(deciding, X, codes, amounts))
    return Drift(
        n_rows=len(probabilities),
        n_rows_then=float(model.scorecard_.mass),
        columns=tuple(columns),
        scores=tuple(_score_drifts(model, probabilities, codes, record)),
        metrics=metrics,
        classes=_class_shares(model, codes),
        record=record,
    )


def _column_drift(name: str, bins: DriftBins, column: Column, n_columns: int) -> ColumnDrift:
    by_label = bins.partition.bins_of(column)
    codes = by_label[column.ids]
    now = np.bincount(bins.group[codes], minlength=len(bins.labels)).astype(np.float64)
    then = bins.counts
    index, by_chance = psi(then, now), psi_by_chance(then, now, n_columns)
    if _are_few_unseen(bins.partition, then, now):  # of many categories, new ones occur by chance
        by_chance = psi_by_chance(then[:-1], now[:-1], n_columns) + index - psi(then[:-1], now[:-1])
    n_missing = int((column.ids == len(column.labels)).sum())
    missing_then = None
    if bins.partition.missing:
        missing_then = float(then[-2] / then.sum())
    elif bins.partition.joined is None:
        missing_then = 0.0
    unseen = _unseen_values(bins.partition, column)
    return ColumnDrift(
        name,
        index,
        by_chance,
        drift_level(index, by_chance),
        missing_then,
        n_missing / len(codes),
        sum(unseen.values()) / len(codes),
        tuple(list(unseen.items())[:_UNSEEN]),
        tuple(
            BinDrift(label, float(a / then.sum()), float(b / now.sum()))
            for label, a, b in zip(bins.labels, then, now, strict=True)
            if a or b
        ),
    )


def _are_few_unseen(partition: Any, then: Floats, now: Floats) -> bool:
    """Return whether there are rows with unseen categories, and no more than by chance."""
    if not isinstance(partition, Groups) or not now[-1]:
        return False
    n_categories = sum(len(group) for group in partition.groups)
    return bool(now[-1] <= unseen_by_chance(n_categories, float(then.sum()), float(now.sum())))


def _unseen_values(partition: Any, column: Column) -> dict[str, int]:
    """Return the number of rows of each category that no training row had, the most frequent first."""
    if not isinstance(partition, Groups) or partition.other is not None:  # then not all are listed
        return {}
    known = {label for group in partition.groups for label in group}
    counts = np.bincount(column.ids, minlength=len(column.labels) + 1)
    unseen = {str(label): int(counts[k]) for k, label in enumerate(column.labels) if label not in known}
    return dict(sorted(unseen.items(), key=lambda item: -item[1]))


def _reference_record(model: Any, reference: Any) -> TrainingRecord | None:
    if reference is None:
        return getattr(model, "training_record_", None)
    X, y = reference
    probabilities = np.asarray(model.predict_proba(X))
    codes = None if y is None else _codes(y, len(probabilities), model.classes_)
    groups = {c: group_scores(probabilities[:, c], None if codes is None else codes == c) for c in shown_classes(model)}
    scores: Mapping[str, tuple[float, float]] = {}
    if codes is not None:
        scores = scores_with_errors(model.classes_, probabilities, codes)
    return TrainingRecord(n_rows=len(probabilities), evaluation="reference", scores=scores, groups=groups)


def shown_classes(model: Any) -> list[int]:
    """Return the classes whose probabilities are compared: the positive one of two, or all."""
    n_classes = len(model.classes_)
    return [model.positive_index_] if n_classes == 2 else list(range(n_classes))


def _codes(y: Any, n_rows: int, classes: NDArray[Any]) -> NDArray[np.intp]:
    labels = np.asarray(y).ravel()
    if len(labels) != n_rows:
        raise DataError(f"y has {len(labels)} labels and X has {n_rows} rows: inconsistent lengths.")
    place = {label: c for c, label in enumerate(classes.tolist())}
    codes = [place.get(label, -1) for label in labels.tolist()]
    if -1 in codes:
        unknown = labels.tolist()[codes.index(-1)]
        shown = ", ".join(map(repr, classes.tolist()[:8]))
        raise DataError(f"y has the class {unknown!r}, which the model does not have; its classes are {shown}.")
    return np.array(codes, dtype=np.intp)


def _score_drifts(
    model: Any, probabilities: Floats, codes: NDArray[np.intp] | None, record: TrainingRecord | None
) -> list[ScoreDrift]:
    drifts = []
    for c, then in (record.groups if record is not None else {}).items():
        now = group_scores(probabilities[:, c], None if codes is None else codes == c, then.bounds)
        index, by_chance = psi(then.n_rows, now.n_rows), psi_by_chance(then.n_rows, now.n_rows)
        label = model.classes_.tolist()[c]
        drifts.append(ScoreDrift(label, index, by_chance, drift_level(index, by_chance), then, now))
    return drifts


def _then_and_now(now: Mapping[str, tuple[float, float]], record: TrainingRecord | None) -> list[MetricDrift]:
    """Return scores and their standard errors then and now."""
    then = {} if record is None else record.scores
    metrics = []
    for name, (value, error) in now.items():
        value_then, error_then = then.get(name, (None, None))
        metrics.append(MetricDrift(name, value_then, error_then, value, error))
    return metrics


def _shares(model: Any, X: Any, codes: NDArray[np.intp], record: TrainingRecord | None) -> dict[str, Any]:
    """Return recall and precision of the decisions, where they were the goal of the training."""
    if record is None or not {"recall", "precision"} & set(record.scores):
        return {}
    return decision_shares(codes == model.positive_index_, _are_acted_upon(model, model, X))


def _are_acted_upon(deciding: Any, model: Any, X: Any) -> NDArray[np.bool_]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)  # they are counted
        return np.asarray(deciding.predict(X) == model.pos_label_)


def _profit_drift(deciding: Any, X: Any, codes: NDArray[np.intp], amounts: ArrayLike | None) -> tuple[MetricDrift, ...]:
    """Return the profit per row then and now; nothing where the model has no costs, or amounts are not known."""
    model = getattr(deciding, "estimator_", deciding)
    record = getattr(model, "training_record_", None) or TrainingRecord()
    cost, values = record.cost, amounts
    if values is None:
        values = row_amounts(deciding, X, len(codes))
    if len(model.classes_) != 2 or values is None or cost is None:
        return ()
    acted = _are_acted_upon(deciding, model, X)
    gains = np.where(codes == model.positive_index_, np.nan_to_num(np.asarray(values, dtype=np.float64)), 0.0) - cost
    now = total_profit(np.where(acted, gains, 0.0), acted)
    then, error = record.profit or (None, None)
    return (MetricDrift("profit", then, error, *now.per_row),)


def _class_shares(model: Any, codes: NDArray[np.intp] | None) -> tuple[tuple[Any, float, float | None], ...]:
    mass = np.asarray(model.scorecard_.class_mass)
    now = None if codes is None else np.bincount(codes, minlength=len(mass)) / len(codes)
    labels = model.classes_.tolist()
    return tuple(
        (label, float(mass[c] / mass.sum()), None if now is None else float(now[c])) for c, label in enumerate(labels)
    )
