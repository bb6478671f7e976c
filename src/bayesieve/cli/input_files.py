# SPDX-License-Identifier: BSD-3-Clause
"""The files of a table: one file, several Parquet files, or a folder of them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from bayesieve.data import STANDARD_INPUT, read_bytes
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["fingerprint", "list_files", "single_file", "table_name"]


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
