# SPDX-License-Identifier: BSD-3-Clause
"""Read a file as a data frame, with polars; ARFF with the parser of this package."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayesieve.data.files.binary_files import BINARY, parse_binary
from bayesieve.data.files.delimited import parse_delimited
from bayesieve.data.files.plain_text import COMPRESSIONS, STANDARD_INPUT, read_bytes
from bayesieve.data.files.text_columns import TextRules, blank_marked
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["MISSING", "FileOptions", "FileTable", "read_file", "read_file_table"]

MISSING = ("NA", "N/A", "NaN", "nan", "null", "NULL", "?", ".")

_DELIMITED = (".csv", ".tsv", ".txt")
_SPREADSHEETS = (".xlsx", ".xls", ".xlsb", ".ods")


@dataclass(frozen=True)
class FileOptions:
    """How the values of a file are read: the parameters of `read_file`."""

    missing: Sequence[str] = MISSING
    types: Mapping[str, str] = field(default_factory=dict)
    coerce: bool = False
    separator: str | None = None
    decimal: str | None = None
    sheet: str | int | None = None
    missing_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    missing_in_text: Sequence[str] = ()
    """Marks besides the others, where the format has marks."""
    for_output: bool = False
    """Whether separator and decimal mark are those of a file that is written, too, so that any format may be read."""

    def rules(self, suffix: str) -> TextRules:
        """Return how the text of this type of file becomes values."""
        missing = (*self.missing, *(self.missing_in_text if _is_text(suffix) else ()))
        given = self.decimal is not None
        return TextRules(missing, self.types, self.coerce, self.decimal or ".", given, missing_in=dict(self.missing_in))

    def check(self, path: Path, suffix: str) -> None:
        """Refuse options that are not valid, or that have no meaning for this type of file."""
        separator, is_text = self.separator, _is_text(suffix)
        if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
            raise ParameterError(f"separator (--sep) must be one character, got {separator!r}.")
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"decimal (--decimal) must be a point or a comma, got {self.decimal!r}.")
        if separator is not None and suffix not in _DELIMITED and not self.for_output:
            raise ParameterError(f"separator (--sep) is for delimited text such as CSV; {path} is a {suffix} file.")
        if self.sheet is not None and suffix not in _SPREADSHEETS:
            raise ParameterError(f"sheet (--sheet) is for spreadsheets; {path} is a {suffix} file.")
        if self.decimal is not None and not is_text and not self.for_output:
            raise ParameterError(
                f"decimal (--decimal) is for numbers in delimited text and spreadsheets; {path} is a {suffix} file."
            )
        if not is_text and (marks := [mark for mark in self.missing if mark not in MISSING]):
            raise ParameterError(
                f"missing (--na) is for delimited text and spreadsheets, got {marks[0]!r}; {path} is a {suffix} file "
                "(--na COLUMN=TEXT is for every file)."
            )


@dataclass(frozen=True)
class FileTable:
    """The table of a file.

    Attributes
    ----------
    frame : data frame
        Its values.
    conversions : mapping of str to str
        In words, what was converted in columns whose text does not look like plain numbers or dates.
    """

    frame: Any
    conversions: Mapping[str, str]


def read_file(
    path: str | os.PathLike[str],
    *,
    missing: str | Iterable[str] | None = MISSING,
    missing_in: Mapping[str, str | Iterable[str]] | None = None,
    types: Mapping[str, str] | None = None,
    coerce: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | int | None = None,
) -> Any:
    r"""Read a table from a CSV, Excel, Parquet, Feather, JSON lines or ARFF file.

    Parameters
    ----------
    path : path-like
        ``.csv``, ``.tsv``, ``.txt``, ``.jsonl``, ``.ndjson`` and ``.arff`` may be compressed (``.gz``, ``.xz``,
        ``.bz2``); or ``.parquet``, ``.pq``, ``.feather``, ``.arrow``, ``.ipc``; or ``.xlsx``, ``.xls``, ``.xlsb``,
        ``.ods`` (needs the extra ``[excel]``). ``-`` is standard input, whose format is recognized by
        its first bytes.
    missing : str, iterable of str, or None
        Texts that mark a missing value in delimited text and spreadsheets, besides empty text. Other formats have their
        own marks.
    missing_in : mapping of str to str or iterable of str
        Texts that mark a missing value in one column, by its name, in any file: ``{"glucose": "0"}``. A number marks
        every way of writing it, such as 0.0.
    types : mapping of str to {"numeric", "categorical"}
        Types by column name, which override those inferred from the values or declared in the file.
    coerce : bool, default=False
        Whether text columns in which at least 90 % of the values are numbers become numeric: cells that are not numbers
        become missing. With ``types``, columns that are declared numeric do so, whatever the share.
    separator : str, optional
        The character between the values of delimited text. By default, the one of comma, semicolon, tab and bar that
        occurs most often in the header.
    decimal : {".", ","}, optional
        The decimal mark of numbers in delimited text, and in text cells of spreadsheets. By default a point; with
        semicolons also a comma, in columns without a point. With ``","``, points separate thousands.
    sheet : str or int, optional
        Name or number of the sheet of a spreadsheet, the first being 1, which is the default.

    Returns
    -------
    frame : polars.DataFrame
        For ARFF without polars, a pandas.DataFrame.

    Notes
    -----
    Delimited text has a header, and blanks around a value are removed. The type of a column is inferred from all rows:
    numeric if every value is a number and none has a leading zero (as postal codes may), or if every value is a
    percentage (``12%`` is read as 12), an amount with a currency (``$1,234.50``) or a number with thousands separators;
    temporal if every value is a date, time or both in ISO form (or ``31.12.1999``, or ``31/12/1999`` where some value
    shows which number is the month); otherwise text, which is categorical.

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
    marks = (missing,) if isinstance(missing, str) else tuple(missing or ())
    by_column = {name: (each,) if isinstance(each, str) else tuple(each) for name, each in (missing_in or {}).items()}
    options = FileOptions(marks, dict(types or {}), coerce, separator, decimal, sheet, by_column)
    return read_file_table(path, options).frame


