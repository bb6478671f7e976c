# SPDX-License-Identifier: BSD-3-Clause
"""Nodes, constants and inputs of an ONNX graph."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Groups, Intervals
from bayesieve.data import is_number
from bayesieve.exceptions import ExportError, MissingPackageError

__all__ = ["OUTPUTS", "OnnxGraph", "import_onnx", "is_text"]

OPSET, ML_OPSET, IR_VERSION = 17, 4, 10
OUTPUTS = ("label", "probabilities")


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
