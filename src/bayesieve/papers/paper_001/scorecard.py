# SPDX-License-Identifier: BSD-3-Clause
"""The scorecard on the folds of a set: with all columns to choose from, at its automatic size."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesieve import ScorecardClassifier
from bayesieve.evaluation.data_set import DataSet
from bayesieve.evaluation.labeled_table import LabeledTable
from bayesieve.exceptions import BayesieveWarning
from bayesieve.papers.paper_001.recall_floor import FLOOR
from bayesieve.papers.paper_001.sets import SETS

__all__ = ["run_scorecard", "summarize_scorecard"]


def run_scorecard(data_set: DataSet, fold: int, most_columns: int) -> dict[str, Any]:
    """Return numbers of rows that are accepted, and of positive ones among them, without and with a recall floor."""
    data = data_set.data
    assert isinstance(data, LabeledTable)
    train, test = data_set.splits[fold]
    is_positive = data.target.codes[test] == 1
    counts: dict[str, Any] = {"n_positive": int(is_positive.sum()), "n_test": len(test)}
    for decision, threshold in (("plain", "bayes"), ("floor", ("recall", FLOOR))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayesieveWarning)  # sets with few positive rows
            model = ScorecardClassifier(threshold=threshold, n_jobs=1).fit(data.rows(train), data.labels[train])
        accepted = model.predict(data.rows(test)) == data.target.classes[1]
        counts[decision] = [int((accepted & is_positive).sum()), int(accepted.sum())]
        counts["size"] = int(model.n_features_)
    return counts


def summarize_scorecard(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return for each set recall, precision, accuracy and F1, those with a floor, and the mean number of columns.

    Measures are means over folds, as those of the selectors are; recall and precision with a floor are over the test
    rows of all folds together, as in the tables of the floors.
    """
    folds: dict[str, list[Mapping[str, Any]]] = {name: [] for name in SETS}
    for record in records:
        folds[record["data"]].append(record)
    return {name: _summarize_set(each) for name, each in folds.items() if each}


def _summarize_set(folds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    measures = [_measures(fold) for fold in folds]
    n_positive = sum(fold["n_positive"] for fold in folds)
    rates = {}
    for decision in ("plain", "floor"):
        true, accepted = (sum(fold[decision][i] for fold in folds) for i in (0, 1))
        rates[decision] = {
            "recall": true / n_positive,
            "precision": true / accepted if accepted else None,
            "accepted": accepted / sum(fold["n_test"] for fold in folds),
        }
    means = {name: float(np.mean([each[name] for each in measures])) for name in measures[0]}
    return {"means": means, **rates, "size": float(np.mean([fold["size"] for fold in folds]))}


def _measures(fold: Mapping[str, Any]) -> dict[str, float]:
    """Return the measures of a fold from its counts; precision is 0 where no row is accepted, as in the evaluation."""
    (true, accepted), n_positive, n = fold["plain"], fold["n_positive"], fold["n_test"]
    return {
        "recall": true / n_positive,
        "precision": true / max(accepted, 1),
        "accuracy": (n - accepted - n_positive + 2 * true) / n,
        "f1": 2 * true / max(accepted + n_positive, 1),
    }
