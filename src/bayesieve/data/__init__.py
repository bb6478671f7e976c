# SPDX-License-Identifier: BSD-3-Clause
"""Read tables of any kind as typed columns, a target and weights."""

from typing import TYPE_CHECKING

from bayesieve._lazy_names import lazy_names
from bayesieve.data.blocks.dask_blocks import connect, own_client
from bayesieve.data.blocks.parquet_frame import ParquetFrame, open_parquet
from bayesieve.data.blocks.raw_blocks import (
    RawBlock,
    RawBlocks,
    is_in_blocks,
    map_rows,
    open_raw,
    pick_block_columns,
    refuse_blocks,
    table_header,
    table_kind,
)
from bayesieve.data.blocks.row_blocks import MemoryBlocks, RowBlocks
from bayesieve.data.column import Column, Scale, Values, is_number
from bayesieve.data.column_batch import ColumnBatch, DenseBatch, LabeledColumns, SparseCodes, Strata, entries_of
from bayesieve.data.files.finished_work import FinishedWork
from bayesieve.data.files.output import check_writable, write_atomically, write_pieces_atomically
from bayesieve.data.files.plain_text import COMPRESSIONS, STANDARD_INPUT, read_bytes
from bayesieve.data.frames import (
    IndexedFrame,
    TypedValues,
    append_columns,
    arrange_columns,
    build_frame,
    build_typed_frame,
    frame_backend,
    frame_rows,
    is_frame,
    list_values,
    pick_columns,
    pick_rows,
    split_target,
)
from bayesieve.data.indexed_table import index_frame
from bayesieve.data.labeled_rows import (
    LabeledRows,
    Target,
    Weights,
    add_by_class,
    are_many_numbers,
    check_weights,
    encode_target,
    read_labels,
    read_target,
    read_weights,
)
from bayesieve.data.profile import (
    ColumnProfile,
    ColumnSurvey,
    TextSurvey,
    column_kinds,
    count_copied_rows,
    countable_frame,
    find_equal_floats,
    profile_columns,
    survey_columns,
)
from bayesieve.data.table import Table, nearest_name, read_table, resolve_columns

if TYPE_CHECKING:
    from bayesieve.data.files.output import (
        CsvStyle as CsvStyle,
        check_table_path as check_table_path,
        table_bytes as table_bytes,
        write_table as write_table,
    )
    from bayesieve.data.files.table_file import (
        MISSING as MISSING,
        FileOptions as FileOptions,
        FileTable as FileTable,
        read_file as read_file,
        read_file_table as read_file_table,
    )
    from bayesieve.data.files.text_columns import blank_marked as blank_marked, split_marks as split_marks

__all__ = [
    "COMPRESSIONS",
    "MISSING",
    "STANDARD_INPUT",
    "Column",
    "ColumnBatch",
    "ColumnProfile",
    "ColumnSurvey",
    "CsvStyle",
    "DenseBatch",
    "FileOptions",
    "FileTable",
    "FinishedWork",
    "IndexedFrame",
    "LabeledColumns",
    "LabeledRows",
    "MemoryBlocks",
    "ParquetFrame",
    "RawBlock",
    "RawBlocks",
    "RowBlocks",
    "Scale",
    "SparseCodes",
    "Strata",
    "Table",
    "Target",
    "TextSurvey",
    "TypedValues",
    "Values",
    "Weights",
    "add_by_class",
    "append_columns",
    "are_many_numbers",
    "arrange_columns",
    "blank_marked",
    "build_frame",
    "build_typed_frame",
    "check_table_path",
    "check_weights",
    "check_writable",
    "column_kinds",
    "connect",
    "count_copied_rows",
    "countable_frame",
    "encode_target",
    "entries_of",
    "find_equal_floats",
    "frame_backend",
    "frame_rows",
    "index_frame",
    "is_frame",
    "is_in_blocks",
    "is_number",
    "list_values",
    "map_rows",
    "nearest_name",
    "open_parquet",
    "open_raw",
    "own_client",
    "pick_block_columns",
    "pick_columns",
    "pick_rows",
    "profile_columns",
    "read_bytes",
    "read_file",
    "read_file_table",
    "read_labels",
    "read_table",
    "read_target",
    "read_weights",
    "refuse_blocks",
    "resolve_columns",
    "split_marks",
    "split_target",
    "survey_columns",
    "table_bytes",
    "table_header",
    "table_kind",
    "write_atomically",
    "write_pieces_atomically",
    "write_table",
]

# Files of tables: a fit of a table in memory needs none of them.
_FILES = {
    "files.table_file": ["MISSING", "FileOptions", "FileTable", "read_file", "read_file_table"],
    "files.output": ["CsvStyle", "check_table_path", "table_bytes", "write_table"],
    "files.text_columns": ["blank_marked", "split_marks"],
}
__getattr__, __dir__ = lazy_names(__name__, {name: module for module, names in _FILES.items() for name in names})
