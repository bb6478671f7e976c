"""Options that a file holds, for runs that are repeated."""

import tomllib
from pathlib import Path
from typing import Any

import typer

from bayesieve.exceptions import ParameterError

__all__ = ["command_line", "read_settings"]


def read_settings(path: Path, names: set[str]) -> dict[str, Any]:
    """Read a TOML file of options, written as on the command line but for the dashes."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"--config {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"--config {path} is no TOML: {error}.") from None
    settings = {name.replace("-", "_"): value for name, value in told.items()}
    if unknown := sorted(settings.keys() - names):
        known = ", ".join(sorted(names)).replace("_", "-")
        raise ParameterError(f"--config {path} has {unknown[0]!r}; known are {known}.")
    return settings


def command_line(context: typer.Context) -> list[str]:
    """Return the words that give the same run: every option whose value is not its default."""
    words = ["bayesieve", str(context.info_name)]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if value is None or value == parameter.default or parameter.name in ("config", "as_json"):
            continue
        flag = next((each for each in parameter.opts if each.startswith("--")), None)
        if flag is None:
            words += [str(each) for each in (value if isinstance(value, list | tuple) else [value])]
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            shown = f"{each:g}" if isinstance(each, float) else str(getattr(each, "value", each))
            words += [flag] if each is True else [flag, shown]
    return words
