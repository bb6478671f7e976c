"""A table of any kind becomes typed columns, a target and weights."""

from bayesieve.data.block import Block, Strata
from bayesieve.data.column import Column, read_column
from bayesieve.data.frames import build_frame, frame_backend, pick_columns
from bayesieve.data.names import resolve_columns
from bayesieve.data.ordered import is_number
from bayesieve.data.table import Table, read_table
from bayesieve.data.target import Target, encode_target, read_target
from bayesieve.data.weights import Weights, read_weights

__all__ = [
    "Block",
    "Column",
    "Strata",
    "Table",
    "Target",
    "Weights",
    "build_frame",
    "encode_target",
    "frame_backend",
    "is_number",
    "pick_columns",
    "read_column",
    "read_table",
    "read_target",
    "read_weights",
    "resolve_columns",
]
