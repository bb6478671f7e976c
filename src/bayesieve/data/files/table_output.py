"""Write a table as CSV or Parquet, by the suffix of the file."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bayesieve.data.files.atomic_file import write_atomically
from bayesieve.data.frames import import_polars
from bayesieve.exceptions import OutputError

__all__ = ["table_bytes", "write_table"]

_WRITERS = {".csv": "write_csv", ".parquet": "write_parquet", ".pq": "write_parquet"}


def write_table(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns to a file, completely or not at all."""
    write_atomically(path, table_bytes(columns, path.suffix.lower()))


def table_bytes(columns: Mapping[str, Sequence[Any]], suffix: str = ".csv", *, header: bool = True) -> bytes:
    """Return columns as the content of a file; CSV without a header continues earlier rows."""
    if suffix not in _WRITERS:
        raise OutputError(f"A table is written to .csv, .parquet or .pq, got {suffix or 'no suffix'!r}.")
    polars = import_polars("Writing tables")
    content = io.BytesIO()
    options = {} if header else {"include_header": False}
    getattr(polars.DataFrame(dict(columns)), _WRITERS[suffix])(content, **options)
    return content.getvalue()
