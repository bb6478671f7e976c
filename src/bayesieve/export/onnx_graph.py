# SPDX-License-Identifier: BSD-3-Clause
"""An ONNX graph: its nodes, constants and inputs, and the entries of score tables for the rows of its inputs.

Positions of values are found for many columns at once, then entries are read. Operations of onnxruntime on arrays of
shape (n_columns, n_rows) take about a nanosecond per value. A binary search made of them is several times as fast as
trees, whose branches a processor guesses wrong, and finds the same bins: thresholds are doubles, as the numbers of an
ONNX model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Groups, Intervals
from bayesieve.data import is_number
from bayesieve.exceptions import ExportError, MissingPackageError

__all__ = [
    "OUTPUTS",
    "Lookup",
    "OnnxGraph",
    "codes_by_position",
    "import_onnx",
    "is_text",
    "n_levels",
    "number_steps",
    "separate_entries",
    "sum_of_entries",
    "thresholds_by_level",
]

OPSET, ML_OPSET, IR_VERSION = 17, 4, 10
OUTPUTS = ("label", "probabilities")
_MOST_COLUMNS = 16  # of a batch, whose arrays should stay in the processor's cache
_MOST_ENTRIES = 2**16  # of a batch, with those that fill up shorter tables


def import_onnx() -> Any:
    """Return the package onnx, or raise an error with the command that installs it."""
    try:
        import onnx
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise MissingPackageError(
            "Export to ONNX needs onnx, which is missing: pip install 'bayesieve[onnx]'."
        ) from None
    return onnx


def is_text(name: str, partition: Any) -> bool:
    """Return whether the values of a column are text; numbers, booleans, dates and times are doubles."""
    if isinstance(partition, Intervals):
        return False
    if not isinstance(partition, Groups):
        raise ExportError(f"Column {name!r} has bins of type {type(partition).__name__}, which ONNX cannot express.")
    values = [value for group in partition.groups for value in group]
    kinds = {isinstance(value, str) for value in values}
    if len(kinds) > 1 or not all(isinstance(v, str | bool | np.bool_) or is_number(v) for v in values):
        raise ExportError(
            f"Column {name!r} has values of several types, which an ONNX tensor cannot have; make them strings before "
            "fit."
        )
    return False not in kinds  # without a listed value, all are text


class OnnxGraph:
    """Nodes, constants and inputs of a graph under construction; values have names that no column has."""

    def __init__(self, columns: Mapping[str, Any], missing_text: str) -> None:
        self._onnx = import_onnx()
        for name in columns:
            if not name or name in OUTPUTS:
                what = f"the name of an output of the ONNX model ({', '.join(OUTPUTS)})" if name else "an empty name"
                raise ExportError(f"Column {name!r} has {what}; rename the column before fit.")
        self._prefix = "_" * (1 + max(len(name) - len(name.lstrip("_")) for name in columns))
        self._missing_text = missing_text
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs = {name: is_text(name, partition) for name, partition in columns.items()}
        self._known: dict[bytes, str] = {}

    def node(self, operation: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        output = f"{self._prefix}value_{len(self._nodes)}"
        self._nodes.append(
            self._onnx.helper.make_node(operation, list(inputs), [output], domain=domain or None, **attributes)
        )
        return output

    def constant(self, values: Any) -> str:
        """Add a constant, once; return its name."""
        array = np.asarray(values, order="C")
        key = array.tobytes() + f"{array.dtype}{array.shape}".encode()
        if array.dtype.kind == "U":
            array = array.astype(object)
        if key not in self._known:
            self._known[key] = f"{self._prefix}constant_{len(self._constants)}"
            self._constants.append(self._onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def integers(self, values: str) -> str:
        """Return values as the integers by which entries of arrays are read."""
        return self.node("Cast", values, to=self._onnx.TensorProto.INT32)

    def model(self, outputs: dict[str, tuple[str, Any, list[Any]]], description: str) -> Any:
        """Return the finished model; outputs have a name, a value of the graph, an element type and a shape."""
        onnx, kinds = self._onnx, self._onnx.TensorProto
        for name, (value, _, _) in outputs.items():
            self._nodes.append(onnx.helper.make_node("Identity", [value], [name]))
        used = {name for node in self._nodes for name in node.input}  # a runtime warns of what nothing reads
        graph = onnx.helper.make_graph(
            self._nodes,
            "bayesieve",
            [
                onnx.helper.make_tensor_value_info(name, kinds.STRING if text else kinds.DOUBLE, ["n_rows", 1])
                for name, text in self._inputs.items()
            ],
            [onnx.helper.make_tensor_value_info(name, kind, shape) for name, (_, kind, shape) in outputs.items()],
            initializer=[each for each in self._constants if each.name in used],
        )
        opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, producer_name="bayesieve", doc_string=description)
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model

    def text_rows(self, name: str, partition: Groups, entries: NDArray[Any]) -> str:
        """Return the entry of the bin of each text of a column, shape (1, n_rows)."""
        group_of = {value: g for g, group in enumerate(partition.groups) for value in group}
        if self._missing_text in group_of:
            raise ExportError(
                f"Column {name!r} has the category {self._missing_text!r}, which stands for a missing value; set "
                "missing_text to another text."
            )
        unseen = partition.n_bins
        absent = unseen if partition.joined is None else partition.joined
        group_of[self._missing_text] = unseen - 1 if partition.missing else absent
        other = unseen if partition.other is None else partition.other
        tensor = self._onnx.numpy_helper.from_array
        found = self.node(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_tensor=tensor(np.array(list(group_of), dtype=object)),
            values_tensor=tensor(entries[list(group_of.values())]),
            default_tensor=tensor(entries[[other]]),
        )
        return self.node("Reshape", found, self.constant(np.array([1, -1])))


Steps = tuple[NDArray[np.float64], NDArray[np.intp]]
"""Increasing thresholds, and one code more: of numbers up to each threshold, and of all others, NaN among them."""


def number_steps(partition: Intervals | Groups) -> Steps:
    """Return the codes of a column of numbers as a step function."""
    if isinstance(partition, Intervals):
        bounds, single = partition.bounds.tolist(), list(partition.special)
    else:
        bounds, single = [], [float(value) for group in partition.groups for value in group]
    # A value with a bin of its own is alone in the interval from the double below it.
    cuts = np.unique([*bounds, *single, *np.nextafter(single, -np.inf), np.inf])
    codes = _codes_of(partition, np.append(cuts, np.nan))
    last = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    return cuts[last[:-1]], codes[last]


def _codes_of(partition: Intervals | Groups, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the code of each number; NaN is a missing value."""
    if isinstance(partition, Intervals):
        return partition.code_numbers(numbers)
    unseen = partition.n_bins
    new = unseen if partition.other is None else partition.other
    absent = unseen if partition.joined is None else partition.joined
    group_of = {float(value): g for g, group in enumerate(partition.groups) for value in group}
    codes = np.array([group_of.get(number, new) for number in numbers.tolist()], dtype=np.intp)
    codes[np.isnan(numbers)] = unseen - 1 if partition.missing else absent
    return codes


