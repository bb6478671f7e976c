"""Tables that commands write: separators and decimal marks as in the input, workbooks, formats checked first."""

import csv
import io
import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import ScorecardClassifier
from bayesieve.cli.app import app
from bayesieve.data import CsvStyle, table_bytes, write_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    X = pl.DataFrame({"age": rng.normal(45.0, 9.0, 200).round(2), "town": rng.choice(["a", "=b"], 200)})
    y = (X["age"].to_numpy() + rng.normal(0, 5, 200) > 45).astype(int)
    ScorecardClassifier(keep=["age", "town"]).fit(X, y).save(place / "m.json")
    table = X.with_columns(id=pl.Series([f"-{i}+1" for i in range(200)]))
    table.write_csv(place / "new.csv")
    table.write_parquet(place / "new.parquet")
    table.write_excel(place / "new.xlsx")
    german = [[str(each).replace(".", ",") for each in row] for row in table.rows()]
    lines = [";".join(row) for row in ([*table.columns], *german)]
    (place / "de.csv").write_text("\n".join(lines) + "\n")
    return place


def run(*arguments, code=0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.mark.parametrize("source", ["de.csv", "new.xlsx", "new.parquet"])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_output_has_the_decimal_mark_and_the_separator_of_the_options(folder, tmp_path, command, source):
    plain, german = tmp_path / "plain.csv", tmp_path / "german.csv"
    run(command, folder / "m.json", folder / "new.csv", "--out", plain)
    run(command, folder / "m.json", folder / source, "--sep", ";", "--decimal", ",", "--out", german)
    rows = [list(csv.reader(io.StringIO(path.read_text()), delimiter=d)) for path, d in ((plain, ","), (german, ";"))]
    assert rows[0][0] == rows[1][0]
    name = "probability_1" if command == "predict" else "probability"
    place = rows[0][0].index(name)
    for one, other in zip(rows[0][1:], rows[1][1:], strict=True):
        assert "," in other[place]
        assert float(other[place].replace(",", ".")) == float(one[place])


def test_printed_predictions_have_them_too(folder):
    printed = run("predict", folder / "m.json", folder / "de.csv", "--decimal", ",").stdout
    first = printed.splitlines()[1].split(";")  # a comma would be in the numbers
    assert all(0 < float(each.replace(",", ".")) < 1 for each in first[1:])


def test_blocks_are_written_in_the_same_way(folder, tmp_path):
    options = ["--sep", ";", "--decimal", ",", "--key", "id"]
    run("predict", folder / "m.json", folder / "new.parquet", *options, "--out", tmp_path / "whole.csv")
    run("predict", folder / "m.json", folder / "new.parquet", *options, "--memory", "1GB", "--out", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == (tmp_path / "whole.csv").read_text()


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_workbook_has_the_same_table_and_no_formula(folder, tmp_path, command):
    for suffix in ("xlsx", "parquet"):
        run(command, folder / "m.json", folder / "new.csv", "--key", "id", "--out", tmp_path / f"t.{suffix}")
    sheet, table = pl.read_excel(tmp_path / "t.xlsx"), pl.read_parquet(tmp_path / "t.parquet")
    assert sheet.columns == table.columns
    assert sheet["id"].to_list() == table["id"].to_list()  # text that looks like a formula is text
    for name in table.columns:
        values = table[name].to_list()
        assert sheet[name].to_list() == [
            pytest.approx(each, rel=1e-14) if isinstance(each, float) else each for each in values
        ]


def test_a_workbook_does_not_depend_on_the_day(tmp_path):
    columns = {"=a": ["=1+1", None], "b": [float("nan"), 0.1]}
    first = table_bytes(columns, ".xlsx")
    assert first == table_bytes(columns, ".xlsx")
    assert b"<f>1+1" not in first
    with pytest.raises(Exception, match="1,048,576 lines at most"):
        table_bytes({"a": range(1_048_576)}, ".xlsx")


@pytest.mark.parametrize(("command", "more"), [("predict", ["--budget", 3]), ("explain", [])])
def test_the_format_is_checked_before_anything_is_computed(folder, tmp_path, monkeypatch, command, more):
    result = run(command, folder / "m.json", folder / "new.csv", *more, "--out", tmp_path / "t.xls", code=2)
    assert result.stderr == "Error: A table is written to .csv, .xlsx, .parquet or .pq, got '.xls'.\n"
    missing = run(command, tmp_path / "none.json", tmp_path / "none.csv", "--out", tmp_path / "t.txt", code=2)
    assert "got '.txt'" in missing.stderr
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    result = run(command, folder / "m.json", folder / "new.csv", *more, "--out", tmp_path / "t.xlsx", code=2)
    assert result.stderr == "Error: A workbook needs xlsxwriter, which is missing: pip install 'bayesieve[excel]'.\n"


def test_numbers_of_a_comma_file_are_those_of_a_point_file():
    values = [0.1, -3.5, 1e-300, None, float("nan"), 2.0]
    text = table_bytes({"x": values, "n": [1, 2, 3, 4, 5, 6]}, style=CsvStyle(";", ",")).decode().splitlines()
    assert text == ["x;n", "0,1;1", "-3,5;2", "1e-300;3", ";4", "nan;5", "2,0;6"]


@pytest.mark.parametrize("options", [["--sep", "ab"], ["--decimal", "x"]])
def test_other_marks_are_refused(folder, tmp_path, options):
    result = run("predict", folder / "m.json", folder / "new.parquet", *options, code=2)
    assert result.stderr.count("\n") == 1
    assert "--sep is one character or tab, and --decimal a point or a comma" in result.stderr


def test_a_table_of_any_style_can_be_written(tmp_path):
    write_table({"a": ["x;y", "z"], "b": [0.5, 1.5]}, tmp_path / "t.csv", CsvStyle(";", ","))
    assert (tmp_path / "t.csv").read_text() == 'a;b\n"x;y";0,5\nz;1,5\n'


def test_a_scorecard_has_the_marks_of_the_options_and_can_be_a_workbook(folder, tmp_path):
    model = folder / "m.json"
    plain = list(csv.DictReader(io.StringIO(run("export", model, "--to", "scorecard").stdout)))
    text = run("export", model, "--to", "scorecard", "--decimal", ",").stdout
    german = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    assert [row["points"].replace(",", ".") for row in german] == [row["points"] for row in plain]
    assert any("," in row["points"] for row in german)
    run("export", model, "--to", "scorecard", "--out", tmp_path / "card.xlsx")
    sheet = pl.read_excel(tmp_path / "card.xlsx")
    assert sheet["points"].to_list() == pytest.approx([float(row["points"]) for row in plain])
    assert sheet["bin"].to_list()[-1] == plain[-1]["bin"].removeprefix("'")
    refused = run("export", model, "--to", "card", "--out", tmp_path / "model.xlsx", code=2)
    assert refused.stderr.startswith("Error: --to card writes no Excel file, got ")
    assert not (tmp_path / "model.xlsx").exists()
    refused = run("export", model, "--to", "sql", "--decimal", ",", code=2)
    assert refused.stderr == "Error: --decimal cannot be used with --to sql: it is for --to scorecard.\n"
