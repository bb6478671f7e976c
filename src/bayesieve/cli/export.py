# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve export``: a model as SQL, ONNX, PMML, scorecard or JSON."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from bayesieve.cli.files import ModelFile, check_output_paths
from bayesieve.cli.terminal import print_data, print_errors
from bayesieve.data import write_atomically
from bayesieve.exceptions import ParameterError

__all__ = ["export"]


class _Format(StrEnum):
    sql = "sql"
    onnx = "onnx"
    pmml = "pmml"
    scorecard = "scorecard"
    card = "card"
    json = "json"


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
        ..., help="Format: SQL query, ONNX or PMML model, scorecard as CSV, model card, or indented JSON."
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
        1.0, help="scorecard: odds of the positive class at which the score is --base-score."
    ),
    points_to_double: float = typer.Option(20.0, help="scorecard: points that double the odds; may be negative."),
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
    from bayesieve.explain.scorecard_table import PointScale
    from bayesieve.export import export_pmml, export_sql, model_card, scorecard_csv

    with print_errors():
        check_output_paths({"--out": out}, [model])
        fitted = load(model)
        if to is _Format.onnx:
            _export_onnx(fitted, out)
            return
        if to is _Format.sql:
            text = export_sql(fitted, table=table, keys=key, with_exp=with_exp, max_bins=max_bins, dialect=dialect)
        elif to is _Format.pmml:
            text = export_pmml(fitted, max_bins=max_bins).decode()
        elif to is _Format.scorecard:
            scale = None if base_score is None else PointScale(base_score, base_odds, points_to_double)
            text = scorecard_csv(fitted, max_bins=max_bins, scale=scale)
        elif to is _Format.card:
            text = model_card(fitted, file=model.name)
        else:
            text = json.dumps(json.loads(model.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"
        if out is None:
            print_data(text)
        else:
            write_atomically(out, text.encode())
            typer.echo(f"The model was written to {out} as {_TITLES[to]}.", err=True)


def _export_onnx(model: Any, out: Path | None) -> None:
    if out is None:
        raise ParameterError("An ONNX model cannot be printed; give a file: --out model.onnx.")
    from bayesieve.export import export_onnx

    export_onnx(model, out)
    typer.echo(f"The model was written to {out} as {_TITLES[_Format.onnx]}.", err=True)
