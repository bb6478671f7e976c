# SPDX-License-Identifier: BSD-3-Clause
"""What a model file keeps of the training: data, date, and scores on held-out rows."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.model_file.training_record import ScoreGroups, TrainingRecord, group_scores
from bayesieve.quality import shown_classes
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.report_context import ReportContext

__all__ = ["training_record"]


def training_record(model: Any, X: Any, predictions: HeldOutPredictions, context: ReportContext) -> TrainingRecord:
    """Return the record of a model, given its training rows, and predictions for held-out rows.

    The model's own probabilities have other values than those of the models of the folds, and new rows are compared
    with its own, so the groups are of its own. How often the class occurs in each is counted on held-out rows.
    """
    _, tested = predictions.restricted()
    own, held_out = model.predict_proba(X), tested.probabilities(None)
    return TrainingRecord(
        target=context.target,
        source=context.source,
        fingerprint=context.fingerprint,
        command=context.command,
        trained=datetime.now(UTC).isoformat(timespec="seconds"),
        n_rows=len(predictions.target) if predictions.n_train is None else predictions.n_train,
        evaluation=predictions.method,
        cost=context.cost,
        missing=tuple(context.missing),
        amount=context.amount if context.amounts is None else None,
        scores=predictions.scores(None),
        groups={c: _groups(own[:, c], held_out[:, c], tested.target == c) for c in shown_classes(model)},
    )


def _groups(own: Floats, held_out: Floats, positive: NDArray[np.bool_]) -> ScoreGroups:
    """Group rows by the model's own probabilities; held-out rows belong to the groups by their ranks."""
    groups = group_scores(own)
    ends = np.cumsum(groups.n_rows) / groups.n_rows.sum()
    ranks = np.empty(len(held_out))
    ranks[np.argsort(held_out, kind="stable")] = (np.arange(len(held_out)) + 0.5) / len(held_out)
    place = np.minimum(np.searchsorted(ends, ranks), len(ends) - 1)
    n_rows = np.bincount(place, minlength=len(ends))
    observed = np.bincount(place, positive * 1.0, len(ends)) / np.maximum(n_rows, 1)
    return replace(groups, observed=np.where(n_rows > 0, observed, np.nan))
