# SPDX-License-Identifier: BSD-3-Clause
"""A fit on Parquet files that are read in blocks, here or by workers, evaluated on held-out rows."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesieve.cli.column_roles import RowRoles, check_class_labels, mixed_labels_error, read_amount
from bayesieve.cli.files import TableOptions, fingerprint, refuse_options, table_name
from bayesieve.cli.fit_options import FitOptions
from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.terminal import progress_bar
from bayesieve.data import ParquetFrame, connect, open_parquet, resolve_columns, split_target
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import format_label, predict_held_out
from bayesieve.search import stage

__all__ = ["fit_in_blocks", "refuse_in_blocks"]

_DEFAULT_MEMORY: Final = "2GB"  # per worker
_MOST_HELD_OUT: Final = 100_000
_SUFFIXES: Final = (".parquet", ".pq")
_IN_BLOCKS: Final = "--memory or --dask"
_FEWEST: Final = 5  # rows of a class, for training and for evaluation


def fit_in_blocks(
    options: FitOptions,
    files: Sequence[Path],
    outputs: FitOutputs,
    *,
    memory: str | None,
    dask: str | None,
) -> None:
    """Fit on all rows but the held-out ones, evaluate on these, and write the results."""
    for path in files:
        if path.suffix.lower() not in _SUFFIXES:
            raise ParameterError(f"{path} is not a Parquet file; leave out --memory and --dask to load it into memory.")
    frame = open_parquet(files, memory=memory or _DEFAULT_MEMORY, n_jobs=1 if dask else -1)
    with nullcontext() if dask is None else connect(dask):
        _fit_frame(options, files, frame, outputs, "auto" if dask is None else "dask")


def _fit_frame(
    options: FitOptions, files: Sequence[Path], frame: ParquetFrame, outputs: FitOutputs, backend: str
) -> None:
    table = _DividedTable.of(frame, options.target, are_classes=options.are_classes)
    names, classes = list(table.train.columns), list(table.counts)
    positive = options.positive_class(classes, list(table.counts.values()))
    if options.amount in names:
        raise ParameterError(f"--amount names the column {options.amount!r}; with --memory or --dask, give a number.")
    if options.amount_known:
        raise ParameterError("--amount-known is for a table in memory; with --memory or --dask, give a number.")
    amount = read_amount(options.amount, None, [], np.empty(0, dtype=bool))
    context = options.report_context(
        positive, len(classes), amount.mean, source=table_name(files), fingerprint=fingerprint(files),
        n_without_target=table.n_without_target,
    )  # fmt: skip
    folder = None if outputs.checkpoint is None else f"{outputs.checkpoint}/"
    classifier = options.classifier(context, names, classes, 1, backend=backend, checkpoint=folder)
    if not outputs.as_json:
        print_data(table.train.drop(options.target).head(0), table.counts, context, classifier)
    done: list[None] = []
    with progress_bar("Fitting, then evaluating on held-out rows", 2, lambda: len(done)):
        model = classifier.fit(table.train.drop(options.target), table.train[options.target])
        model.set_params(checkpoint=None)  # a path on this machine is not part of the model
        done.append(None)
        outputs.save_model(model)
        if not model.path_.complete and model.max_time is None:
            outputs.exit_interrupted()
        X, y = table.read_held_out()
        with stage("predictions"):
            predictions = predict_held_out(model, X, y, sum(table.counts.values()) - len(y))
    with stage("report"):
        outputs.save(model, X, predictions, context)
        outputs.write(model, X, predictions, context)


def refuse_in_blocks(options: FitOptions, reading: TableOptions, roles: RowRoles) -> None:
    """Refuse options that need all rows in memory, or that Parquet files make void."""
    types = {kind: kind in reading.types.values() for kind in ("numeric", "categorical")}
    refuse_options(types | reading.given, _IN_BLOCKS, "the Parquet file determines the types and values of columns")
    held_out = {"group": roles.group, "time": roles.time, "test": roles.test}
    refuse_options(held_out, _IN_BLOCKS, "the model is evaluated on held-out rows that are spread over the table")
    refuse_options({"weight": roles.weight}, _IN_BLOCKS, "held-out rows are evaluated with equal weights")
    refuse_options({"edits": options.edits}, _IN_BLOCKS, "edits need the rows in memory")
    refuse_options({"cv": options.cv}, _IN_BLOCKS, "one model is evaluated on held-out rows")
    refuse_options({"compare": options.compare}, _IN_BLOCKS, "the other models need all rows in memory")


@dataclass(frozen=True)
class _DividedTable:
    """Training rows and held-out rows, all of which have a class, and the number of rows per class."""

    train: ParquetFrame
    held_out: ParquetFrame
    target: str
    counts: Mapping[Any, int]
    n_without_target: int

    @classmethod
    def of(cls, frame: ParquetFrame, target_name: str, *, are_classes: bool) -> "_DividedTable":
        """Check the target, and divide the rows."""
        (place,) = resolve_columns(target_name, frame.columns, "--target")
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
            raise mixed_labels_error(target) from None
        check_class_labels(classes, target, are_classes=are_classes)
        # The probabilities at each of some twenty sizes, and the values of the rows, are in memory at once.
        most = frame.memory // (64 * len(frame.columns) + 512 * len(classes))
        train, held_out = frame.drop_missing(target).divide(max(1, min(_MOST_HELD_OUT, most)))
        table = cls(train, held_out, target, {label: counts[label] for label in classes}, n_missing)
        table._check_rarest()
        return table

    def read_held_out(self) -> tuple[Any, Any]:
        """Return the features and the target of the held-out rows."""
        frame = self.held_out.read()
        return split_target(frame, frame.columns.index(self.target))

    def _check_rarest(self) -> None:
        """Refuse classes that are too rare for the training rows, or for the held-out rows."""
        held_out = self.held_out[self.target].count_values()
        for label, n in self.counts.items():
            n_held_out = held_out.get(label, 0)
            if n_held_out < _FEWEST or n - n_held_out < _FEWEST:
                raise DataError(
                    f"Class {format_label(label)!r} of the target {self.target!r} has {n:,} rows, of which "
                    f"{n_held_out:,} are held out; at least {_FEWEST} are needed in the training rows and "
                    "in the held-out rows, so merge or remove this class, or leave out --memory and --dask."
                )
