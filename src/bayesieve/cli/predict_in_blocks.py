# SPDX-License-Identifier: BSD-3-Clause
"""Predictions for a Parquet file that is read in blocks, written as CSV block by block."""

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from bayesieve.cli.new_rows import key_columns, open_new_rows
from bayesieve.cli.progress_bar import progress_bar
from bayesieve.cli.visible_text import print_data
from bayesieve.data import table_bytes, write_pieces_atomically
from bayesieve.exceptions import ParameterError, UnseenValuesWarning

__all__ = ["predict_in_blocks", "prediction_columns"]


def prediction_columns(model: Any, frame: Any, X: Any, keys: Sequence[str]) -> dict[str, Any]:
    """Return the keys, the predicted class, class probabilities and, with amounts, the expected profit of each row."""
    probabilities = model.predict_proba(X)
    columns: dict[str, Any] = key_columns(frame, keys)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)  # the probabilities have issued it
        columns["predicted"] = model.predict(X).tolist()
    labels = model.classes_.tolist()
    columns |= {f"probability_{label}": probabilities[:, c].tolist() for c, label in enumerate(labels)}
    if getattr(model, "amount_", None) is not None:
        columns["expected_amount"] = model.expected_amount(X).tolist()
        columns["expected_profit"] = model.expected_benefit(X)[:, 1].tolist()
    return columns


def predict_in_blocks(
    model: Any, data: Path, out: Path | None, keys: Sequence[str], memory: str, *, as_json: bool
) -> None:
    """Write or print predictions, block by block."""
    if out is not None and out.suffix.lower() != ".csv":
        raise ParameterError(f"With --memory, --out must be a .csv file, got {str(out)!r}.")
    if out is None and as_json:
        raise ParameterError("--json with --memory needs --out, because predictions are written to a file.")
    done: list[int] = []
    blocks = _csv_blocks(model, data, keys, memory, done)
    with progress_bar("Predicting", None, lambda: len(done)):
        if out is None:
            for block in blocks:
                print_data(block.decode())
        else:
            write_pieces_atomically(out, blocks)
    if as_json:
        labels = [str(label) for label in model.classes_.tolist()]
        typer.echo(json.dumps({"rows": sum(done), "classes": labels, "file": str(out)}))
    elif out is not None:
        typer.echo(f"{sum(done):,} predictions were written to {out}.", err=True)


def _csv_blocks(model: Any, data: Path, keys: Sequence[str], memory: str, done: list[int]) -> Iterator[bytes]:
    for frame, X in open_new_rows(model, data, memory, keys):
        with warnings.catch_warnings():
            if done:  # warn once, for the first block
                warnings.simplefilter("ignore", UnseenValuesWarning)
            columns = prediction_columns(model, frame, X, keys)
        yield table_bytes(columns, header=not done)
        done.append(len(columns["predicted"]))