def n_levels(cuts: NDArray[np.float64]) -> int:
    """Return the number of comparisons that find the position of a number among thresholds; at least 1."""
    return max(1, len(cuts).bit_length())


def thresholds_by_level(columns: Sequence[NDArray[np.float64]], levels: int) -> list[NDArray[np.float64]]:
    """Return what a binary search compares with, for several columns at once.

    The search begins at position 0. At each level the position is doubled, and 1 is added if the number is at most the
    threshold there. In the end it is the number of thresholds that are not below the number: 0 for NaN.

    Returns
    -------
    thresholds : list of arrays of shape (n_columns, 2^level)
    """
    padded = np.full((len(columns), 2**levels - 1), -np.inf)
    for row, cuts in zip(padded, columns, strict=True):
        row[: len(cuts)] = cuts[::-1]
    return [padded[:, 2 ** (levels - 1 - level) - 1 :: 2 ** (levels - level)] for level in range(levels)]


def codes_by_position(codes: NDArray[np.intp], levels: int) -> NDArray[np.intp]:
    """Return the code of each position that the search can end at."""
    padded = np.full(2**levels, codes[0])
    padded[: len(codes)] = codes[::-1]
    return padded


@dataclass(frozen=True)
class Axis:
    """A column of a table: its codes are those of texts, or steps of numbers."""

    name: str
    partition: Any

    @cached_property
    def is_text(self) -> bool:
        """Whether values are text."""
        return is_text(self.name, self.partition)

    @cached_property
    def steps(self) -> Steps:
        """The codes of a column of numbers."""
        return number_steps(self.partition)

    @property
    def size(self) -> int:
        """The number of positions that values can have."""
        n_codes: int = self.partition.n_bins + 1
        return n_codes if self.is_text else 2 ** n_levels(self.steps[0])

    def codes(self, size: int) -> NDArray[np.intp]:
        """Return the code of each position; there may be more positions than values can have."""
        if self.is_text:
            return np.arange(size).clip(max=int(self.partition.n_bins))
        return codes_by_position(self.steps[1], size.bit_length() - 1)


