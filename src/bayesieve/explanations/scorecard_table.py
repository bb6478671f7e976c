"""A scorecard as a table to read."""

from typing import Any

import numpy as np

from bayesieve.models import Scorecard
from bayesieve.models.scorecard import in_nats

__all__ = ["scorecard_columns"]


def scorecard_columns(card: Scorecard) -> dict[str, list[Any]]:
    """Return the columns of a table: one row for where scores begin, one per bin and one per cell of each pair.

    For each bin: its column, its values, its weight and share of the rows, and for the second of two classes (or for
    each class) its rate and its points, in nats. Points of more than two classes are relative to the mean over classes.
    """
    names, bins = [""], ["every row"]
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
    columns |= {"count": mass.tolist(), "share": (mass / float(card.mass)).tolist()}
    points = points - (points[:, :1] if points.shape[1] == 2 else points.mean(axis=1, keepdims=True))
    for c, label in list(enumerate(card.classes.tolist()))[1 if points.shape[1] == 2 else 0 :]:
        suffix = "" if points.shape[1] == 2 else f" {label}"
        rate = np.divide(weights[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"points{suffix}"] = points[:, c].tolist()
    return columns
