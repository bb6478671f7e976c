# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and options of the commands that apply a model to new rows."""

from pathlib import Path
from typing import Annotated

import typer

from bayesieve.cli.table_file import TABLE

__all__ = ["Budget", "FilesOfNewRows", "Key", "ModelFile", "NewRows"]

ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]
NewRows = Annotated[Path, typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model.")]
FilesOfNewRows = Annotated[
    list[Path],
    typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model; several files are one table."),
]
Key = Annotated[list[str], typer.Option(metavar="TEXT", help="Column to write with each row; can be repeated.")]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="INTEGER",
        help="Write only this many rows, those with the highest probability of the positive class (with amounts: the "
        "highest expected profit), the highest first.",
        show_default=False,
    ),
]
