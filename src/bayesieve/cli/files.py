# SPDX-License-Identifier: BSD-3-Clause
"""The files of a command: arguments that name them, options for reading tables, checks of what is read and written."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayesieve.data import STANDARD_INPUT, check_writable, read_bytes
from bayesieve.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from bayesieve.data import CsvStyle, FileTable

__all__ = [
    "AS_WRITTEN",
    "TABLE",
    "FilesOfNewRows",
    "ModelFile",
    "NewRows",
    "TableOptions",
    "check_output_paths",
    "fingerprint",
    "list_files",
    "reads_table",
    "refuse_options",
    "single_file",
    "table_name",
]

TABLE = "CSV, Excel, Parquet, Feather, JSON lines or ARFF file; - reads standard input."
ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]
NewRows = Annotated[Path, typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model.")]
FilesOfNewRows = Annotated[
    list[Path],
    typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model; several files are one table."),
]
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
        typer.Option(
            None,
            help="CSV: separator of values, one character or tab, also of CSV that is written; default: found in the "
            "header, and a comma in output.",
        ),
    ),
    "decimal": (
        str | None,
        typer.Option(
            None,
            help="CSV, Excel: decimal mark, a point or a comma, also of CSV that is written (with a comma, the "
            "separator is ; unless --sep is given); default: recognized, and a point in output.",
        ),
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
    for_output: bool = False
    """Whether the command writes a table in the same way."""

    def read(self, path: Path, types: Mapping[str, str] | None = None) -> "FileTable":
        """Return the table of a file, and what was converted."""
        from bayesieve.data import MISSING, FileOptions, read_file_table, split_marks

        separator = self._separator
        merged = {**self.types, **(types or {})}
        missing, in_columns = split_marks(self.na)
        of_training, in_training = split_marks(self.recorded)
        marks = {**in_training, **{name: (*in_training.get(name, ()), *texts) for name, texts in in_columns.items()}}
        options = FileOptions(
            (*MISSING, *missing),
            merged,
            self.coerce,
            separator,
            self.decimal,
            self.sheet,
            marks,
            of_training,
            self.for_output,
        )
        return read_file_table(path, options)

    @property
    def _separator(self) -> str | None:
        return None if self.sep is None else _NAMED_SEPARATORS.get(self.sep, self.sep)

    @property
    def style(self) -> "CsvStyle":
        """How CSV is written."""
        from bayesieve.data import CsvStyle

        separator = self._separator or (";" if self.decimal == "," else ",")
        if len(separator) != 1 or self.decimal not in (None, ".", ","):
            raise ParameterError(
                "--sep is one character or tab, and --decimal a point or a comma; got "
                f"{separator!r} and {self.decimal or '.'!r}."
            )
        return CsvStyle(separator, self.decimal or ".")

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


def list_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files, with the Parquet files of a folder, sorted by name, in its place."""
    files = []
    for path in paths:
        expanded = path.expanduser()
        inside = sorted(expanded.glob("*.parquet")) if expanded.is_dir() else [expanded]
        if not inside:
            raise DataError(f"{path} is a folder without *.parquet files; a file was expected.")
        files += inside
    return files


def single_file(paths: Sequence[Path]) -> Path:
    """Return the only file; several files, or a folder, are read in blocks only."""
    if paths[0].expanduser().is_dir():
        raise ParameterError(f"{paths[0]} is a folder; add --memory or --dask to read its Parquet files as one table.")
    if len(paths) > 1:
        raise ParameterError(
            f"{len(paths)} files are given. Several Parquet files are read as one table with --memory or --dask; join "
            "files of other formats into one."
        )
    return paths[0]


def fingerprint(files: Sequence[Path]) -> str:
    """Return the SHA-256 of a file, or of the digests of several files."""
    digests = []
    for path in files:
        if path == STANDARD_INPUT:
            digests.append(hashlib.sha256(read_bytes(path)))
            continue
        with path.expanduser().open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    if len(digests) == 1:
        return f"sha256:{digests[0].hexdigest()}"
    return f"sha256:{hashlib.sha256(b''.join(each.digest() for each in digests)).hexdigest()}"


def table_name(paths: Sequence[Path]) -> str:
    """Return a name for the table."""
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


def check_output_paths(outputs: Mapping[str, Path | None], inputs: Sequence[Path]) -> None:
    """Refuse outputs that cannot be written, that would overwrite an input, or that are the same file.

    ``outputs`` has the paths by their names on the command line.
    """
    used = {path.expanduser().resolve(): "an input file" for path in inputs}
    for name, path in outputs.items():
        if path is None:
            continue
        absolute = path.expanduser().resolve()
        if absolute in used:
            raise ParameterError(
                f"{name} would be written to {str(path)!r}, which is {used[absolute]}; choose another file."
            )
        used[absolute] = f"the file of {name}"
        check_writable(path)
