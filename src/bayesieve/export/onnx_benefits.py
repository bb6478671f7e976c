# SPDX-License-Identifier: BSD-3-Clause
"""The decisions of a `BenefitClassifier` in an ONNX graph: the action with the largest expected benefit."""

from typing import Any

import numpy as np

from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.export import additive
from bayesieve.export.onnx_graph import OnnxGraph
from bayesieve.export.onnx_lookup import Lookup, sum_of_entries
from bayesieve.models.amount_model import AmountModel, in_units

__all__ = ["action", "deciding_amounts"]


def deciding_amounts(model: Any) -> AmountModel | None:
    """Return the amounts that decide; None where there are none, or a benefit matrix."""
    if not isinstance(model, BenefitClassifier) or model.benefit_matrix_ is not None:
        return None
    return additive.deciding_amounts(model, "ONNX")


def action(graph: OnnxGraph, model: BenefitClassifier, probabilities: str, amounts: AmountModel | None) -> str:
    """Return the position of the action of each row."""
    if amounts is None:
        benefits = graph.constant(np.asarray(model.benefit_matrix_, dtype=np.float64).T)
        return graph.node("ArgMax", graph.node("MatMul", probabilities, benefits), axis=1, keepdims=0)
    positive, cost, nothing = model.positive_index_, graph.constant(np.float64(model.cost)), np.float64(0.0)
    amount = graph.constant(np.reshape(in_units(amounts.start), (1, 1)))
    if amounts.tables:
        tables = [Lookup((each.name,), (each.partition,), in_units(each.table)[:, None]) for each in amounts.tables]
        amount = graph.node("Add", sum_of_entries(graph, tables), amount)
    gain = graph.node("Sub", graph.node("Max", amount, graph.constant(nothing)), cost)
    of_classes = (graph.constant(np.int64(c)) for c in (positive, 1 - positive))
    hit, miss = (graph.node("Gather", probabilities, c, axis=1) for c in of_classes)
    profit = graph.node("Sub", graph.node("Mul", hit, gain), graph.node("Mul", miss, cost))
    acts = graph.node("Greater", graph.node("Reshape", profit, graph.constant([-1])), graph.constant(nothing))
    return graph.node("Where", acts, graph.constant(np.int64(1)), graph.constant(np.int64(0)))
