# SPDX-License-Identifier: BSD-3-Clause
"""Columns as fields of PMML, and their bins as predicates."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from bayesieve.bins import Groups
from bayesieve.data import Scale
from bayesieve.exceptions import ExportError
from bayesieve.export.bin_tests import BinTest, bin_tests, kind_of_values
from bayesieve.export.literals import moment

__all__ = ["bin_predicates", "data_field", "literal"]

_OPERATORS = {"missing": "isMissing", "equal": "equal", "at most": "lessOrEqual"}
_MOMENTS = {Scale.date: "dateTime", Scale.time: "time"}
_TYPES = {"text": "string", "numbers": "double", "bool": "boolean"}


def literal(value: Any) -> str:
    """Return a number with all its digits, a text as it is, or a truth value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value))


def data_field(name: str, partition: Any) -> Element:
    """Return the declaration of a column; categories are not listed, so that others are valid values, too."""
    if isinstance(partition, Groups):
        return Element("DataField", name=name, optype="categorical", dataType=_type_of_values(name, partition))
    data_type = _MOMENTS.get(partition.scale, "double")
    return Element("DataField", name=name, optype="continuous", dataType=data_type)


def bin_predicates(name: str, partition: Any, contents: Sequence[Hashable]) -> list[tuple[list[Element], int]]:
    """Return a predicate of each bin and its code, in the order in which they are tested; none is always true.

    ``contents`` are what each bin adds; those of values that are unseen in training are the last.
    """
    tests = bin_tests(name, partition, contents, "PMML")
    return [([] if test.kind == "rest" else [_predicate(name, partition, test)], test.code) for test in tests]


def _predicate(name: str, partition: Any, test: BinTest) -> Element:
    operator = _OPERATORS[test.kind]
    if test.kind == "missing":
        return Element("SimplePredicate", field=name, operator=operator)
    write = _writer(name, partition)
    each = [Element("SimplePredicate", field=name, operator=operator, value=write(value)) for value in test.values]
    if len(each) == 1:
        return each[0]
    either = Element("CompoundPredicate", booleanOperator="or")
    either.extend(each)
    return either


def _writer(name: str, partition: Any) -> Any:
    if isinstance(partition, Groups):
        _type_of_values(name, partition)
        return literal
    return literal if partition.scale is Scale.numeric else partial(_moment, scale=partition.scale, column=name)


def _moment(microseconds: float, scale: Scale, column: str) -> str:
    return moment(microseconds, scale, column)[1:-1].replace(" ", "T")


def _type_of_values(name: str, partition: Groups) -> str:
    kind = kind_of_values(name, partition, "a field of PMML")
    if partition.scale is not Scale.numeric or kind not in _TYPES:
        what = "groups of dates or times" if kind in _TYPES else f"values of type {kind}"
        raise ExportError(f"Column {name!r} has {what}, which PMML cannot express; make them strings before fit.")
    return _TYPES[kind]
