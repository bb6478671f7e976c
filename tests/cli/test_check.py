"""``bayesieve check``, and the same lines before a fit."""

import io
import json
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import xlsxwriter
from rich.console import Console
from typer.testing import CliRunner

from bayesieve import check_data
from bayesieve.cli.app import app
from bayesieve.cli.check import print_findings
from bayesieve.cli.files import fingerprint
from bayesieve.cli.terminal import print_errors
from bayesieve.exceptions import BayesieveWarning

N = 300
RNG = np.random.default_rng(3)
SICK = RNG.random(N) < 0.4


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    dose = (np.where(SICK, 6, 4) + RNG.normal(size=N)).round(2).astype(str)
    dose[20] = "n.d."
    frame = pl.DataFrame(
        {
            "[red]": RNG.choice(["a", "b"], N),
            "dose": dose,
            "share": [f"{each}%" for each in RNG.integers(0, 99, N)],
            "sick": np.where(SICK, "yes", "no"),
        }
    )
    path = tmp_path_factory.mktemp("check") / "people.csv"
    frame.write_csv(path)
    return path


def run(*arguments, **options):
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"}, **options)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(("most", "rest"), [(2, "1 more finding;"), (1, "2 more findings;")])
def test_findings_that_are_not_printed_are_counted(most, rest):
    found = check_data(pl.DataFrame({name: [1, 1, 1] for name in "abc"}), [0, 1, 0])
    constant = [each for each in found.findings if each.kind == "constant"]
    printed = io.StringIO()
    print_findings(constant, Console(file=printed, width=200), most)
    assert printed.getvalue().splitlines()[-1] == f"... and {rest} bayesieve check prints all."


def test_columns_and_findings_are_listed(file):
    text = run("check", file, "--target", "sick")
    for words in (
        "people.csv: 300 rows, 3 columns",
        "[red]",
        "Column 'dose': 299 of 300 values are numbers, but row 21 has 'n.d.'; it is read as categories. (--coerce",
        "Column 'share': it has percentages: ",
    ):
        assert words in text
    document = json.loads(run("check", file, "--target", "sick", "--json"))
    assert [column["type"] for column in document["columns"]] == ["categorical", "categorical", "numeric"]
    assert {finding["kind"] for finding in document["findings"]} == {"nearly numeric", "converted"}


@pytest.mark.parametrize("option", [["--coerce"], ["--na", "n.d."]])
def test_stray_cells_become_missing(file, option):
    document = json.loads(run("check", file, *option, "--json"))
    dose = document["columns"][1]
    assert (dose["name"], dose["type"], dose["n_missing"]) == ("dose", "numeric", 1)


def test_a_table_comes_through_standard_input(file, monkeypatch):
    document = json.loads(run("check", "-", "--json", input=file.read_bytes()))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(file.read_bytes())))
    assert fingerprint([Path("-")]) == fingerprint([file])
    assert document["n_rows"] == N


def test_separator_decimal_mark_and_sheet_reach_every_command_that_reads_a_table(tmp_path):
    rows = [f"{'yes' if sick else 'no'}:{4 + 2 * sick},{i % 97:02d}:x" for i, sick in enumerate(SICK)]
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("\n".join(["sick:dose:kind", *rows]) + "\n")
    how = ["--sep", ":", "--decimal", ","]
    run("fit", table, "--target", "sick", "--cv", 2, "--model", model, "--no-compare", *how)
    for command in (["check", table], ["rank", table, "--target", "sick"], ["discretize", table, "--target", "sick"]):
        assert "dose" in run(*command, *how)
    for command in ("predict", "explain", "evaluate", "drift"):
        assert run(command, model, table, *how)
    workbook = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(workbook) as book:
        pl.DataFrame({"note": ["read the second sheet"]}).write_excel(book, worksheet="notes")
        pl.DataFrame({"dose": ["4,5", "1.234,5"]}).write_excel(book, worksheet="doses")
    for sheet in ("doses", "2"):
        assert "4.5, 1234.5" in run("check", workbook, "--sheet", sheet, "--decimal", ",")


