# SPDX-License-Identifier: BSD-3-Clause
"""Options from a TOML file, and the command line that repeats a run."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from bayesieve.exceptions import ParameterError

__all__ = ["command_line", "read_config"]


def read_config(path: Path, names: Mapping[str, str]) -> dict[str, Any]:
    """Read a TOML file of options, which have their names on the command line without the leading dashes.

    ``names`` has the parameter of each of them.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"--config {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"--config {path} is not valid TOML: {error}.") from None
    options = {name.replace("_", "-"): value for name, value in content.items()}
    if unknown := sorted(options.keys() - names.keys()):
        valid = ", ".join(sorted(names))
        raise ParameterError(f"--config {path} has the unknown option {unknown[0]!r}; valid options are {valid}.")
    return {names[option]: value for option, value in options.items()}


def command_line(context: typer.Context) -> list[str]:
    """Return the words of the command that repeats this run: every option whose value is not its default."""
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
            if isinstance(each, bool):
                words.append(flag if each else parameter.secondary_opts[0])
            else:
                words += [flag, shown]
    return words