@dataclass(frozen=True)
class Lookup:
    """A table of a column or of a pair of columns.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    partitions : tuple of Partition
        Their bins.
    entries : float64 array
        One axis per column, with its codes, and a last one for the outputs.
    """

    names: tuple[str, ...]
    partitions: tuple[Any, ...]
    entries: NDArray[np.float64]

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The columns of the table."""
        return tuple(map(Axis, self.names, self.partitions))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of positions of each column."""
        return tuple(axis.size for axis in self.axes)

    @property
    def kind(self) -> tuple[bool, ...]:
        """Which columns are text."""
        return tuple(axis.is_text for axis in self.axes)

    def by_position(self, sizes: Sequence[int], output: int) -> NDArray[np.float64]:
        """Return the entries of all combinations of positions."""
        codes = [axis.codes(size) for axis, size in zip(self.axes, sizes, strict=True)]
        return self.entries[..., output][np.ix_(*codes)].ravel()


def sum_of_entries(graph: OnnxGraph, lookups: Sequence[Lookup]) -> str:
    """Return the sum of the entries of each row over all tables, shape (n_outputs, n_rows)."""
    n_outputs = lookups[0].entries.shape[-1]
    terms: list[list[str]] = [[] for _ in range(n_outputs)]
    axis = graph.constant(np.array([0]))
    for batch in _batches(lookups):
        for output, entries in enumerate(_entries(graph, batch, n_outputs)):
            terms[output].append(entries if len(batch) == 1 else graph.node("ReduceSum", entries, axis))
    sums = [each[0] if len(each) == 1 else graph.node("Sum", *each) for each in terms]
    return sums[0] if n_outputs == 1 else graph.node("Concat", *sums, axis=0)


def separate_entries(graph: OnnxGraph, lookups: Sequence[Lookup]) -> dict[str, str]:
    """Return the entry of each row in the table of each column, shape (1, n_rows)."""
    rows: dict[str, str] = {}
    for batch in _batches(lookups):
        (entries,) = _entries(graph, batch, 1)
        for i, lookup in enumerate(batch):
            rows[lookup.names[0]] = graph.node("Gather", entries, graph.constant(np.array([i])), axis=0)
    return rows


def _batches(lookups: Sequence[Lookup]) -> Iterator[list[Lookup]]:
    """Group tables of one kind and of similar sizes."""
    batch: list[Lookup] = []
    for lookup in sorted(lookups, key=lambda each: (len(each.kind), each.kind, each.sizes)):
        joined = [*batch, lookup]
        n_entries = len(joined) * int(np.prod(_largest(joined))) if lookup.kind == joined[0].kind else 0
        if batch and (lookup.kind != batch[0].kind or len(joined) > _MOST_COLUMNS or n_entries > _MOST_ENTRIES):
            yield batch
            joined = [lookup]
        batch = joined
    yield batch


def _largest(batch: Sequence[Lookup]) -> tuple[int, ...]:
    return tuple(map(max, zip(*(lookup.sizes for lookup in batch), strict=True)))


def _entries(graph: OnnxGraph, batch: Sequence[Lookup], n_outputs: int) -> list[str]:
    """Return the entries of each output, shape (n_tables, n_rows)."""
    if batch[0].kind == (True,) and n_outputs == 1:
        rows = [graph.text_rows(each.names[0], each.partitions[0], each.entries.ravel()) for each in batch]
        return [_stacked(graph, rows)]
    sizes = _largest(batch)
    places = _positions(graph, [lookup.axes[0] for lookup in batch], sizes[0])
    for a, size in enumerate(sizes[1:], start=1):
        scaled = graph.node("Mul", places, graph.constant(np.array([[size]], dtype=np.int32)))
        places = graph.node("Add", scaled, _positions(graph, [lookup.axes[a] for lookup in batch], size))
    tables = (np.stack([lookup.by_position(sizes, output) for lookup in batch]) for output in range(n_outputs))
    return [graph.node("GatherElements", graph.constant(table), places, axis=1) for table in tables]


def _positions(graph: OnnxGraph, axes: Sequence[Axis], size: int) -> str:
    """Return the positions of values on axes of one kind, shape (n_axes, n_rows)."""
    if axes[0].is_text:
        codes = [graph.text_rows(axis.name, axis.partition, np.arange(axis.size)) for axis in axes]
        return graph.integers(_stacked(graph, codes))
    stacked = _stacked(graph, [axis.name for axis in axes])
    values = graph.node("Reshape", stacked, graph.constant(np.array([len(axes), -1])))
    place: str | None = None
    for thresholds in thresholds_by_level([axis.steps[0] for axis in axes], size.bit_length() - 1):
        known = graph.constant(thresholds)
        # The thresholds of the first level are one per column.
        threshold = known if place is None else graph.node("GatherElements", known, place, axis=1)
        step = graph.integers(graph.node("LessOrEqual", values, threshold))
        place = step if place is None else graph.node("Add", graph.node("Add", place, place), step)
    assert place is not None
    return place


def _stacked(graph: OnnxGraph, rows: Sequence[str]) -> str:
    return rows[0] if len(rows) == 1 else graph.node("Concat", *rows, axis=0)
