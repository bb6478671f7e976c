"""Read a file as a data frame: CSV and Parquet with polars, ARFF with the parser of this package."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bayesieve.data.files.arff import parse_arff
from bayesieve.data.files.delimited import parse_delimited
from bayesieve.data.files.panics import without_panic_traces
from bayesieve.data.files.plain_text import COMPRESSIONS, read_bytes
from bayesieve.data.files.text_columns import check_types, override
from bayesieve.data.frames import import_polars
from bayesieve.exceptions import DataError

__all__ = ["MISSING", "read_file"]

MISSING = ("NA", "N/A", "NaN", "nan", "null", "NULL", "?", ".")

_DELIMITED = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_PARQUET_MARK = b"PAR1"


def read_file(
    path: str | os.PathLike[str],
    *,
    missing: str | Iterable[str] | None = MISSING,
    types: Mapping[str, str] | None = None,
) -> Any:
    r"""Read a table from a CSV, Parquet or ARFF file.

    Parameters
    ----------
    path : path-like
        ``.csv``, ``.tsv``, ``.txt`` and ``.arff`` may be compressed (``.gz``, ``.xz``, ``.bz2``); or ``.parquet``.
    missing : str, iterable of str, or None
        Texts that mark a missing value in delimited text, besides empty text. ARFF and Parquet have their own marks.
    types : mapping of str to {"numeric", "categorical"}
        Types by column name, which override those inferred from the values or declared in the file.

    Returns
    -------
    frame : polars.DataFrame
        For ARFF without polars, a pandas.DataFrame.

    Notes
    -----
    Delimited text has a header, its values are separated by comma, semicolon, tab or bar, and blanks around a value
    are removed; with semicolons, a comma may be the decimal mark. The type of a column is inferred from all rows:
    numeric if every value is a number and none has a leading zero (as postal codes may), temporal if every value is a
    date, time or both in ISO form (or ``31.12.1999``), otherwise text, which is categorical.

    Examples
    --------
    >>> with open("people.csv", "w") as file:
    ...     _ = file.write("zip;born;height\n01234;1999-12-31;1.8\n98765;?;2\n")
    >>> table = read_file("people.csv")
    >>> [str(dtype) for dtype in table.dtypes]
    ['String', 'Date', 'Float64']
    >>> read_file("people.csv", types={"zip": "numeric"})["zip"].to_list()
    [1234, 98765]
    """
    path = Path(path).expanduser()
    suffix = _suffix(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder; a CSV, Parquet or ARFF file was expected.")
    if not path.exists():
        raise DataError(f"{path} does not exist.")
    content = read_bytes(path)
    if not content:
        raise DataError(f"{path} is empty; a table was expected.")
    overrides = dict(types or {})
    markers = (missing,) if isinstance(missing, str) else tuple(missing or ())
    if suffix == ".arff":
        return parse_arff(content, path, overrides)
    if suffix in _PARQUET:
        return _parse_parquet(content, path, overrides)
    return parse_delimited(content, path, markers, overrides)


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
        supported: Sequence[str] = (*_DELIMITED, ".arff")
    else:
        supported = (*_DELIMITED, *_PARQUET, ".arff")
    if not suffixes or suffixes[-1] not in supported:
        suffix = "".join(path.suffixes[-2:]) or "no suffix"
        raise DataError(
            f"{path} has {suffix!r} where .csv, .tsv, .txt, .parquet or .arff was expected; "
            "text files may have .gz, .xz or .bz2 after that."
        )
    return suffixes[-1]


def _parse_parquet(content: bytes, path: Path, types: Mapping[str, str]) -> Any:
    polars = import_polars("Reading Parquet")
    if not content.startswith(_PARQUET_MARK):
        raise DataError(f"{path} is not a Parquet file: it does not begin with PAR1.")
    if not content.endswith(_PARQUET_MARK):
        raise DataError(f"{path} does not end with Parquet's mark PAR1; the file seems truncated.")
    try:
        with without_panic_traces():
            frame = polars.read_parquet(content)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as Parquet ({reason}); the file seems damaged.") from None
    if not len(frame):
        raise DataError(f"{path} has {len(frame.columns)} columns but no rows.")
    check_types(types, frame.columns)
    return frame.with_columns(override(frame[name], kind, path) for name, kind in types.items())
