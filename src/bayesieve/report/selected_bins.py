"""The bins of the selected columns: rows, class frequencies and weight of evidence."""

from dataclasses import replace
from typing import Any

import numpy as np

from bayesieve.coding import Groups, Intervals
from bayesieve.explanations.binning_table import binning_columns
from bayesieve.models import simplify_table
from bayesieve.models.scorecard import in_nats
from bayesieve.report.rounding import rounded

__all__ = ["bin_label", "describe_bins"]

_MOST_COLUMNS = 100
_MOST_BINS = 16
_FEW_BINS = 5
_LONGEST = 70  # characters of a bin's label


def describe_bins(model: Any, positive: int | None) -> list[dict[str, Any]]:
    """Return the bins of the selected columns, the most important first.

    Each bin has its label, its rows per class, and for the positive of two classes its rate and weight of evidence; a
    bin of the model itself has points, too.
    """
    place = {name: j for j, name in enumerate(model.column_names_)}
    shares = model.feature_importances_
    names = sorted(model.scorecard_.names, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    described = [_describe(place[name], _shown(model, name), positive) for name in names]
    if model.shown_bins is None and positive is not None:
        for name, bins in zip(names, described, strict=True):
            bins["points"] = rounded(positive_points(model.scorecard_[name].table[:-1], positive))
    return described


def positive_points(table: Any, positive: int) -> Any:
    """Return the log-odds of the positive class in each entry of a score table of two classes."""
    return in_nats(table[..., positive] - table[..., 1 - positive])


def _shown(model: Any, name: str) -> Any:
    """Return the bins of the model where these are to be shown; otherwise the optimal bins of the column.

    If there is one optimal bin, or too many to look at, those of the model are merged.
    """
    if model.shown_bins is None:
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
    label: str = partition.describe(code).replace("<=", "≤")
    if len(label) <= _LONGEST or not isinstance(partition, Groups) or code >= len(partition.groups):
        return label
    values = partition.words(code)
    lengths = np.cumsum([len(value) + 2 for value in values])
    n_shown = max(1, int(np.searchsorted(lengths, _LONGEST - 15)))
    more = f" and {len(values) - n_shown} more" if len(values) > n_shown else ""
    return ", ".join(value[:_LONGEST] for value in values[:n_shown]) + more
