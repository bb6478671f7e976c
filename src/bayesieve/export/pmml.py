# SPDX-License-Identifier: BSD-3-Clause
"""A fitted two-class classifier as a scorecard in PMML 4.4, which scoring engines of banks and of Java read."""

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from os import PathLike
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from bayesieve.bins import Groups
from bayesieve.data import Scale, is_number, write_atomically
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.exact import in_nats
from bayesieve.exceptions import ExportError
from bayesieve.explain.reason_codes import reference_points
from bayesieve.export.bin_tests import BinTest, bin_tests, kind_of_values
from bayesieve.export.exported_model import additive_scorecard, known_amount, two_class_rule
from bayesieve.export.literals import moment
from bayesieve.models import PairTable, Scorecard

__all__ = ["export_pmml"]

_OPERATORS = {"missing": "isMissing", "equal": "equal", "at most": "lessOrEqual"}
_MOMENTS = {Scale.date: "dateTime", Scale.time: "time"}
_TYPES = {"text": "string", "numbers": "double", "bool": "boolean"}
_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_MOST_REASONS = 4
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def export_pmml(
    model: PredictionMixin, path: str | PathLike[str] | None = None, *, max_bins: int | None = None
) -> bytes:
    """Return a two-class model as a scorecard in PMML, and write it to a file.

    Parameters
    ----------
    model : fitted classifier
        A classifier of two classes whose log-odds are a sum over columns and pairs of columns.
    path : str, path or None, default=None
        File to write.
    max_bins : int or None, default=None
        Maximum number of bins per column, at least 2; see the classifier's method ``simplify``. None exports all.

    Returns
    -------
    content : bytes
        The document. Its results are ``log_odds`` and ``probability`` of the positive class, the predicted class as
        ``predicted``, and ``reason_1`` to at most ``reason_4``, the columns of `reason_codes`, for the positive class.
    """
    card = additive_scorecard(model, "PMML", max_bins)
    _check(model, card)
    root = Element("PMML", xmlns=_NAMESPACE, version="4.4")
    classes = card.classes.tolist()
    header = SubElement(
        root, "Header", description=f"Log-odds of {classes[1]!r} against {classes[0]!r}. A missing value is null."
    )
    SubElement(header, "Application", name="bayesieve")
    partitions = _partitions(card)
    dictionary = SubElement(root, "DataDictionary", numberOfFields=str(len(partitions)))
    dictionary.extend([_data_field(name, partition) for name, partition in partitions.items()])
    root.append(_scorecard(model, card, list(partitions)))
    for each in root.iter():
        _refuse_unreadable([*each.attrib.values(), each.text or ""])
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
    if path is not None:
        write_atomically(path, content)
    return content


def _check(model: Any, card: Scorecard) -> None:
    if len(card.classes) != 2:
        raise ExportError(
            f"PMML's scorecard is for two classes; this model has {len(card.classes)}. Export it to ONNX or SQL."
        )
    if card.calibration is not None:
        raise ExportError("Models with calibration cannot be exported as PMML; fit without calibration.")
    if not hasattr(model, "threshold_"):
        others = "SQL" if known_amount(model) is not None else "ONNX or SQL"
        raise ExportError(f"A {type(model).__name__} cannot be exported as PMML; export it to {others}.")
    if not card.columns:
        raise ExportError("The model uses no column, and PMML's scorecard needs one.")
    results = {"log_odds", "probability", "predicted", *(f"reason_{k + 1}" for k in range(_MOST_REASONS))}
    if own := [name for name in card.columns if name in results]:
        raise ExportError(f"The column {own[0]!r} has the name of a result; rename it before fit.")


def _refuse_unreadable(texts: Iterable[str]) -> None:
    for text in texts:
        if _NOT_IN_XML.search(text):
            raise ExportError(f"The text {text!r:.60} has a character that XML cannot express; replace it before fit.")


def _partitions(card: Scorecard) -> dict[str, Any]:
    """Return the bins of each column that is read; those of a pair only where the column has no table of its own."""
    of_pairs = [each for pair in card.pairs for each in zip(pair.names, pair.partitions, strict=True)]
    found = dict(of_pairs) | {each.name: each.partition for each in card.tables}
    return {name: found[name] for name in card.columns}


def _scorecard(model: Any, card: Scorecard, columns: Sequence[str]) -> Element:
    c = model.positive_index_
    element = Element(
        "Scorecard",
        modelName=type(model).__name__,
        functionName="regression",
        initialScore=_literal(float(in_nats(card.start[c] - card.start[1 - c]))),
        useReasonCodes="true",
        reasonCodeAlgorithm="pointsAbove",
    )
    schema = SubElement(element, "MiningSchema")
    for name in columns:
        # A category that is unseen in training is a value like any other: the last attribute is for it.
        SubElement(schema, "MiningField", name=name, invalidValueTreatment="asIs")
    element.append(_output(model, card))
    characteristics = SubElement(element, "Characteristics")
    for each in card.tables:
        points = in_nats(each.table[:, c] - each.table[:, 1 - c]).tolist()
        cells = [(tests, points[code]) for tests, code in _bin_predicates(each.name, each.partition, points)]
        characteristics.append(_characteristic(each.name, cells, reference_points(each, c, "mean")))
    characteristics.extend([_pair_characteristic(pair, c) for pair in card.pairs])
    return element


