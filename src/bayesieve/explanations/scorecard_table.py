"""A scorecard as a table to read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.models import Scorecard
from bayesieve.models.evidence import in_nats

__all__ = ["scorecard_columns"]


def scorecard_columns(
    card: Scorecard, counts: Mapping[str, NDArray[Any]], class_mass: Sequence[float]
) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for where scores begin, and one for each bin of each card.

    For each bin: its column, its values, its weight and share of the rows, and for the second of two classes (or for
    each class) its rate and its points, in nats. Points of more than two classes are relative to the mean over classes.
    """
    names, bins = [""], ["every row"]
    parts, tables = [np.array([class_mass], dtype=np.float64)], [card.start[None, :]]
    for each in card.tables:
        n_bins = each.partition.n_bins
        names += [each.name] * n_bins
        bins += [each.partition.describe(code) for code in range(n_bins)]
        parts.append(np.asarray(counts[each.name], dtype=np.float64))
        tables.append(each.table[:n_bins])
    weights, said = np.concatenate(parts), in_nats(np.concatenate(tables))
    mass = weights.sum(axis=1)
    columns: dict[str, list[Any]] = {"column": names, "bin": bins}
    columns |= {"count": mass.tolist(), "share": (mass / float(sum(class_mass))).tolist()}
    said = said - (said[:, :1] if said.shape[1] == 2 else said.mean(axis=1, keepdims=True))
    for c, label in list(enumerate(card.classes.tolist()))[1 if said.shape[1] == 2 else 0 :]:
        suffix = "" if said.shape[1] == 2 else f" {label}"
        rate = np.divide(weights[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"points{suffix}"] = said[:, c].tolist()
    return columns
