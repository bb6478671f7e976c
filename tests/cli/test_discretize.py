"""The bins of a file's columns, as a person and as a program would ask for them."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from bayesieve import MODLDiscretizer
from bayesieve.cli.app import app

N_ROWS = 400
TOWNS = [f"a town with the number {i}" for i in range(8)]


def people():
    rng = np.random.default_rng(0)
    bought = rng.random(N_ROWS) < 0.3
    age = np.where(bought, 50, 40) + rng.normal(scale=8, size=N_ROWS)
    town = np.where(bought, rng.integers(0, 5, N_ROWS), rng.integers(3, 8, N_ROWS))
    return pl.DataFrame(
        {
            "noise": rng.normal(size=N_ROWS),
            "age": [None if i % 10 == 0 else round(value, 1) for i, value in enumerate(age.tolist())],
            "town": [TOWNS[i] for i in town],
            "[red]": np.where(bought, rng.integers(0, 3, N_ROWS), rng.integers(1, 4, N_ROWS)),
            "same": 1,
            "bought": [None if i in (3, 7) else "[b]yes" if each else "no" for i, each in enumerate(bought.tolist())],
        }
    )


PEOPLE = people()
KNOWN = PEOPLE.filter(pl.col("bought").is_not_null())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, ["discretize", *map(str, arguments)], env={"COLUMNS": "110"})


def document(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def columns_of(report):
    return {column["name"]: column for column in report["columns"]}


def fit(frame=KNOWN, **parameters):
    return MODLDiscretizer(**parameters).fit(frame.drop("bought"), frame["bought"].to_numpy())


def check_column(column, partition):
    """Compare a column of the document with the library's partition."""
    assert column["level"] == partition.level
    assert column["cost"]["total"] == partition.cost.total
    assert sum(column["cost"][part] for part in ("construction", "preparation", "data")) == pytest.approx(
        column["cost"]["total"]
    )
    assert [each["counts"] for each in column["bins"]] == partition.counts.tolist()
    content = [each for each in column["bins"] if "bounds" in each or "values" in each]
    if column["kind"] == "numeric":
        edges = [None, *partition.bounds.tolist(), None]
        assert [each["bounds"] for each in content] == [edges[k : k + 2] for k in range(len(edges) - 1)]
    else:
        assert [each["values"] for each in content] == [list(group) for group in partition.groups]
        assert [each["unseen"] for each in content] == [k == partition.other for k in range(len(content))]
    missing = [each["missing"] for each in column["bins"]]
    assert missing == [
        k == partition.joined or (partition.missing and k == len(missing) - 1) for k in range(len(missing))
    ]


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["--prior", "2006", "--missing", "lowest"], {"prior": "2006", "missing": "lowest"}),
        (["--max-bins", 2, "--categorical", "[red]"], {"max_bins": 2, "categorical": ["[red]"]}),
    ],
)
def test_json_is_what_the_library_finds(file, options, parameters):
    report = document(file, "--target", "bought", *options)
    model = fit(**parameters)
    assert report["classes"] == model.classes_.tolist()
    assert (report["rows"], report["rows_without_target"], report["complete"]) == (N_ROWS - 2, 2, True)
    columns = columns_of(report)
    assert columns.keys() == model.partitions_.keys()
    for name, partition in model.partitions_.items():
        check_column(columns[name], partition)
    levels = [column["level"] for column in report["columns"]]
    assert levels == sorted(levels, reverse=True)
    kind = "categorical" if "--categorical" in options else "numeric"
    assert {name: column["kind"] for name, column in columns.items()} == {
        "noise": "numeric",
        "age": "numeric",
        "town": "categorical",
        "[red]": kind,
        "same": "numeric",
    }


def test_tables_for_people(file):
    result = run(file, "--target", "bought")
    assert result.exit_code == 0, result.output
    assert result.stderr == "2 of 400 rows have no 'bought' and are left out.\n"
    model = fit()
    informative = sorted((name for name, p in model.partitions_.items() if p.level), key=result.stdout.index)
    assert informative == ["town", "[red]", "age"]
    assert [model.partitions_[name].level for name in informative] == sorted(model.levels_, reverse=True)[:3]
    assert result.stdout.endswith("2 of 5 columns are not informative: noise, same.\n")
    assert "rate of [b]yes" in result.stdout  # the rarer class
    table = model.binning_table("age")
    lowest = next(line for line in result.stdout.splitlines() if table["bin"][0] in line)
    # [b]yes sorts before no: the library's rate is that of the second class.
    rate, weight = 1 - table["rate"][0], -table["weight of evidence"][0]
    counts = [str(table[f"count {label}"][0]) for label in ("[b]yes", "no")]
    cells = [cell.strip() for cell in lowest.strip("│").split("│")]
    assert cells == [table["bin"][0], *counts, f"{table['share'][0]:.1%}", f"{rate:.1%}", f"{weight:+.2f}"]


def test_long_groups_are_shortened_for_people_only(file):
    result = run(file, "--target", "bought", "--column", "town")
    groups = fit(KNOWN.select("town", "bought")).partitions_["town"].groups
    assert max(map(len, groups)) == 3
    assert "a town with the number 0 and 2 more" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 110
    report = document(file, "--target", "bought", "--column", "town")
    assert [each["values"] for each in report["columns"][0]["bins"]] == [list(group) for group in groups]


def test_some_columns_only(file):
    report = document(file, "--target", "bought", "--column", "noise", "--column", "age")
    assert sorted(columns_of(report)) == ["age", "noise"]
    check_column(columns_of(report)["age"], fit(KNOWN.select("noise", "age", "bought")).partitions_["age"])


