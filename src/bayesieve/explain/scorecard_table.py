# SPDX-License-Identifier: BSD-3-Clause
"""A scorecard as a table to read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import ParameterError
from bayesieve.explain.binning_table import information_value, weight_of_evidence
from bayesieve.explain.point_scale import PointScale
from bayesieve.models import Scorecard
from bayesieve.models.scorecard import in_nats

__all__ = ["scorecard_columns"]


def scorecard_columns(card: Scorecard, scale: PointScale | None = None, positive: int = 1) -> dict[str, list[Any]]:
    """Return the columns of a table: one row for where scores begin, one per bin and one per cell of each pair.

    For each bin: its column, its values, its weight and share of the rows, and for the positive one of two classes (or
    for each class) its rate and its points, in nats. Points of more than two classes are relative to the mean over
    classes. With two classes there are also the weight of evidence and the information value of each bin's rows, which
    are of the column alone, and with a scale whole points, of which the first row has the base score.
    """
    names, bins = [""], ["intercept"]
    counts, tables = [np.array([card.class_mass], dtype=np.float64)], [card.start[None, :]]
    for each in card.tables:
        n_bins = each.partition.n_bins
        names += [each.name] * n_bins
        bins += [each.partition.describe(code) for code in range(n_bins)]
        counts.append(np.asarray(each.counts, dtype=np.float64))
        tables.append(each.table[:n_bins])
    for pair in card.pairs:
        names += [pair.label] * len(pair.cells)
        bins += [pair.describe(*cell) for cell in pair.cells]
        counts.append(np.asarray(pair.counts, dtype=np.float64).reshape(len(pair.cells), -1))
        tables.append(pair.table[:-1, :-1].reshape(len(pair.cells), -1))
    weights, points = np.concatenate(counts), in_nats(np.concatenate(tables))
    mass = weights.sum(axis=1)
    columns: dict[str, list[Any]] = {"column": names, "bin": bins}
    shown = mass.astype(np.int64) if (mass == np.rint(mass)).all() else mass  # fractions come from sample weights
    columns |= {"count": shown.tolist(), "share": (mass / float(card.mass)).tolist()}
    binary, labels = points.shape[1] == 2, card.classes.tolist()
    points = points - (points[:, [1 - positive]] if binary else points.mean(axis=1, keepdims=True))
    for c in [positive] if binary else range(len(labels)):
        suffix = "" if binary else f" {labels[c]}"
        rate = np.divide(weights[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"points{suffix}"] = points[:, c].tolist()
    if binary:
        columns |= _evidence([each[:, [positive, 1 - positive]] for each in counts])
    if scale is not None:
        if not binary:
            raise ParameterError(f"base_score is for two classes; this model has {points.shape[1]}.")
        columns["scaled points"] = list(scale.scaled(points[:, positive]))
    return columns


def _evidence(counts: list[NDArray[np.float64]]) -> dict[str, list[Any]]:
    """Return weight of evidence and information value of each bin of each term; 0 in the row where scores begin.

    ``counts`` have a column of the positive class and one of the other.
    """
    own = [each.T for each in counts[1:]]
    evidence = [np.zeros(1), *(weight_of_evidence(*each) for each in own)]
    values = [np.zeros(1), *(information_value(*each) for each in own)]
    return {
        "weight of evidence": np.concatenate(evidence).tolist(),
        "information value": np.concatenate(values).tolist(),
    }
