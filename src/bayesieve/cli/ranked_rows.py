# SPDX-License-Identifier: BSD-3-Clause
"""The rows to act on within a budget: the most probable ones, or those with the highest expected profit."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import ParameterError, UnseenValuesWarning
from bayesieve.report import format_label, own_threshold, probability_model

__all__ = ["describe_ranked", "rank_rows"]


def rank_rows(model: Any, tables: Sequence[Any], budget: int) -> NDArray[np.intp]:
    """Return the positions of as many rows of all tables as the budget allows, the best first; ties keep order."""
    if len(model.classes_) != 2:
        raise ParameterError(f"--budget is for two classes; this model has {len(model.classes_)}.")
    order: NDArray[np.intp] = np.argsort(-_values(model, tables), kind="stable")[:budget]
    return order


def describe_ranked(model: Any, tables: Sequence[Any], rows: NDArray[np.intp]) -> str:
    """Return what to expect of the ranked rows: positives, profit, and how many the model would not choose itself."""
    fitted = probability_model(model)
    place = fitted.positive_index_
    label = format_label(fitted.classes_.tolist()[place])
    chances = _quietly(fitted.predict_proba, tables)[rows, place]
    sentences = [
        f"Selected: the {len(rows):,} of {sum(map(len, tables)):,} rows with the highest "
        + ("expected profit" if _has_amounts(model) else f"probability of {label}, from {chances[0]:.3g} down to")
        + ("." if _has_amounts(model) else f" {chances[-1]:.3g}."),
        f"About {chances.sum():,.0f} of them are expected to be {label}.",
    ]
    values = _values(model, tables)
    last = values == values[rows[-1]]
    n_equal, n_left = int(last[rows].sum()), int(last.sum() - last[rows].sum())
    if n_left:
        sentences.append(
            f"{n_left:,} more {'row has' if n_left == 1 else 'rows have'} the same value as the last {n_equal:,} of "
            "them, which come first."
        )
    record = getattr(fitted, "training_record_", None)
    if _has_amounts(model):
        sentences.append(f"Expected profit: {values[rows].sum():,.2f}.")
    elif record is not None and record.cost is not None and record.amount is not None:
        sentences.append(f"Expected profit: {record.amount * chances.sum() - record.cost * len(rows):,.2f}.")
    threshold = own_threshold(model, place)
    below = 0 if threshold is None else int((chances <= threshold).sum())
    if below:
        sentences.append(f"{below:,} of them are not above the threshold of the model, {threshold:.3g}.")
    return " ".join(sentences)


def _has_amounts(model: Any) -> bool:
    return getattr(model, "amount_", None) is not None


def _values(model: Any, tables: Sequence[Any]) -> NDArray[np.float64]:
    """Return what rows are ranked by."""
    if _has_amounts(model):
        return np.asarray(_quietly(model.expected_benefit, tables)[:, 1], dtype=np.float64)
    fitted = probability_model(model)
    return np.asarray(_quietly(fitted.predict_proba, tables)[:, fitted.positive_index_], dtype=np.float64)


def _quietly(predict: Callable[[Any], Any], tables: Sequence[Any]) -> Any:
    """Predict without a warning about unseen values, which the predictions that are written issue."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)
        return np.concatenate([predict(X) for X in tables])
