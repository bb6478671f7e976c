# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model, evaluated on rows that it was not fitted on."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.report.held_out_predictions import HeldOutPredictions, probability_model
from bayesieve.report.outer_predictions import predict_held_out
from bayesieve.report.report_context import ReportContext

__all__ = ["held_out_context", "predict_test_rows"]


def held_out_context(model: Any, target: str, **source: Any) -> ReportContext:
    """Return the context of a report of a fitted model; ``source`` describes the test rows."""
    inner = probability_model(model)
    rule = inner.threshold_.rule
    floors = rule.name in ("recall", "precision")
    record = getattr(inner, "training_record_", None) or TrainingRecord()
    profits = record.cost is not None and record.amount is not None
    return ReportContext(
        target,
        rule.name if floors else "profit" if profits else "probability",
        inner.pos_label_,
        float(rule.level) if floors else None,
        record.cost if profits else None,
        record.amount if profits else None,
        compare_seconds=0.0,
        **source,
    )


def predict_test_rows(model: Any, X: Any, y: NDArray[Any], name: str, in_sample: bool = False) -> HeldOutPredictions:
    """Predict rows that a model was not fitted on, unless ``in_sample``; ``name`` is that of their table."""
    counts = {label: int((y == label).sum()) for label in model.classes_.tolist()}
    rarest = min(counts, key=counts.__getitem__)
    if not counts[rarest]:
        raise DataError(f"{name}: class {rarest!r} has no rows; an evaluation needs rows of every class.")
    n_train = int(np.rint(probability_model(model).scorecard_.mass))
    note = (
        f"The model was fitted on {n_train:,} rows and evaluated on the {len(y):,} rows of {name}. All scores and "
        "counts are those of these rows."
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
