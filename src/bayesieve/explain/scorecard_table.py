# SPDX-License-Identifier: BSD-3-Clause
"""Bins as tables to read: a scorecard with its points, on a scale of one's choice, and the bins of a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exact import in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.models import Scorecard

__all__ = [
    "PointScale",
    "binning_columns",
    "information_value",
    "reason_columns",
    "scorecard_columns",
    "weight_of_evidence",
]


@dataclass(frozen=True)
class PointScale:
    """A score of ``base_score`` at odds of ``base_odds`` to 1, and ``points_to_double`` more at twice these odds.

    The odds are those of the second class. A negative ``points_to_double`` makes high scores mean the first class.
    """

    base_score: float
    base_odds: float = 1.0
    points_to_double: float = 20.0

    def __post_init__(self) -> None:
        if not self.base_odds > 0:
            raise ParameterError(f"base_odds must be a positive number, got {self.base_odds!r}.")
        if self.points_to_double == 0 or not np.isfinite(self.points_to_double):
            raise ParameterError(f"points_to_double must be a number other than 0, got {self.points_to_double!r}.")

    @property
    def factor(self) -> float:
        """Points per nat of log-odds."""
        return self.points_to_double / log(2.0)

    def scaled(self, points: NDArray[Any]) -> list[int]:
        """Return points in nats, of which the first is the intercept, as whole numbers on the scale."""
        scaled = self.factor * np.asarray(points, dtype=np.float64)
        scaled[0] += self.base_score - self.factor * log(self.base_odds)
        return [int(each) for each in np.rint(scaled)]


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


def reason_columns(
    card: Scorecard, codes: Sequence[NDArray[Any]], pair_codes: Sequence[tuple[NDArray[Any], NDArray[Any]]], sign: int
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the terms of a two-class scorecard, and how far each row is below the best bin of each term, in nats.

    ``sign`` is 1 where a high score is that of the second class, and -1 where it is that of the first.
    """
    names = [*(table.name for table in card.tables), *(pair.label for pair in card.pairs)]
    lost = []
    for table, coded in zip(card.tables, codes, strict=True):
        points = sign * in_nats(table.table[:, 1] - table.table[:, 0])
        lost.append(points[:-1].max() - points[coded])
    for pair, (first, second) in zip(card.pairs, pair_codes, strict=True):
        cells = sign * in_nats(pair.table[..., 1] - pair.table[..., 0])
        lost.append(cells[:-1, :-1].max() - cells[first, second])
    return names, np.stack(lost, axis=1)


def binning_columns(partition: Any, classes: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each bin.

    For each bin: its values, its weight by class and in all, its share of the rows, and for the second of two classes
    (or for each class) its rate and its weight of evidence log (P(bin | class) / P(bin | not class)), where a cell has
    1 / (N + 1) more than was counted; of two classes also the information value, which adds up to that of the column.
    """
    counts: NDArray[Any] = np.asarray(partition.counts)
    mass, total = counts.sum(axis=1), counts.sum()
    columns: dict[str, list[Any]] = {"bin": [partition.describe(code) for code in range(partition.n_bins)]}
    for c, label in enumerate(classes):
        columns[f"count {label}"] = counts[:, c].tolist()
    columns["count"] = mass.tolist()
    columns["share"] = (mass / total).tolist()
    for c, label in list(enumerate(classes))[1 if len(classes) == 2 else 0 :]:
        suffix = "" if len(classes) == 2 else f" {label}"
        rate = np.divide(counts[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"weight of evidence{suffix}"] = weight_of_evidence(counts[:, c], mass - counts[:, c]).tolist()
    if len(classes) == 2:
        columns["information value"] = information_value(counts[:, 1], counts[:, 0]).tolist()
    return columns


def weight_of_evidence(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return log (P(bin | class) / P(bin | not class)) of each bin, given the counts of class and not class.

    A bin without rows has a weight of 0.
    """
    extra = 1.0 / (float(inside.sum() + outside.sum()) + 1.0)
    shares = [(cells + extra) / (float(cells.sum()) + extra * len(cells)) for cells in (inside, outside)]
    return np.where(inside + outside > 0, np.log(shares[0] / shares[1]), 0.0)


def information_value(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return (P(bin | class) - P(bin | not class)) times the weight of evidence; their sum is that of the column."""
    shares = [np.asarray(cells, dtype=np.float64) / max(float(cells.sum()), 1e-300) for cells in (inside, outside)]
    return np.asarray((shares[0] - shares[1]) * weight_of_evidence(inside, outside))
