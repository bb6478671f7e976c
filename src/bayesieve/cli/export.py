# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve export``: a model as SQL, ONNX, PMML, scorecard or JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from bayesieve.cli.files import ModelFile, TableOptions, check_output_paths, refuse_options
from bayesieve.cli.terminal import print_data, print_errors
from bayesieve.data import check_table_path, write_atomically, write_table
from bayesieve.exceptions import ParameterError

if TYPE_CHECKING:
    from bayesieve.explain.scorecard_table import PointScale

__all__ = ["export"]


class _Format(StrEnum):
    sql = "sql"
    onnx = "onnx"
    pmml = "pmml"
    scorecard = "scorecard"
    card = "card"
    json = "json"


_BASE_ODDS: Final = 1.0
_POINTS_TO_DOUBLE: Final = 20.0
_TITLES = {
    _Format.sql: "an SQL query",
    _Format.onnx: "ONNX",
    _Format.pmml: "PMML",
    _Format.scorecard: "a scorecard",
    _Format.card: "a model card",
    _Format.json: "JSON",
}


def export(
    model: ModelFile,
    *,
    to: _Format = typer.Option(
        ..., help="Format: SQL query, ONNX or PMML model, scorecard as CSV (or .xlsx), model card, or indented JSON."
    ),
    out: Path | None = typer.Option(None, help="File to write; default: print. ONNX needs a file."),
    table: str = typer.Option("data", help="sql: name of the table."),
    key: list[str] = typer.Option([], help="sql: column to return with each prediction; can be repeated."),
    dialect: str | None = typer.Option(None, help="sql: postgres, bigquery, snowflake, tsql, mysql, spark, oracle, …"),
    with_exp: bool = typer.Option(
        True, "--with-exp/--no-exp", help="sql: use the function EXP, which some builds of SQLite lack."
    ),
    base_score: float | None = typer.Option(None, help="scorecard: add whole points; the score at --base-odds."),
    base_odds: float = typer.Option(
        _BASE_ODDS, help="scorecard: odds of the class that is not adverse, at which the score is --base-score."
    ),
    points_to_double: float = typer.Option(_POINTS_TO_DOUBLE, help="scorecard: points that double these odds."),
    adverse: str | None = typer.Option(
        None,
        help="scorecard: class that low scores mean, such as default on a loan; default: the positive class.",
        show_default=False,
    ),
    spread_intercept: bool = typer.Option(
        False,
        "--spread-intercept",
        help="scorecard: divide the points of the intercept equally among the columns and pairs.",
    ),
    sep: str | None = typer.Option(
        None, help="scorecard: separator of values, one character or tab; default: a comma."
    ),
    decimal: str | None = typer.Option(None, help="scorecard: decimal mark, a point or a comma."),
    max_bins: int | None = typer.Option(
        None,
        min=2,
        help="Merge bins until each column has at most this many (approximate); default: the bins of the model.",
    ),
) -> None:
    """Export a model as an SQL query, an ONNX or PMML model, a scorecard or JSON.

    Example: bayesieve export model.json --to sql --table customers --key id --out score.sql
    """
    from bayesieve import load
    from bayesieve.export import export_pmml, export_sql, model_card, scorecard_cells, scorecard_csv
    from bayesieve.models.number_scorecard import refuse_numbers

    with print_errors():
        check_output_paths({"--out": out}, [model])
        style = TableOptions(sep=sep, decimal=decimal).style
        as_workbook = _is_workbook(to, out)
        scaled = _given_of_scale(base_odds, points_to_double, adverse, spread_intercept)
        of_scorecard = {"base_score": base_score is not None, **scaled, "sep": sep, "decimal": decimal}
        _check_format(to, {_Format.scorecard: of_scorecard, _Format.sql: {"key": key, "dialect": dialect}})
        scale = _read_scale(base_score, base_odds, points_to_double, adverse, scaled)
        fitted = load(model)
        refuse_numbers(fitted, "Exports and model cards")
        points = None if scale is None else scale(fitted)
        if to is _Format.onnx:
            _export_onnx(fitted, out)
            return
        if as_workbook and out is not None:
            _export_workbook(scorecard_cells(fitted, max_bins=max_bins, scale=points), out)
            return
        if to is _Format.sql:
            text = export_sql(fitted, table=table, keys=key, with_exp=with_exp, max_bins=max_bins, dialect=dialect)
        elif to is _Format.pmml:
            text = export_pmml(fitted, max_bins=max_bins).decode()
        elif to is _Format.scorecard:
            marks = {"separator": style.separator, "decimal": style.decimal}
            text = scorecard_csv(fitted, max_bins=max_bins, scale=points, **marks)
        elif to is _Format.card:
            text = model_card(fitted, file=model.name)
        else:
            text = json.dumps(json.loads(model.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"
        _write_text(text, out, to)


def _is_workbook(to: _Format, out: Path | None) -> bool:
    """Return whether a scorecard is written as a workbook; refuse other formats, and a missing package for it."""
    if out is None or out.suffix.lower() != ".xlsx":
        return False
    if to is not _Format.scorecard:
        raise ParameterError(f"--to {to.value} writes no Excel file, got {str(out)!r} as --out; --to scorecard does.")
    check_table_path(out)
    return True


def _export_workbook(columns: Mapping[str, Sequence[Any]], out: Path) -> None:
    write_table(columns, out)
    typer.echo(f"The model was written to {out} as {_TITLES[_Format.scorecard]}.", err=True)


def _write_text(text: str, out: Path | None, to: _Format) -> None:
    if out is None:
        print_data(text)
        return
    write_atomically(out, text.encode())
    typer.echo(f"The model was written to {out} as {_TITLES[to]}.", err=True)


def _export_onnx(model: Any, out: Path | None) -> None:
    if out is None:
        raise ParameterError("An ONNX model cannot be printed; give a file: --out model.onnx.")
    from bayesieve.export import export_onnx

    export_onnx(model, out)
    typer.echo(f"The model was written to {out} as {_TITLES[_Format.onnx]}.", err=True)


def _check_format(to: _Format, options: Mapping[_Format, Mapping[str, Any]]) -> None:
    """Refuse options that are for other formats."""
    for form, given in options.items():
        if to is not form:
            refuse_options(given, f"--to {to.value}", f"it is for --to {form.value}")


def _given_of_scale(base_odds: float, points_to_double: float, adverse: str | None, spread: bool) -> dict[str, bool]:
    """Return which options of whole points are given; those with a default, with another value."""
    return {
        "adverse": adverse is not None,
        "spread_intercept": spread,
        "base_odds": base_odds != _BASE_ODDS,
        "points_to_double": points_to_double != _POINTS_TO_DOUBLE,
    }


def _read_scale(
    base_score: float | None, base_odds: float, points_to_double: float, adverse: str | None, given: Mapping[str, bool]
) -> Callable[[Any], "PointScale"] | None:
    """Return what makes the scale of whole points for a model; None where no base score is given."""
    from bayesieve.cli.new_rows import find_class
    from bayesieve.explain.scorecard_table import PointScale

    if base_score is None:
        for name in (name for name, is_given in given.items() if is_given):
            raise ParameterError(f"--{name.replace('_', '-')} is for whole points; give --base-score, too.")
        return None

    def scale(model: Any) -> PointScale:
        place = None if adverse is None else find_class(model, adverse, "--adverse")
        return PointScale(base_score, base_odds, points_to_double, place, given["spread_intercept"])

    return scale
