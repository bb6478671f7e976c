# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of an ONNX graph: bins of values, entries of tables, and the few other operations that a scorecard needs.

All numbers are doubles, so that sums of multiples of 2^-40 are exact and each row gets the bins and the class that it
has in Python.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Groups, Intervals
from bayesieve.data import is_number
from bayesieve.exceptions import ExportError, MissingPackageError

__all__ = ["OnnxGraph", "import_onnx", "is_text"]

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8


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
    return kinds == {True}


class OnnxGraph:
    """Nodes, constants and inputs of a graph under construction; values are named by their number."""

    def __init__(self, missing_text: str) -> None:
        self._onnx = import_onnx()
        self._missing_text = missing_text
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: dict[str, tuple[str, bool]] = {}
        self._known: dict[bytes, str] = {}
        self._codes: dict[tuple[str, int], str] = {}

    def node(self, operation: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        output = f"v{len(self._nodes)}"
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
            self._known[key] = f"c{len(self._constants)}"
            self._constants.append(self._onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def column(self, name: str, partition: Any) -> str:
        """Return the values of a column, one per row; an input is made where the column is first read."""
        if name not in self._inputs:
            self._inputs[name] = (self.node("Reshape", name, self.constant(np.array([-1]))), is_text(name, partition))
        return self._inputs[name][0]

    def codes(self, name: str, partition: Any) -> str:
        """Return the bin of each row."""
        key = (name, id(partition))
        if key not in self._codes:
            self._codes[key] = self._coded(name, partition)
        return self._codes[key]

    def _coded(self, name: str, partition: Any) -> str:
        values, unseen = self.column(name, partition), partition.n_bins
        absent = unseen if partition.joined is None else partition.joined
        missing = unseen - 1 if partition.missing else absent
        if is_text(name, partition):
            return self._text_codes(name, values, partition, missing)
        if isinstance(partition, Intervals):
            codes = self._search(values, partition.bounds)
            for k, special in enumerate(partition.special, len(partition.bounds) + 1):
                codes = self._where(self.node("Equal", values, self.constant(np.float64(special))), k, codes)
        else:
            codes = self._number_codes(values, partition)
        return self._where(self.node("IsNaN", values), missing, codes)

    def entries(self, codes: str, table: NDArray[Any]) -> str:
        """Return the entry of a table, or its row, that belongs to each code."""
        return self.node("Gather", self.constant(table.astype(np.float64)), codes, axis=0)

    def cell(self, first: str, second: str, n_second: int) -> str:
        """Return the code of a cell of a pair, row by row."""
        return self.node("Add", self.node("Mul", first, self.constant(np.int32(n_second))), second)

    def add_up(self, terms: Sequence[str]) -> str:
        """Return a sum."""
        total = terms[0]
        for term in terms[1:]:
            total = self.node("Add", total, term)
        return total

    def model(self, outputs: dict[str, tuple[str, Any, list[Any]]], description: str) -> Any:
        """Return the finished model; outputs have a name, a value of the graph, an element type and a shape."""
        onnx, kinds = self._onnx, self._onnx.TensorProto
        for name, (value, _, _) in outputs.items():
            self._nodes.append(onnx.helper.make_node("Identity", [value], [name]))
        graph = onnx.helper.make_graph(
            self._nodes,
            "bayesieve",
            [
                onnx.helper.make_tensor_value_info(name, kinds.STRING if text else kinds.DOUBLE, ["n_rows", 1])
                for name, (_, text) in self._inputs.items()
            ],
            [onnx.helper.make_tensor_value_info(name, kind, shape) for name, (_, kind, shape) in outputs.items()],
            initializer=self._constants,
        )
        opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, producer_name="bayesieve", doc_string=description)
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model

    def _search(self, values: str, bounds: NDArray[np.float64]) -> str:
        """Return how many bounds are below each value, by bisection: one comparison per power of two.

        ``place`` is the bound that is compared next; it moves up or down by half of the last distance.
        """
        if not len(bounds):
            return self.node("Cast", self.node("IsNaN", values), to=self._onnx.TensorProto.INT32)
        step = 1 << (len(bounds).bit_length() - 1)
        padded = self.constant(np.append(bounds, np.full(2 * step - 1 - len(bounds), np.inf)))
        place = self.constant(np.int32(step - 1))
        above = self.node("Greater", values, self.node("Gather", padded, place))
        while step > 1:
            step //= 2
            moved = self.node("Where", above, self.constant(np.int32(step)), self.constant(np.int32(-step)))
            place = self.node("Add", place, moved)
            above = self.node("Greater", values, self.node("Gather", padded, place))
        return self.node("Add", place, self.node("Cast", above, to=self._onnx.TensorProto.INT32))

    def _number_codes(self, values: str, partition: Groups) -> str:
        """Return the group of each number: found by bisection, and then compared."""
        group_of = {float(value): g for g, group in enumerate(partition.groups) for value in group}
        numbers = np.array(sorted(group_of))
        place = self._search(values, numbers)
        found = self.node("Equal", values, self.entries(place, np.append(numbers, np.nan)))
        groups = self.constant(np.array([*(group_of[number] for number in numbers.tolist()), 0], dtype=np.int32))
        other = partition.n_bins if partition.other is None else partition.other
        return self.node("Where", found, self.node("Gather", groups, place), self.constant(np.int32(other)))

    def _text_codes(self, name: str, values: str, partition: Groups, missing: int) -> str:
        group_of = {value: g for g, group in enumerate(partition.groups) for value in group}
        if self._missing_text in group_of:
            raise ExportError(
                f"Column {name!r} has the category {self._missing_text!r}, which stands for a missing value; set "
                "missing_text to another text."
            )
        group_of[self._missing_text] = missing
        codes = self.node(
            "LabelEncoder",
            values,
            domain="ai.onnx.ml",
            keys_strings=list(group_of),
            values_int64s=list(group_of.values()),
            default_int64=partition.n_bins if partition.other is None else partition.other,
        )
        return self.node("Cast", codes, to=self._onnx.TensorProto.INT32)

    def _where(self, test: str, code: int, codes: str) -> str:
        return self.node("Where", test, self.constant(np.int32(code)), codes)
