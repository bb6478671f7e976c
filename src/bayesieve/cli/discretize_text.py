# SPDX-License-Identifier: BSD-3-Clause
"""A column's bins as a table in a terminal."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from bayesieve.bins import Groups
from bayesieve.cli.terminal_text import VisibleText as Text
from bayesieve.explain.scorecard_table import binning_columns
from bayesieve.report import format_label

__all__ = ["bin_table"]

_MOST_CLASSES = 5  # with a column of their own
_LONGEST_GROUP = 60  # characters


def bin_table(name: str, partition: Any, classes: Sequence[Any], positive: int | None) -> Table:
    """Return a table with one row per bin: values, counts per class, rate and weight of evidence.

    Parameters
    ----------
    name : str
        The column's name.
    partition : Partition
        Its bins, with counts.
    classes : sequence
        The class labels.
    positive : int or None
        The class whose rate and weight of evidence are shown; if None, the most frequent class of each bin is shown.
    """
    counts: NDArray[Any] = np.asarray(partition.counts)
    # Labels and names are the user's: as Text, their brackets are not markup.
    table = Table(
        title=Text(f"{name}: level {partition.level:.4f} (compression gain: 0 for one bin, at most 1)"),
        title_justify="left",
    )
    table.add_column("bin", overflow="fold")
    shown = _shown_classes(counts)
    rest = np.setdiff1d(np.arange(len(classes)), shown)
    headings = [format_label(classes[c]) for c in shown] + ([f"{len(rest)} others"] if len(rest) else [])
    weights = [counts[:, c] for c in shown] + ([counts[:, rest].sum(axis=1)] if len(rest) else [])
    statistics = _common_class(counts, classes) if positive is None else _evidence(partition, classes, positive)
    for heading in [*headings, "share", *statistics]:
        table.add_column(Text(heading), justify="right")
    shares = counts.sum(axis=1) / counts.sum()
    for code in range(partition.n_bins):
        numbers = [f"{weight[code]:.10g}" for weight in weights]
        cells = [
            _label(partition, code),
            *numbers,
            f"{shares[code]:.1%}",
            *(each[code] for each in statistics.values()),
        ]
        table.add_row(*map(Text, cells))
    return table


def _shown_classes(counts: NDArray[Any]) -> NDArray[np.intp]:
    """Return all classes, or the most frequent ones if they are many, in order."""
    n_classes = counts.shape[1]
    if n_classes <= _MOST_CLASSES + 1:
        return np.arange(n_classes)
    return np.sort(np.argsort(-counts.sum(axis=0), kind="stable")[:_MOST_CLASSES])


def _evidence(partition: Any, classes: Sequence[Any], positive: int) -> dict[str, list[str]]:
    inside = partition.counts[:, positive]
    against = replace(partition, counts=np.column_stack([partition.counts.sum(axis=1) - inside, inside]))
    columns = binning_columns(against, ["others", "positive"])
    return {
        f"rate of {format_label(classes[positive])}": [f"{rate:.1%}" for rate in columns["rate"]],
        "weight of evidence": [f"{weight:+.2f}" for weight in columns["weight of evidence"]],
    }


def _common_class(counts: NDArray[Any], classes: Sequence[Any]) -> dict[str, list[str]]:
    best, mass = counts.argmax(axis=1), counts.sum(axis=1)
    rates = counts.max(axis=1) / np.maximum(mass, 1)
    return {"most frequent": [format_label(classes[c]) for c in best], "its rate": [f"{rate:.1%}" for rate in rates]}


def _label(partition: Any, code: int) -> str:
    """Return a bin as text; a long group is cut to as many values as there is room for."""
    label: str = partition.describe(code)
    if len(label) <= _LONGEST_GROUP or not isinstance(partition, Groups):
        return label
    values = partition.words(code)
    lengths = np.cumsum([len(value) + 2 for value in values])
    n_shown = max(1, int(np.searchsorted(lengths, _LONGEST_GROUP - 15)))
    shown = [value if len(value) <= _LONGEST_GROUP else f"{value[: _LONGEST_GROUP - 1]}…" for value in values[:n_shown]]
    more = f" and {len(values) - n_shown} more" if len(values) > n_shown else ""
    return ", ".join(shown) + more + (" or missing" if code == partition.joined else "")