def test_the_positive_class_is_the_one_asked_for(file):
    assert "rate of no " in run(file, "--target", "bought", "--positive", "no").stdout
    assert "the classes are [b]yes, no." in refusal(file, "--target", "bought", "--positive", "maybe")


@pytest.mark.parametrize("n_classes", [3, 9])
def test_several_classes(tmp_path, n_classes):
    iris = load_iris(as_frame=True)
    flowers = pl.DataFrame({"petal": iris.data["petal width (cm)"], "kind": iris.target % n_classes})
    rare = pl.DataFrame({"petal": [2.5] * (n_classes - 3), "kind": range(3, n_classes)}, schema=flowers.schema)
    flowers.vstack(rare).write_csv(tmp_path / "flowers.csv")
    result = run(tmp_path / "flowers.csv", "--target", "kind")
    assert result.exit_code == 0, result.output
    assert "most frequent" in result.stdout
    assert ("4 others" in result.stdout) == (n_classes == 9)
    report = document(tmp_path / "flowers.csv", "--target", "kind")
    assert report["classes"] == list(range(n_classes))
    assert np.sum([each["counts"] for each in report["columns"][0]["bins"]], axis=0).tolist()[:3] == [50, 50, 50]


def test_every_format_gives_the_same(tmp_path, file):
    PEOPLE.write_parquet(tmp_path / "people.parquet")
    towns, labels = ",".join(f"'{town}'" for town in TOWNS), "{'[b]yes',no}"
    kinds = ["numeric", "numeric", f"{{{towns}}}", "integer", "integer", labels]
    header = [f"{name} {kind}" for name, kind in zip(PEOPLE.columns, kinds, strict=True)]
    lines = [",".join("?" if value is None else repr(value) for value in row) for row in PEOPLE.iter_rows()]
    text = "\n".join(["@relation people", *(f"@attribute {each}" for each in header), "@data", *lines])
    (tmp_path / "people.arff").write_text(text)
    expected = document(file, "--target", "bought")
    for name in ("people.parquet", "people.arff"):
        assert document(tmp_path / name, "--target", "bought") == expected


def test_unknown_names_are_refused_with_the_nearest(file):
    assert "did you mean 'bought'?" in refusal(file, "--target", "Bougth")
    assert "did you mean 'age'?" in refusal(file, "--target", "bought", "--column", "AGE")
    assert "did you mean 'town'?" in refusal(file, "--target", "bought", "--categorical", "twon")


def test_other_bad_input_is_refused(tmp_path, file):
    assert "does not exist" in refusal(tmp_path / "nothing.csv", "--target", "bought")
    assert "which is the target" in refusal(file, "--target", "bought", "--column", "bought")
    assert "numbers that are not whole" in refusal(file, "--target", "noise")
    assert "one class only" in refusal(file, "--target", "same")
    (tmp_path / "gone.csv").write_text("a,b\n1,?\n2,?\n")
    assert "missing in every row" in refusal(tmp_path / "gone.csv", "--target", "b")
    (tmp_path / "alone.csv").write_text("b\n1\n2\n")
    assert "no column besides the target" in refusal(tmp_path / "alone.csv", "--target", "b")
    assert run(file, "--target", "bought", "--max-bins", 0).exit_code == 2
    assert run(file, "--target", "bought", "--prior", "mine").exit_code == 2


def test_warnings_are_sentences(tmp_path):
    (tmp_path / "latin.csv").write_bytes("größe,b\n1,x\n2,y\n".encode("latin-1"))
    result = run(tmp_path / "latin.csv", "--target", "b")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("Warning: ")
    assert result.stderr.count("\n") == 1


def test_what_was_found_before_an_interruption_is_kept(file, monkeypatch):
    learn = MODLDiscretizer.fit

    def interrupted(self, X, y):
        learn(self, X, y)
        del self.partitions_["noise"]
        raise KeyboardInterrupt

    monkeypatch.setattr(MODLDiscretizer, "fit", interrupted)
    result = run(file, "--target", "bought", "--json")
    assert result.exit_code == 130
    assert result.stderr.endswith("Interrupted: 4 of 5 columns were finished.\n")
    report = json.loads(result.stdout)
    assert report["complete"] is False
    assert sorted(columns_of(report)) == ["[red]", "age", "same", "town"]


def test_a_terminal_has_a_bar(file):
    env = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "110"}  # to rich, that is a terminal
    result = CliRunner().invoke(app, ["discretize", file, "--target", "bought", "--json"], env=env)
    assert "Finding bins" in result.stderr
    assert "100%" in result.stderr  # the bar looked again when all was done
    assert json.loads(result.stdout)["complete"]


def test_as_a_program(file):
    command = [sys.executable, "-m", "bayesieve", "discretize", file, "--target", "bought", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == document(file, "--target", "bought")
    # No progress bar where there is no terminal; without the compiled core there is one more line.
    notes = [line for line in done.stderr.splitlines() if "compiled core" not in line]
    assert notes == ["2 of 400 rows have no 'bought' and are left out."]


def test_dates_are_shown_as_dates(tmp_path):
    days = [f"2024-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(200)]
    lines = ["day,y", *(f"{day},{int(day >= '2024-05')}" for day in days)]
    (tmp_path / "days.csv").write_text("\n".join(lines))
    (column,) = document(tmp_path / "days.csv", "--target", "y")["columns"]
    assert column["kind"] == "date"
    (_, bound), (_, none) = (each["bounds"] for each in column["bins"])
    assert "2024-04-28" <= bound < "2024-05-01"
    assert none is None
    assert f"<= {bound}" in run(tmp_path / "days.csv", "--target", "y").stdout