def read_file_table(path: str | os.PathLike[str], options: FileOptions | None = None) -> FileTable:
    """Return the table of `read_file`, and what was converted."""
    path, options = Path(path).expanduser(), options or FileOptions()
    content, suffix = _read_content(path)
    options.check(path, suffix)
    rules = options.rules(suffix)
    if suffix == ".arff":
        from bayesieve.data.files.arff import parse_arff  # a format that few files have

        frame = blank_marked(parse_arff(content, path, rules.types), rules.missing_in)
    elif suffix in BINARY:
        frame = parse_binary(content, path, suffix, rules, options.sheet)
    else:
        frame = parse_delimited(content, path, rules, options.separator)
    return FileTable(frame, rules.conversions)


def _read_content(path: Path) -> tuple[bytes, str]:
    """Return the content of a file, decompressed, and its suffix; standard input has the suffix of its format."""
    if path == STANDARD_INPUT:
        content = read_bytes(path)
        if not content:
            raise DataError("Standard input is empty; a table was expected.")
        return content, _recognize(content)
    suffix = _suffix(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder; a file with a table was expected.")
    if not path.exists():
        hint = "; download it first" if "://" in str(path) or str(path).startswith(("http:/", "https:/")) else ""
        raise DataError(f"{path} does not exist{hint}.")
    content = read_bytes(path)
    if not content:
        raise DataError(f"{path} is empty; a table was expected.")
    return content, suffix


def _is_text(suffix: str) -> bool:
    return suffix in (*_DELIMITED, *_SPREADSHEETS)


def _recognize(content: bytes) -> str:
    start = content[:1000].lstrip()
    for suffix, format_ in BINARY.items():
        if format_.mark and start.startswith(format_.mark):
            return suffix
    lines = start.lower().splitlines() or [b""]
    header = next((line for line in lines if line.strip() and not line.startswith(b"%")), b"")
    return ".arff" if header.startswith((b"@relation", b"@attribute")) else ".csv"


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    supported: Sequence[str] = (*_DELIMITED, *BINARY, ".arff")
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
        supported = (*_DELIMITED, ".jsonl", ".ndjson", ".arff")
    if not suffixes or suffixes[-1] not in supported:
        suffix = "".join(path.suffixes[-2:]) or "none"
        raise DataError(
            f"{path}: unsupported file type {suffix!r}; supported are .csv, .tsv, .txt, .xlsx, .xls, .xlsb, .ods, "
            ".parquet, .feather, .arrow, .jsonl and .arff; text files may have .gz, .xz or .bz2 after that."
        )
    return suffixes[-1]
