# SPDX-License-Identifier: BSD-3-Clause
"""The table of a file, read as the options of a command say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bayesieve.exceptions import ParameterError

if TYPE_CHECKING:
    from bayesieve.data import FileTable

__all__ = ["AS_WRITTEN", "TABLE", "TableOptions", "reads_table", "refuse_options"]

TABLE = "CSV, Excel, Parquet, Feather, JSON lines or ARFF file; - reads standard input."
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "na": (
        list[str],
        typer.Option(
            [],
            help="Text that marks a missing value, besides NA, ?, null and the like; COLUMN=TEXT for one column, such "
            "as glucose=0; repeatable. Commands that read a model use the marks of its training, too.",
        ),
    ),
    "coerce": (
        bool,
        typer.Option(
            False, "--coerce", help="Read nearly numeric columns as numbers: cells that are not numbers become missing."
        ),
    ),
    "sep": (
        str | None,
        typer.Option(None, help="CSV: separator of values, one character or tab; default: found in the header."),
    ),
    "decimal": (
        str | None,
        typer.Option(None, help="CSV, Excel: decimal mark, a point or a comma; default: recognized."),
    ),
    "sheet": (str | None, typer.Option(None, help="Excel: name or number of the sheet; default: the first.")),
}
_NAMED_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " "}


@dataclass(frozen=True)
class TableOptions:
    """How the values of a file are read."""

    na: Sequence[str] = ()
    coerce: bool = False
    sep: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    recorded: Sequence[str] = ()
    """Marks of the training of a model, besides those of ``na``."""

    def read(self, path: Path, types: Mapping[str, str] | None = None) -> "FileTable":
        """Return the table of a file, and what was converted."""
        from bayesieve.data import MISSING, FileOptions, read_file_table, split_marks

        separator = None if self.sep is None else _NAMED_SEPARATORS.get(self.sep, self.sep)
        merged = {**self.types, **(types or {})}
        missing, in_columns = split_marks(self.na)
        of_training, in_training = split_marks(self.recorded)
        marks = {**in_training, **{name: (*in_training.get(name, ()), *texts) for name, texts in in_columns.items()}}
        options = FileOptions(
            (*MISSING, *missing), merged, self.coerce, separator, self.decimal, self.sheet, marks, of_training
        )
        return read_file_table(path, options)

    @property
    def given(self) -> dict[str, Any]:
        """The options of the command line that describe a file, by their names."""
        return {name: getattr(self, name) for name in _OPTIONS}


AS_WRITTEN = TableOptions()
"""The options of a command without any."""


def reads_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading a table to a command, which takes them as the argument ``reading``."""
    own = signature(command)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=option, annotation=type_)
        for name, (type_, option) in _OPTIONS.items()
    ]

    @wraps(command)
    def run(*args: Any, **values: Any) -> None:
        reading = TableOptions(**{name: values.pop(name) for name in _OPTIONS})
        command(*args, **values, reading=reading)

    parameters = [parameter for name, parameter in own.parameters.items() if name != "reading"]
    run.__signature__ = own.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*parameters, *added)}
    return run


def refuse_options(options: Mapping[str, Any], where: str, reason: str) -> None:
    """Refuse options that are given where they have no meaning, for a reason."""
    for name, value in options.items():
        if value:
            raise ParameterError(f"--{name.replace('_', '-')} cannot be used with {where}: {reason}.")
