# SPDX-License-Identifier: BSD-3-Clause
"""The table of a file, read as the options of a command say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bayesieve.exceptions import ParameterError

if TYPE_CHECKING:
    from bayesieve.data import FileTable

__all__ = ["AS_WRITTEN", "COERCE", "NA", "TABLE", "TableOptions", "refuse_options"]

TABLE = "CSV, Excel, Parquet, Feather, JSON lines or ARFF file; - reads standard input."
NA: Any = typer.Option(
    [], "--na", help="Text that marks a missing value, besides NA, ?, null and the like; repeatable."
)
COERCE: Any = typer.Option(
    False, "--coerce", help="Read nearly numeric columns as numbers: cells that are not numbers become missing."
)


@dataclass(frozen=True)
class TableOptions:
    """How the values of a file are read."""

    na: Sequence[str] = ()
    coerce: bool = False
    types: Mapping[str, str] = field(default_factory=dict)

    def read(self, path: Path, types: Mapping[str, str] | None = None) -> "FileTable":
        """Return the table of a file, and what was converted."""
        from bayesieve.data import MISSING, read_file_table

        return read_file_table(
            path, missing=(*MISSING, *self.na), types={**self.types, **(types or {})}, coerce=self.coerce
        )


AS_WRITTEN = TableOptions()
"""The options of a command without any."""


def refuse_options(options: Mapping[str, Any], where: str) -> None:
    """Refuse options that are given where they have no meaning."""
    for name, value in options.items():
        if value:
            option = name if name.startswith("--") else f"--{name}"
            raise ParameterError(f"{option} cannot be used {where}.")
