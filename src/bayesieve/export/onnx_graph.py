# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of an ONNX graph: columns as features of trees, and the few other operations that a scorecard needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Groups, Intervals
from bayesieve.data import is_number
from bayesieve.exceptions import ExportError, MissingPackageError
from bayesieve.export.onnx_trees import Steps, TreeEnsemble, code_steps, number_steps

__all__ = ["OUTPUTS", "Lookup", "OnnxGraph", "import_onnx", "is_text"]

OPSET, ML_OPSET, IR_VERSION = 17, 5, 10
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
        One axis per column, with its codes; more axes may follow, of which one is read.
    """

    names: tuple[str, ...]
    partitions: tuple[Any, ...]
    entries: NDArray[np.float64]

    @property
    def is_text(self) -> bool:
        """Whether it is the table of one column of text."""
        return len(self.names) == 1 and is_text(self.names[0], self.partitions[0])

    def with_row_numbers(self, stride: int = 1) -> "Lookup":
        """Return multiples of the stride, one for each combination of codes, in place of their entries."""
        shape = self.entries.shape[: len(self.names)]
        return replace(self, entries=stride * np.arange(np.prod(shape), dtype=np.float64).reshape(shape))


class OnnxGraph:
    """Nodes, constants and inputs of a graph under construction; values have names that no column has."""

    def __init__(self, columns: Sequence[str], missing_text: str) -> None:
        self._onnx = import_onnx()
        for name in columns:
            if not name or name in OUTPUTS:
                what = f"the name of an output of the ONNX model ({', '.join(OUTPUTS)})" if name else "an empty name"
                raise ExportError(f"Column {name!r} has {what}; rename the column before fit.")
        self._prefix = "_" * (1 + max(len(name) - len(name.lstrip("_")) for name in columns))
        self._missing_text = missing_text
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: dict[str, bool] = {}  # whether it is text
        self._known: dict[bytes, str] = {}
        self._features: dict[Any, tuple[int, str]] = {}

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

    def sums_of_entries(self, groups: Sequence[Sequence[Lookup]]) -> list[str]:
        """Return the sum of the entries of each row over each group of tables, shape (n_rows, 1)."""
        in_trees = [g for g, tables in enumerate(groups) if not all(table.is_text for table in tables)]
        target_of = {g: target for target, g in enumerate(in_trees)}
        trees, terms = TreeEnsemble(len(in_trees)), [list[str]() for _ in groups]
        for g, tables in enumerate(groups):
            for table in tables:
                if table.is_text:
                    terms[g].append(self._text_entries(table.names[0], table.partitions[0], table.entries.ravel()))
                else:
                    entries = table.entries.reshape(table.entries.shape[: len(table.names)])
                    trees.add(self._axes(table), entries, target_of[g])
        if in_trees:
            leaves = self._leaves(trees)
            for g, target in target_of.items():
                one = len(in_trees) == 1
                terms[g].append(leaves if one else self.node("Gather", leaves, self.constant([target]), axis=1))
        return [each[0] if len(each) == 1 else self.node("Sum", *each) for each in terms]

    def row(self, rows: NDArray[np.float64], places: str) -> str:
        """Return rows of an array by their numbers, which are doubles of shape (n_rows, 1)."""
        numbers = self.node("Cast", places, to=self._onnx.TensorProto.INT32)
        flat = self.node("Reshape", numbers, self.constant(np.array([-1])))
        return self.node("Gather", self.constant(rows), flat, axis=0)

    def _axes(self, table: Lookup) -> list[tuple[int, Steps]]:
        return [*map(self._feature, table.names, table.partitions)]

    def _feature(self, name: str, partition: Any) -> tuple[int, Steps]:
        """Return the position of a column among the features of the trees, and its codes as steps of the feature.

        Numbers are a feature as they are; of text, the bins are the feature.
        """
        text = is_text(name, partition)
        self._inputs[name] = text
        key = (name, id(partition)) if text else name
        if key not in self._features:
            value = self._text_entries(name, partition, np.arange(partition.n_bins + 1.0)) if text else name
            self._features[key] = len(self._features), value
        return self._features[key][0], code_steps(partition.n_bins + 1) if text else number_steps(partition)

    def _leaves(self, trees: TreeEnsemble) -> str:
        """Return the sums of the leaves of each row, shape (n_rows, n_targets)."""
        features = self.node("Concat", *(value for _, value in self._features.values()), axis=1)
        return self.node("TreeEnsemble", features, domain="ai.onnx.ml", **trees.attributes(self._onnx))

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
                for name, text in self._inputs.items()
            ],
            [onnx.helper.make_tensor_value_info(name, kind, shape) for name, (_, kind, shape) in outputs.items()],
            initializer=self._constants,
        )
        opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, producer_name="bayesieve", doc_string=description)
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model

    def _text_entries(self, name: str, partition: Groups, entries: NDArray[np.float64]) -> str:
        """Return the entry of the bin of each text."""
        self._inputs[name] = True
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
        return self.node(
            "LabelEncoder",
            name,
            domain="ai.onnx.ml",
            keys_tensor=tensor(np.array(list(group_of), dtype=object)),
            values_tensor=tensor(entries[list(group_of.values())]),
            default_tensor=tensor(entries[[other]]),
        )
