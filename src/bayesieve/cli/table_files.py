"""The files that hold a table: one, several of Parquet, or a folder of them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from bayesieve.exceptions import DataError, ParameterError

__all__ = ["fingerprint", "list_files", "one_file", "shown_name"]


def list_files(given: Sequence[Path]) -> list[Path]:
    """Return files, where a folder stands for the Parquet files in it, by name."""
    files = []
    for path in given:
        place = path.expanduser()
        inside = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
        if not inside:
            raise DataError(f"{path} is a folder without files *.parquet; a CSV, Parquet or ARFF file was expected.")
        files += inside
    return files


def one_file(given: Sequence[Path]) -> Path:
    """Return the only file; several, or a folder, are not read whole."""
    if given[0].expanduser().is_dir():
        raise ParameterError(f"{given[0]} is a folder; its Parquet files are one table with --memory or --dask only.")
    if len(given) > 1:
        raise ParameterError(
            f"{len(given)} files are given; several Parquet files are one table with --memory or --dask only."
        )
    return given[0]


def fingerprint(files: Sequence[Path]) -> str:
    """Return the SHA-256 of a file, or of the digests of several, read in pieces."""
    digests = []
    for path in files:
        with path.expanduser().open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256"))
    if len(digests) == 1:
        return f"sha256:{digests[0].hexdigest()}"
    return f"sha256:{hashlib.sha256(b''.join(each.digest() for each in digests)).hexdigest()}"


def shown_name(given: Sequence[Path]) -> str:
    """Return what the table is called."""
    return given[0].name if len(given) == 1 else f"{given[0].name} and {len(given) - 1} more"