def _pair_characteristic(pair: PairTable, c: int) -> Element:
    """Return the attributes of all cells: the first that fits has the first fitting bin of each column."""
    rows = [tuple(row) for row in in_nats(pair.table[..., c] - pair.table[..., 1 - c]).tolist()]
    first = _bin_predicates(pair.names[0], pair.partitions[0], rows)
    second = _bin_predicates(pair.names[1], pair.partitions[1], list(zip(*rows, strict=True)))
    cells = [([*tests, *others], rows[a][b]) for tests, a in first for others, b in second]
    return _characteristic(pair.label, cells, reference_points(pair, c, "mean"))


def _characteristic(name: str, cells: Iterable[tuple[list[Element], float]], mean: float) -> Element:
    """Return what a column or a pair adds; a reason is how far that is from its mean, toward the positive class."""
    element = Element("Characteristic", name=name, reasonCode=name, baselineScore=_literal(mean))
    for tests, points in cells:
        attribute = SubElement(element, "Attribute", partialScore=_literal(points))
        if len(tests) == 2:
            attribute = SubElement(attribute, "CompoundPredicate", booleanOperator="and")
        attribute.extend(tests or [Element("True")])
    return element


def _data_field(name: str, partition: Any) -> Element:
    """Return the declaration of a column; categories are not listed, so that others are valid values, too."""
    if isinstance(partition, Groups):
        return Element("DataField", name=name, optype="categorical", dataType=_type_of_values(name, partition))
    data_type = _MOMENTS.get(partition.scale, "double")
    return Element("DataField", name=name, optype="continuous", dataType=data_type)


def _type_of_values(name: str, partition: Groups) -> str:
    kind = kind_of_values(name, partition, "a field of PMML")
    if partition.scale is not Scale.numeric or kind not in _TYPES:
        what = "groups of dates or times" if kind in _TYPES else f"values of type {kind}"
        raise ExportError(f"Column {name!r} has {what}, which PMML cannot express; make them strings before fit.")
    return _TYPES[kind]


def _bin_predicates(name: str, partition: Any, contents: Sequence[Hashable]) -> list[tuple[list[Element], int]]:
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
        return _literal
    return _literal if partition.scale is Scale.numeric else partial(_moment, scale=partition.scale, column=name)


def _moment(microseconds: float, scale: Scale, column: str) -> str:
    return moment(microseconds, scale, column)[1:-1].replace(" ", "T")


def _output(model: Any, card: Scorecard) -> Element:
    output = Element("Output")
    SubElement(output, "OutputField", name="log_odds", feature="predictedValue", dataType="double", optype="continuous")
    _transformed(output, "probability", "double").append(_probability(card))
    rule, labels = two_class_rule(model, model.positive_index_), model.classes_.tolist()
    # Dates of NumPy may become whole numbers in a list.
    if model.classes_.dtype.kind in "mM" or not all(_is_expressible(label) for label in labels):
        raise ExportError(
            f"The classes {labels[0]!r:.60} and {labels[1]!r:.60} are neither texts nor numbers that PMML can express; "
            "make them strings before fit."
        )
    decision = _apply("if")
    decision.append(_apply("greaterThan" if rule.above else "lessThan", _field(rule.of), _constant(rule.limit)))
    decision.extend([_constant(labels[c]) for c in (rule.chosen, 1 - rule.chosen)])
    _transformed(output, "predicted", _data_type(labels[0])).append(decision)
    for k in range(min(_MOST_REASONS, len(card.tables) + len(card.pairs))):
        SubElement(
            output,
            "OutputField",
            name=f"reason_{k + 1}",
            feature="reasonCode",
            rank=str(k + 1),
            dataType="string",
            optype="categorical",
        )
    return output


def _literal(value: Any) -> str:
    """Return a number with all its digits, a text as it is, or a truth value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value))


def _is_expressible(label: Any) -> bool:
    return isinstance(label, str | bool | float) or (is_number(label) and abs(label) <= 2**53)


def _transformed(output: Element, name: str, data_type: str) -> Element:
    optype = "continuous" if data_type == "double" else "categorical"
    return SubElement(output, "OutputField", name=name, feature="transformedValue", dataType=data_type, optype=optype)


def _probability(card: Scorecard) -> Element:
    """Return 1 / (1 + exp(-log_odds)), smoothed if the model smooths."""
    exp = _apply("exp", _apply("*", _constant(-1.0), _field("log_odds")))
    plain = _apply("/", _constant(1.0), _apply("+", _constant(1.0), exp))
    if not card.laplace:
        return plain
    numerator = _apply("+", _apply("*", _constant(card.mass), plain), _constant(0.25))
    return _apply("/", numerator, _constant(card.mass + 0.5))


def _apply(function: str, *arguments: Element) -> Element:
    element = Element("Apply", function=function)
    element.extend(arguments)
    return element


def _field(name: str) -> Element:
    return Element("FieldRef", field=name)


def _constant(value: Any) -> Element:
    element = Element("Constant", dataType=_data_type(value))
    element.text = _literal(value)
    return element


def _data_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "double"