def test_a_fit_begins_with_the_check_and_takes_its_advice(file, tmp_path):
    text = run("fit", file, "--target", "sick", "--cv", 2)
    assert "Column 'dose': 299 of 300 values are numbers" in text.split("Selected columns")[0]
    model, new = tmp_path / "m.json", tmp_path / "new.csv"
    text = run("fit", file, "--target", "sick", "--cv", 2, "--coerce", "--model", model)
    assert "Column 'dose': it has numbers; 1 other cell became missing: 'n.d.'" in text
    new.write_text("dose,share,[red]\nlow,3%,a\n4.5,5%,a\n")
    refused = CliRunner().invoke(app, ["predict", str(model), str(new)])
    assert refused.exit_code == 2
    assert "the column 'dose' must be numeric, but its row 1 holds 'low'; coerce (--coerce)" in refused.stderr
    assert run("predict", model, new, "--coerce").count("\n") == 3


def test_text_where_training_had_dates_is_refused(tmp_path):
    days = [
        f"2020-{1 + month:02}-{1 + day:02}"
        for month, day in zip(RNG.integers(0, 12, N), range(N), strict=False)
        for day in [day % 28]
    ]
    late = [day > "2020-06" for day in days]
    path, model, new = (tmp_path / name for name in ("d.csv", "m.json", "new.csv"))
    noisy = [each ^ flip for each, flip in zip(late, (RNG.random(N) < 0.2).tolist(), strict=True)]
    pl.DataFrame({"day": days, "late": noisy}).write_csv(path)
    run("fit", path, "--target", "late", "--cv", 2, "--model", model)
    new.write_text("day,x\n01/02/2020,1\n")
    refused = CliRunner().invoke(app, ["predict", str(model), str(new)])
    assert refused.exit_code == 2
    assert "Column 'day' had dates in training and is text" in refused.stderr


def test_examples_are_one_line_and_show_that_they_go_on(tmp_path):
    text = pl.DataFrame({"note": ["two\nlines", "a very long sentence"] * 20, "y": [1, 2] * 20})
    text.write_csv(tmp_path / "notes.csv")
    shown = run("check", tmp_path / "notes.csv", "--target", "y")
    assert "two lines, a very long s…" in shown
    assert "Target y: 20 of class 1, 20 of class 2." in shown


def test_an_empty_column_of_a_spreadsheet_is_no_log_message(tmp_path):
    pl.DataFrame({"x": [1, 2], "nothing": [None, None], "y": ["a", "b"]}).write_excel(tmp_path / "empty.xlsx")
    command = [sys.executable, "-m", "bayesieve", "check", str(tmp_path / "empty.xlsx")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stderr == ""


def test_a_warning_of_every_fold_is_printed_once(capsys):
    with print_errors():
        for _ in range(3):
            warnings.warn("the same", BayesieveWarning, stacklevel=1)
        warnings.warn("another", BayesieveWarning, stacklevel=1)
    assert capsys.readouterr().err == "Warning: the same\nWarning: another\n"


@pytest.mark.parametrize("width", [80, 100, 140])
def test_the_table_fits_the_terminal(tmp_path, width):
    n = 300
    rows = {
        "who": [f"Customer {i:05}" for i in range(n)],
        "when": [f"{2020 + i % 4}-{i % 12 + 1:02}-11" for i in range(n)],
        "pdays": [-1 if i % 3 else i for i in range(n)],
        "balance": [i * 1000.25 for i in range(n)],
        "y": [i % 2 for i in range(n)],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "a.csv"), "--target", "y"], env={"COLUMNS": str(width)})
    lines = [line for line in result.stdout.splitlines() if line.startswith(("│", "┃", "┏", "└"))]
    assert {len(line) for line in lines} == {len(lines[0])}
    assert all(line.endswith(("│", "┃", "┓", "┘")) for line in lines)
