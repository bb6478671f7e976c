# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve predict``: classes and probabilities of new rows."""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from bayesieve.cli.files import (
    FilesOfNewRows,
    ModelFile,
    TableOptions,
    check_output_paths,
    list_files,
    reads_table,
    refuse_options,
)
from bayesieve.cli.terminal import print_data, print_errors, progress_bar
from bayesieve.data import (
    CsvStyle,
    check_table_path,
    list_values,
    read_table,
    resolve_columns,
    table_bytes,
    write_pieces_atomically,
    write_table,
)
from bayesieve.exceptions import ParameterError, UnseenValuesWarning
from bayesieve.models.number_scorecard import refuse_numbers

__all__ = ["Budget", "Key", "key_columns", "predict", "rank_rows"]

_LEVEL = 0.9  # of intervals
Key = Annotated[list[str], typer.Option(metavar="TEXT", help="Column to write with each row; can be repeated.")]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="INTEGER",
        help="Write only this many rows, those with the highest probability of the positive class (with amounts: the "
        "highest expected profit), the highest first.",
        show_default=False,
    ),
]


@reads_table
def predict(
    model: ModelFile,
    data: FilesOfNewRows,
    *,
    out: Path | None = typer.Option(None, help="A .csv, .xlsx or .parquet file to write; default: print CSV."),
    key: Key = [],  # noqa: B006 - typer makes a list of its own
    budget: Budget = None,
    reasons: int | None = typer.Option(
        None,
        min=1,
        help="Write this many reasons with each row: the columns that move its score most toward the adverse class.",
        show_default=False,
    ),
    adverse: str | None = typer.Option(
        None, help="With --reasons: the class that they are for; default: the positive class.", show_default=False
    ),
    reference: str = typer.Option(
        "mean",
        help="With --reasons: what the points of a row are compared with: those of the mean training row (mean), "
        "those of the best bin of each column (best), or none (neutral).",
    ),
    interval: bool = typer.Option(
        False, "--interval", help="Write a credible interval of each probability: columns lower_ and upper_."
    ),
    level: float = typer.Option(_LEVEL, help="With --interval: the posterior probability of being inside."),
    memory: str | None = typer.Option(
        None, help="Read a Parquet file in blocks, within about this much memory, such as 2GB; the output is CSV."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Predict the class and the class probabilities of each row, or the number, for a ScorecardRegressor.

    Example: bayesieve predict model.json new.csv --key id --out scores.csv

    Example: bayesieve predict model.json new.csv --key id --budget 1000 --out calls.csv

    Example: bayesieve predict model.json applicants.csv --key id --reasons 4 --out letters.csv

    Example: bayesieve predict model.json new.csv --key id --interval --level 0.95

    Of several files, each row has the name of its file; --budget holds for all of them together.
    """
    from bayesieve import load

    with print_errors():
        check_output_paths({"--out": out}, [model, *data])
        check_table_path(out)
        reading, style = replace(reading, for_output=True), reading.style
        fitted = load(model)
        has_number = not hasattr(fitted, "classes_")
        if has_number:
            refuse_options({"budget": budget}, "a model of a number", "rows are ranked by a probability")
        columns_of_rows = _Reasons.read(fitted, reasons, adverse, reference), _Intervals.read(fitted, interval, level)
        predictor = _Predictor(fitted, key, *columns_of_rows)
        if memory is not None:
            of_input = {name: value for name, value in reading.given.items() if name not in ("sep", "decimal")}
            refuse_options(of_input, "--memory", "the Parquet file determines the types and values of columns")
            refuse_options({"budget": budget}, "--memory", "rows are written in the order of the file")
            if len(data) > 1:
                raise ParameterError(f"{len(data)} files are given; with --memory, one is read: run it for each.")
            _predict_in_blocks(predictor, data[0], out, memory, style, as_json=as_json)
            return
        predicted = _PredictedFiles(predictor, list_files(data), reading)
        if budget is not None:
            typer.echo(predicted.take(budget), err=True)
        columns = predicted.columns
        labels = [] if has_number else [str(label) for label in fitted.classes_.tolist()]
        n_rows = len(columns["predicted"])
        if out is not None:
            write_table(columns, out, style)
            document = {"rows": n_rows, "classes": labels, "file": str(out)}
        else:
            document = {"rows": n_rows, "classes": labels, "columns": columns}
        if as_json:
            typer.echo(json.dumps(document, default=str))
        elif out is None:
            print_data(table_bytes(columns, style=style).decode())
        else:
            typer.echo(f"{n_rows:,} predictions were written to {out}.", err=True)


class _Reasons(NamedTuple):
    """The classifier whose scores have reasons, their number, the adverse class, and what points are compared with."""

    model: Any
    number: int
    adverse: Any
    reference: str

    @classmethod
    def read(cls, model: Any, number: int | None, adverse: str | None, reference: str) -> "_Reasons | None":
        """Return what the options ask for; None where they ask for no reasons."""
        if number is None:
            if adverse is not None or reference != "mean":
                raise ParameterError(f"--{'reference' if adverse is None else 'adverse'} is for --reasons; give both.")
            return None
        from bayesieve.cli.new_rows import find_class
        from bayesieve.report import probability_model

        scored = probability_model(model)
        refuse_numbers(scored, "Reason codes")
        if not hasattr(scored, "reason_codes"):
            raise ParameterError(f"--reasons needs points that add up; this {type(scored).__name__} has votes.")
        label = None if adverse is None else scored.classes_.tolist()[find_class(scored, adverse, "--adverse")]
        return cls(scored, number, label, reference)

    def columns(self, X: Any) -> dict[str, list[Any]]:
        """Return the adverse class and the reasons of each row."""
        frame = self.model.reason_codes(X, self.number, adverse=self.adverse, reference=self.reference)
        names = read_table(frame).names
        return {name.replace(" ", "_"): list_values(frame, j) for j, name in enumerate(names)}


class _Intervals(NamedTuple):
    """The classifier whose probabilities have intervals, and the level of these."""

    model: Any
    level: float

    @classmethod
    def read(cls, model: Any, is_asked: bool, level: float) -> "_Intervals | None":
        """Return what the options ask for; None where they ask for no intervals."""
        if not is_asked:
            if level != _LEVEL:
                raise ParameterError("--level is for --interval; give both.")
            return None
        from bayesieve.report import probability_model

        scored = probability_model(model)
        if not hasattr(scored, "predict_interval"):
            raise ParameterError(f"--interval needs a ScorecardClassifier; this model is a {type(scored).__name__}.")
        return cls(scored, level)

    def columns(self, X: Any) -> dict[str, list[float]]:
        """Return the ends of the interval of each class, of two classes of the positive one."""
        ends = self.model.predict_interval(X, self.level)
        if not hasattr(self.model, "classes_"):
            return {"lower": ends[:, 0].tolist(), "upper": ends[:, 1].tolist()}
        labels = self.model.classes_.tolist()
        if len(labels) == 2:
            labels, ends = [labels[self.model.positive_index_]], ends[:, None]
        sides = ("lower", "upper")
        return {f"{sides[k]}_{label}": ends[:, c, k].tolist() for c, label in enumerate(labels) for k in (0, 1)}


@dataclass(frozen=True)
class _Predictor:
    """What is written with each row: keys, predictions, reasons and intervals of a model."""

    model: Any
    keys: Sequence[str]
    reasons: _Reasons | None
    intervals: _Intervals | None = None

    def columns(self, frame: Any, X: Any) -> dict[str, Any]:
        """Return keys, class, probabilities and intervals of rows, with amounts the expected profit, and reasons.

        Of a model of a number, keys, predictions and intervals of the mean.
        """
        model = self.model
        if not hasattr(model, "classes_"):
            numbers = {**key_columns(frame, self.keys), "predicted": model.predict(X).tolist()}
            return numbers | ({} if self.intervals is None else self.intervals.columns(X))
        probabilities = model.predict_proba(X)
        columns: dict[str, Any] = key_columns(frame, self.keys)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenValuesWarning)  # the probabilities have issued it
            columns["predicted"] = model.predict(X).tolist()
            reasons = {} if self.reasons is None else self.reasons.columns(X)
            intervals = {} if self.intervals is None else self.intervals.columns(X)
        labels = model.classes_.tolist()
        columns |= {f"probability_{label}": probabilities[:, c].tolist() for c, label in enumerate(labels)} | intervals
        if _has_amounts(model):
            columns["expected_amount"] = model.expected_amount(X).tolist()
            columns["expected_profit"] = model.expected_benefit(X)[:, 1].tolist()
        elif (money := _fixed_amount(model)) is not None:
            cost, amount = money
            columns["expected_profit"] = (amount * probabilities[:, model.positive_index_] - cost).tolist()
        return columns | reasons


class _PredictedFiles:
    """The predictions for all rows, in the order of the files; of several files, with the name of each row's file."""

    def __init__(self, predictor: _Predictor, files: Sequence[Path], reading: TableOptions) -> None:
        from bayesieve.cli.new_rows import read_new_rows

        self._model = predictor.model
        self._tables: list[Any] = []
        self._has_keys = bool(predictor.keys)
        self.columns: dict[str, list[Any]] = {}
        for path in files:
            frame, X = read_new_rows(self._model, path, reading)
            predictions = predictor.columns(frame, X)
            if len(files) > 1:
                predictions = {"file": [str(path)] * len(frame), **predictions}
            for name, values in predictions.items():
                self.columns.setdefault(name, []).extend(values)
            self._tables.append(X)

    def take(self, budget: int) -> str:
        """Keep the best rows only, the best first, each with its row in its file; return what to expect of them."""
        rows = rank_rows(self._model, self._tables, budget)
        in_files = np.concatenate([np.arange(1, len(X) + 1) for X in self._tables])
        numbers = {} if self._has_keys else {"row": in_files[rows].tolist()}
        self.columns = numbers | {name: [values[i] for i in rows] for name, values in self.columns.items()}
        return _describe_ranked(self._model, self._tables, rows)


def _fixed_amount(model: Any) -> tuple[float, float] | None:
    """Return the cost and the amount that are the same for all rows; None for a model without."""
    record = getattr(model, "training_record_", None)
    if record is None or record.cost is None or record.amount is None:
        return None
    return record.cost, record.amount


def key_columns(frame: Any, keys: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of columns that are written with each row, in the order in which they were asked for."""
    names = read_table(frame).names
    places = [j for key in keys for j in resolve_columns(key, names, "--key")]
    return {names[j]: list_values(frame, j) for j in places}


def _predict_in_blocks(
    predictor: "_Predictor", data: Path, out: Path | None, memory: str, style: CsvStyle, *, as_json: bool
) -> None:
    """Write or print predictions, block by block."""
    if out is not None and out.suffix.lower() != ".csv":
        raise ParameterError(f"With --memory, --out must be a .csv file, got {str(out)!r}.")
    if out is None and as_json:
        raise ParameterError("--json with --memory needs --out, because predictions are written to a file.")
    done: list[int] = []
    blocks = _csv_blocks(predictor, data, memory, style, done)
    with progress_bar("Predicting", None, lambda: len(done)):
        if out is None:
            for block in blocks:
                print_data(block.decode())
        else:
            write_pieces_atomically(out, blocks)
    if as_json:
        labels = [str(label) for label in predictor.model.classes_.tolist()]
        typer.echo(json.dumps({"rows": sum(done), "classes": labels, "file": str(out)}))
    elif out is not None:
        typer.echo(f"{sum(done):,} predictions were written to {out}.", err=True)


def _csv_blocks(predictor: "_Predictor", data: Path, memory: str, style: CsvStyle, done: list[int]) -> Iterator[bytes]:
    from bayesieve.cli.new_rows import open_new_rows

    for frame, X in open_new_rows(predictor.model, data, memory, predictor.keys):
        with warnings.catch_warnings():
            if done:  # warn once, for the first block
                warnings.simplefilter("ignore", UnseenValuesWarning)
            columns = predictor.columns(frame, X)
        yield table_bytes(columns, header=not done, style=style)
        done.append(len(columns["predicted"]))


def rank_rows(model: Any, tables: Sequence[Any], budget: int) -> NDArray[np.intp]:
    """Return the positions of as many rows of all tables as the budget allows, the best first; ties keep order."""
    if len(model.classes_) != 2:
        raise ParameterError(f"--budget is for two classes; this model has {len(model.classes_)}.")
    order: NDArray[np.intp] = np.argsort(-_values(model, tables), kind="stable")[:budget]
    return order


def _describe_ranked(model: Any, tables: Sequence[Any], rows: NDArray[np.intp]) -> str:
    """Return what to expect of the ranked rows: positives, profit, and how many the model would not choose itself."""
    from bayesieve.report import format_label, own_threshold, probability_model

    fitted = probability_model(model)
    place = fitted.positive_index_
    label = format_label(fitted.classes_.tolist()[place])
    chances = _quietly(fitted.predict_proba, tables)[rows, place]
    sentences = [
        f"Selected: the {len(rows):,} of {sum(map(len, tables)):,} rows with the highest "
        + ("expected profit" if _has_amounts(model) else f"probability of {label}, from {chances[0]:.3g} down to")
        + ("." if _has_amounts(model) else f" {chances[-1]:.3g}."),
        f"About {chances.sum():,.0f} of them are expected to be of class {label}.",
    ]
    values = _values(model, tables)
    last = values == values[rows[-1]]
    n_equal, n_left = int(last[rows].sum()), int(last.sum() - last[rows].sum())
    if n_left:
        places = "The last place went" if n_equal == 1 else f"The last {n_equal:,} places went"
        sentences.append(f"{places} to the first of {n_equal + n_left:,} rows with equal values.")
    if _has_amounts(model):
        sentences.append(f"Expected profit: {values[rows].sum():,.2f}.")
    elif (money := _fixed_amount(model)) is not None:
        cost, amount = money
        sentences.append(f"Expected profit: {amount * chances.sum() - cost * len(rows):,.2f}.")
    threshold = own_threshold(model, place)
    below = 0 if threshold is None else int((chances <= threshold).sum())
    if below:
        sentences.append(f"{below:,} of them are not above the threshold of the model, {threshold:.3g}.")
    return " ".join(sentences)


def _has_amounts(model: Any) -> bool:
    return getattr(model, "amount_", None) is not None


def _values(model: Any, tables: Sequence[Any]) -> NDArray[np.float64]:
    """Return what rows are ranked by."""
    from bayesieve.report import probability_model

    if _has_amounts(model):
        return np.asarray(_quietly(model.expected_benefit, tables)[:, 1], dtype=np.float64)
    fitted = probability_model(model)
    return np.asarray(_quietly(fitted.predict_proba, tables)[:, fitted.positive_index_], dtype=np.float64)


def _quietly(predict: Callable[[Any], Any], tables: Sequence[Any]) -> Any:
    """Predict without a warning about unseen values, which the predictions that are written issue."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)
        return np.concatenate([predict(X) for X in tables])
