# SPDX-License-Identifier: BSD-3-Clause
"""The bins of the selected columns: rows, class frequencies, and the points that the model adds, with intervals."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import Intervals, short_description
from bayesieve.data import Scale, read_table
from bayesieve.exact import in_nats
from bayesieve.explain.scorecard_table import binning_columns
from bayesieve.fit.fold_counts import sampled_rows
from bayesieve.models import Scorecard, VoteModel, simplify_table
from bayesieve.report.rounding import rounded

__all__ = ["bin_label", "describe_bins", "positive_points"]

_MOST_COLUMNS = 100
_MOST_BINS = 16
_FEW_BINS = 5
_SAMPLE = 20_000  # rows for intervals


def describe_bins(model: Any, X: Any, positive: int | None, rows_per_observation: float = 1.0) -> list[dict[str, Any]]:
    """Return the bins of the selected columns, the most important first.

    Each bin has its label and its rows per class. If the scores of the model add up, the bins are those of the model,
    and each has the points that it adds: to the log-odds of the positive of two classes, with their standard error; of
    more classes, to the score of each class relative to the mean over classes. Bins of a vote have the probability that
    they vote for the positive class. In other models, bins are the optimal ones of the column.
    """
    place = model.selection_.positions
    shares = model.feature_importances_
    names = sorted(model.scorecard_.names, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    card = model.scorecard_.additive()
    if card is None:
        return [_describe(place[name], _shown(model, name), positive) | _votes(model, name) for name in names]
    described = [_describe(place[name], card[name].partition, positive) for name in names]
    information = _Information(card, X, place) if positive is not None else None
    for name, bins in zip(names, described, strict=True):
        bins["points"] = rounded(_points(card, name, positive))
        if information is not None and positive is not None:
            errors = information.standard_errors(name, positive) * rows_per_observation**0.5
            bins["standard_error"] = rounded(errors)
    return described


def positive_points(table: Any, positive: int) -> Any:
    """Return the log-odds of the positive class in each entry of a score table of two classes."""
    return in_nats(table[..., positive] - table[..., 1 - positive])


def _points(card: Scorecard, name: str, positive: int | None) -> Floats:
    table = card[name].table[:-1]
    if positive is not None:
        return np.asarray(positive_points(table, positive))
    points = in_nats(table)
    return np.asarray(points - points.mean(axis=1, keepdims=True))


class _Information:
    """The Fisher information of each bin's points, given those of all other columns: the sum of p (1 - p) over rows."""

    def __init__(self, card: Scorecard, X: Any, place: Mapping[str, int]) -> None:
        self.card, self.table, self.place = card, read_table(X), place
        self.rows = sampled_rows(self.table.n_rows, _SAMPLE)
        codes = [self._codes(each.name, each.partition) for each in card.tables]
        cells = [
            (self._codes(p.names[0], p.partitions[0]), self._codes(p.names[1], p.partitions[1])) for p in card.pairs
        ]
        self.codes = dict(zip(card.names, codes, strict=True))
        self.probabilities = card.probabilities(card.evidence(len(self.rows), codes, cells))

    def _codes(self, name: str, partition: Any) -> Any:
        column = self.table.column(self.place[name])
        return partition.bins_of(column)[column.ids[self.rows]]

    def standard_errors(self, name: str, positive: int) -> Floats:
        """Return the standard error of each bin's points; NaN where no sampled row is in the bin."""
        table, codes, p = self.card[name], self.codes[name], self.probabilities[positive]
        n_bins = table.partition.n_bins + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.bincount(codes, p * (1 - p), n_bins) / np.bincount(codes, minlength=n_bins)
            errors: Floats = 1.0 / np.sqrt(spread[:-1] * np.asarray(table.bin_mass, dtype=np.float64))
        return errors


def _votes(model: Any, name: str) -> dict[str, Any]:
    """Return the vote of each bin of a vote model."""
    card = model.scorecard_
    return {"votes": rounded(card.votes(card[name])[:-1])} if isinstance(card, VoteModel) else {}


def _shown(model: Any, name: str) -> Any:
    """Return the optimal bins of a column; if there is one, or too many to look at, those of the model are merged."""
    if isinstance(model.scorecard_, VoteModel):
        return model.scorecard_[name].partition
    best = model.partitions_[name]
    if 1 < best.n_bins <= _MOST_BINS + best.missing:
        return best
    return simplify_table(model.scorecard_[name], _FEW_BINS if best.n_bins == 1 else _MOST_BINS).partition


def _describe(j: int, partition: Any, positive: int | None) -> dict[str, Any]:
    counts = np.asarray(partition.counts)
    described: dict[str, Any] = {
        "column": j,
        "labels": [bin_label(partition, code) for code in range(partition.n_bins)],
        "counts": [[rounded(each) for each in row] for row in counts.tolist()],
    }
    if isinstance(partition, Intervals) and len(partition.bounds):
        described["bounds"] = rounded(partition.bounds, 10)
        described["scale"] = partition.scale.value
        if partition.scale is not Scale.numeric:
            described["bound_labels"] = [partition.scale.words(bound) for bound in partition.bounds.tolist()]
    if positive is not None:
        inside = counts[:, positive]
        against = replace(partition, counts=np.column_stack([counts.sum(axis=1) - inside, inside]))
        columns = binning_columns(against, ["others", "positive"])
        described["rate"] = rounded(np.array(columns["rate"]))
        described["weight_of_evidence"] = rounded(np.array(columns["weight of evidence"]))
    return described


def bin_label(partition: Any, code: int) -> str:
    """Return a short description of a bin."""
    if isinstance(partition, Intervals) and 0 < code < len(partition.bounds):
        low, high = (partition.scale.words(bound) for bound in partition.bounds[code - 1 : code + 1].tolist())
        return f"{low} – {high}" + (" or missing" if code == partition.joined else "")
    return short_description(partition, code).replace("<=", "≤")
