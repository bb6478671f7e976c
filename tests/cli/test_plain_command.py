"""Values of options are those that typer reads, with its messages."""

from enum import StrEnum
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bayesieve.cli.plain_command import PlainCommand


class Color(StrEnum):
    red = "red"
    blue = "blue"


def programs(results):
    """Return the same command with and without the class."""

    def command(
        files: list[Path] = typer.Argument(None),
        *,
        name: str | None = typer.Option(None),
        words: list[str] = typer.Option([]),
        color: Color = typer.Option(Color.red),
        path: Path | None = typer.Option(None),
        count: int = typer.Option(3, min=1),
    ) -> None:
        results.append((files, name, words, color, type(color), path, count))

    made = []
    for kind in (PlainCommand, None):
        app = typer.Typer(rich_markup_mode=None)
        app.command(cls=kind)(command)
        made.append(app)
    return made


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a.csv", "-"],
        ["--name", "x", "--words", "a", "--words", "", "--color", "blue", "--path", "no/such file"],
        ["--path", "."],
        ["--count", "7"],
        ["--count", "0"],
        ["--count", "many"],
        ["--color", "green"],
        ["--color", "RED"],
        ["--path", "a\0b"],
        ["--name"],
        ["--unknown", "1"],
    ],
    ids=" ".join,
)
def test_values_and_messages_are_those_of_typer(words):
    results = []
    plain, usual = (CliRunner().invoke(app, words) for app in programs(results))
    assert (plain.exit_code, plain.output) == (usual.exit_code, usual.output)
    assert len(results) in (0, 2)
    assert results[:1] == results[1:]


def test_a_file_that_may_not_be_read_has_a_message(tmp_path, monkeypatch):
    path = tmp_path / "secret.csv"
    path.write_text("a")
    monkeypatch.setattr("os.access", lambda *_: False)
    results = []
    plain, usual = (CliRunner().invoke(app, ["--path", str(path)]) for app in programs(results))
    assert (plain.exit_code, plain.output) == (usual.exit_code, usual.output)
    assert plain.exit_code == 2
    assert "not readable" in plain.output
    assert results == []
