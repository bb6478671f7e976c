# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve discretize``: optimal bins for each column of a file."""

import json
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bayesieve.bins import Groups, Intervals, Partition
from bayesieve.cli import INTERRUPTED
from bayesieve.cli.files import TABLE, TableOptions, reads_table
from bayesieve.cli.terminal import VisibleText as Text, print_errors, progress_bar, visible
from bayesieve.data import Scale, read_table, resolve_columns

__all__ = ["discretize"]

_MOST_CLASSES: Final = 5  # with a column of their own
_LONGEST_GROUP: Final = 60  # characters


class _Prior(StrEnum):
    khiops = "khiops"
    paper = "2006"


class _Missing(StrEnum):
    own_bin = "own_bin"
    lowest = "lowest"


@reads_table
def discretize(
    data: Path = typer.Argument(help=TABLE),
    *,
    target: str = typer.Option(..., help="Name of the target column."),
    column: list[str] = typer.Option([], help="Discretize only this column; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    prior: _Prior = typer.Option(
        _Prior.khiops, help="Prior of the MODL criterion: as in Khiops, or as published in 2006."
    ),
    max_bins: int | None = typer.Option(None, min=1, help="Maximum number of bins per column."),
    missing: _Missing = typer.Option(
        _Missing.own_bin, help="Treat missing values as a bin of their own, or as the lowest value."
    ),
    categorical: list[str] = typer.Option([], help="Treat this column of numbers as categories; can be repeated."),
    positive: str | None = typer.Option(None, help="Positive class; default: the less frequent of two."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Find optimal bins of each column for predicting a class: intervals of numbers, groups of categories.

    Columns are sorted by level: the share of the description length that their bins save, 0 for a single bin.

    Example: bayesieve discretize people.csv --target bought
    """
    from bayesieve import MODLDiscretizer
    from bayesieve.cli.column_roles import find_positive, split_target_column

    with print_errors():
        frame = reading.read(data).frame
        names = read_table(frame).names
        X, y = split_target_column(frame, names, target, column, drop)
        categories = {names[j] for j in resolve_columns(categorical, names, "--categorical")} & set(X.columns)
        model = MODLDiscretizer(
            prior.value, missing=missing.value, max_bins=max_bins, categorical=sorted(categories) or "auto", n_jobs=-1
        )
        complete = _fit(model, X, y)
        classes = model.classes_.tolist()
        positive_class = find_positive(positive, classes, [int((y == label).sum()) for label in classes])
        if n_dropped := len(frame) - len(y):
            typer.echo(visible(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out."), err=True)
        # Columns of equal level stay in the order of the table.
        partitions = sorted(model.partitions_.items(), key=lambda item: -(item[1].level or 0.0))
        if as_json:
            document = {
                "target": target,
                "classes": [label if isinstance(label, int | float) else str(label) for label in classes],
                "rows": len(y),
                "rows_without_target": n_dropped,
                "complete": complete,
                "columns": [_column_document(*item) for item in partitions],
            }
            typer.echo(json.dumps(document))
        else:
            _print(partitions, classes, positive_class)
        if not complete:
            typer.echo(f"Interrupted: {len(partitions)} of {len(X.columns)} columns were finished.", err=True)
            raise typer.Exit(INTERRUPTED)


def _fit(model: Any, X: Any, y: Any) -> bool:
    """Find the bins, and return whether all columns were finished; Ctrl-C keeps those that were."""
    try:
        with progress_bar("Finding bins", len(X.columns), lambda: len(getattr(model, "partitions_", ()))):
            model.fit(X, y)
    except KeyboardInterrupt:
        if not getattr(model, "partitions_", None):
            raise
        return False
    return True


def _print(partitions: Sequence[tuple[str, Any]], classes: Sequence[Any], positive: int | None) -> None:
    from bayesieve.report import format_label

    labels = [format_label(label) for label in classes]
    console = Console()
    uninformative = [name for name, partition in partitions if not partition.level]
    for name, partition in partitions:
        if partition.level:
            console.print(_bin_table(name, partition, labels, positive))
            console.print()
    if uninformative:
        names = ", ".join(uninformative)
        console.print(Text(f"{len(uninformative)} of {len(partitions)} columns are not informative: {names}."))


def _bin_table(name: str, partition: Any, labels: Sequence[str], positive: int | None) -> Table:
    """Return a table with one row per bin: values, counts per class, rate and weight of evidence.

    Without a positive class, the most frequent class of each bin is shown instead of these two.
    """
    counts: NDArray[Any] = np.asarray(partition.counts)
    # Labels and names are the user's: as Text, their brackets are not markup.
    table = Table(
        title=Text(f"{name}: level {partition.level:.4f} (compression gain: 0 for one bin, at most 1)"),
        title_justify="left",
    )
    table.add_column("bin", overflow="fold")
    shown = _shown_classes(counts)
    rest = np.setdiff1d(np.arange(len(labels)), shown)
    headings = [labels[c] for c in shown] + ([f"{len(rest)} others"] if len(rest) else [])
    weights = [counts[:, c] for c in shown] + ([counts[:, rest].sum(axis=1)] if len(rest) else [])
    statistics = _common_class(counts, labels) if positive is None else _evidence(partition, labels, positive)
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


def _evidence(partition: Any, labels: Sequence[str], positive: int) -> dict[str, list[str]]:
    from bayesieve.explain.scorecard_table import binning_columns

    inside = partition.counts[:, positive]
    against = replace(partition, counts=np.column_stack([partition.counts.sum(axis=1) - inside, inside]))
    columns = binning_columns(against, ["others", "positive"])
    return {
        f"rate of {labels[positive]}": [f"{rate:.1%}" for rate in columns["rate"]],
        "weight of evidence": [f"{weight:+.2f}" for weight in columns["weight of evidence"]],
    }


def _common_class(counts: NDArray[Any], labels: Sequence[str]) -> dict[str, list[str]]:
    best, mass = counts.argmax(axis=1), counts.sum(axis=1)
    rates = counts.max(axis=1) / np.maximum(mass, 1)
    return {"most frequent": [labels[c] for c in best], "its rate": [f"{rate:.1%}" for rate in rates]}


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


def _column_document(name: str, partition: Partition) -> dict[str, Any]:
    """Return a column's bins, counts and costs in types that JSON has."""
    cost: Any = getattr(partition, "cost", None)
    return {
        "name": name,
        "kind": _kind(partition),
        "level": partition.level,
        "cost": cost and {term: getattr(cost, term) for term in ("construction", "preparation", "data", "total")},
        "bins": [_bin(partition, code) for code in range(partition.n_bins)],
    }


def _kind(partition: Partition) -> str:
    if isinstance(partition, Groups) and not partition.groups:
        return "empty"
    return str(partition.scale) if isinstance(partition, Intervals) else "categorical"


def _bin(partition: Any, code: int) -> dict[str, Any]:
    """Return a bin's bounds or values, whether missing and unseen values belong to it, and its counts per class.

    Bounds are ``[low, high]``, low excluded and high included, null where there is none; bounds of dates and times are
    text. A bin of missing values alone has neither bounds nor values.
    """
    alone = partition.missing and code == partition.n_bins - 1
    described: dict[str, Any] = {} if alone else _content(partition, code)
    described["missing"] = alone or code == partition.joined
    described["counts"] = partition.counts[code].tolist()
    return described


def _content(partition: Any, code: int) -> dict[str, Any]:
    if isinstance(partition, Groups):
        return {"values": [_plain(value) for value in partition.groups[code]], "unseen": code == partition.other}
    inner = partition.bounds.tolist()
    if partition.scale is not Scale.numeric:
        inner = [partition.scale.words(bound) for bound in inner]
    bounds: Sequence[float | str | None] = [None, *inner, None]
    return {"bounds": bounds[code : code + 2]}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)
