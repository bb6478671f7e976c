"""A fit on Parquet files that are read in blocks, here or by workers, judged on rows that it is not given."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesieve.cli.bin_table import show_label
from bayesieve.cli.classes import mixed_labels, refuse_no_classes
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.fitting import Outputs, stop, tell
from bayesieve.cli.goals import read_amount
from bayesieve.cli.order import Order
from bayesieve.cli.table_files import fingerprint, shown_name
from bayesieve.cli.watching import watched
from bayesieve.data import ParquetFrame, connect, open_parquet, resolve_columns, split_target
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import judge_held_out

__all__ = ["fit_large"]

_USUAL_MEMORY: Final = "2GB"  # of a worker
_MOST_HELD: Final = 100_000
_SUFFIXES: Final = (".parquet", ".pq")


def fit_large(
    order: Order,
    files: Sequence[Path],
    outputs: Outputs,
    *,
    types: Mapping[str, str],
    memory: str | None,
    dask: str | None,
) -> None:
    """Fit on all rows but a few, judge by these, and tell what was found."""
    _refuse_what_blocks_cannot(files, outputs, types)
    frame = open_parquet(files, memory=memory or _USUAL_MEMORY, n_jobs=1 if dask else -1)
    with nullcontext() if dask is None else connect(dask):
        _fit_frame(order, files, frame, outputs, "auto" if dask is None else "dask")


def _fit_frame(order: Order, files: Sequence[Path], frame: ParquetFrame, outputs: Outputs, backend: str) -> None:
    table = _LargeTable.of(frame, order.target, order.folds)
    names, classes = list(table.learnt.columns), list(table.counts)
    positive = order.looked_for(classes, list(table.counts.values()))
    if order.amount in names:
        raise ParameterError(f"--amount names the column {order.amount!r}; with --memory or --dask, give a number.")
    brings, _, _ = read_amount(order.amount, None, [], np.empty(0, dtype=bool))
    question = order.question(
        positive, len(classes), brings, source=shown_name(files), fingerprint=fingerprint(files),
        n_without_target=table.n_without_target,
    )  # fmt: skip
    classifier = order.classifier(question, names, 1, backend=backend)
    if not outputs.as_json:
        print_data(table.learnt.drop(order.target).head(0), table.counts, question)
    done: list[None] = []
    with watched("Fitting, then judging by rows held out", 2, lambda: len(done)):
        model = classifier.fit(table.learnt.drop(order.target), table.learnt[order.target])
        done.append(None)
        if outputs.model is not None:
            model.save(outputs.model)
        if not model.path_.complete and model.max_time is None:
            stop(outputs, "the same command begins anew")
        X, y = table.held_out()
        honest = judge_held_out(model, X, y, order.folds, sum(table.counts.values()) - len(y))
    tell(model, X, honest, question, outputs)


def _refuse_what_blocks_cannot(files: Sequence[Path], outputs: Outputs, types: Mapping[str, str]) -> None:
    for path in files:
        if path.suffix.lower() not in _SUFFIXES:
            raise ParameterError(f"{path} is no Parquet file; others are read whole, without --memory and --dask.")
    if types:
        option = "--numeric" if "numeric" in types.values() else "--categorical"
        raise ParameterError(
            f"{option} is for files that are read whole; with --memory or --dask, columns are what the file says."
        )
    if outputs.checkpoint is not None:
        raise ParameterError(
            "--checkpoint keeps the folds of the honest estimate, and with --memory or --dask there is one fit: leave "
            "it out."
        )


@dataclass(frozen=True)
class _LargeTable:
    """Rows to learn from and rows held out, all of which have a class; and how many rows each class has."""

    learnt: ParquetFrame
    apart: ParquetFrame
    target: str
    counts: Mapping[Any, int]
    n_without_target: int

    @classmethod
    def of(cls, frame: ParquetFrame, wanted: str, n_groups: int) -> "_LargeTable":
        """Look at the target, and divide the rows."""
        (place,) = resolve_columns(wanted, frame.columns, "--target")
        target = frame.columns[place]
        if len(frame.columns) == 1:
            raise DataError(f"There is no column besides the target {target!r}.")
        counts = frame[target].count_values()
        n_missing = counts.pop(None, 0)
        if not counts:
            raise DataError(f"The target {target!r} is missing in every row; name another column as --target.")
        try:
            classes = sorted(counts)
        except TypeError:
            raise mixed_labels(target) from None
        refuse_no_classes(classes, target)
        # What is believed at each of some twenty sizes, and the values of the rows, are in memory at once.
        most = frame.memory // (64 * len(frame.columns) + 512 * len(classes))
        learnt, apart = frame.known_in(target).divide(max(1, min(_MOST_HELD, most)))
        table = cls(learnt, apart, target, {label: counts[label] for label in classes}, n_missing)
        table.refuse_rare(n_groups)
        return table

    def held_out(self) -> tuple[Any, Any]:
        """Return the features and the target of the rows held out."""
        frame = self.apart.read()
        return split_target(frame, frame.columns.index(self.target))

    def refuse_rare(self, n_groups: int) -> None:
        """Refuse classes of which no model, or no group of rows held out, would see a row."""
        held = self.apart[self.target].count_values()
        for label, n in self.counts.items():
            own = held.get(label, 0)
            if own < n_groups or n - own < n_groups:
                raise DataError(
                    f"Of the target {self.target!r}, {show_label(label)!r} has {n:,} rows, of which {own:,} are held "
                    f"out; at least {n_groups} are needed there and in the others, so join or remove this class, give "
                    "--folds, or read the table whole, without --memory and --dask."
                )
