# SPDX-License-Identifier: BSD-3-Clause
"""A fitted classifier as an ONNX model, and a table as its inputs."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import write_atomically
from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.estimators.rows import open_new_rows
from bayesieve.exact import in_nats
from bayesieve.exceptions import ExportError
from bayesieve.export.exported_model import deciding_amounts, scoring_model
from bayesieve.export.onnx_graph import (
    OUTPUTS,
    Lookup,
    OnnxGraph,
    import_onnx,
    is_text,
    separate_entries,
    sum_of_entries,
)
from bayesieve.models import BoostedModel, Scorecard, VoteModel
from bayesieve.models.scorecard import AmountModel, in_units

__all__ = ["export_onnx", "onnx_inputs"]


def export_onnx(model: PredictionMixin, path: str | PathLike[str] | None = None, *, missing_text: str = "") -> bytes:
    """Return a fitted classifier as an ONNX model, whose outputs are ``label`` and ``probabilities``.

    Parameters
    ----------
    model : fitted classifier
        A `ScorecardClassifier`, `SelectiveNaiveBayes`, `VoteClassifier`, `BoostClassifier` or `BoostSelector`, without
        calibration, or a `BenefitClassifier` over one, with a benefit matrix, ``amount="bins"`` or the mean amount,
        whose label is the action.
    path : str or path, default=None
        A file to which the model is written, too.
    missing_text : str, default=""
        The text that stands for a missing category; ONNX has no missing text. A missing number is NaN.

    Returns
    -------
    onnx : bytes
        The model. Each column that the classifier uses is an input of shape (n_rows, 1): text for categories, double
        for numbers; booleans are 0 and 1, dates microseconds since 1970. `onnx_inputs` makes them of a table.
    """
    card, amounts = _exported_card(model), _deciding_amounts(model)
    graph = OnnxGraph(_bins(card, amounts), missing_text)
    scores, probabilities = _outputs(graph, card)
    if isinstance(model, BenefitClassifier):
        place, names = _action(graph, model, probabilities, amounts), model.actions_
    else:
        place, names = _label(graph, model, scores, probabilities), model.classes_
    kind, labels = _label_type(names)
    outputs: dict[str, tuple[str, int, list[Any]]] = {
        OUTPUTS[0]: (graph.node("Gather", graph.constant(labels), place), kind, ["n_rows"]),
        OUTPUTS[1]: (probabilities, import_onnx().TensorProto.DOUBLE, ["n_rows", len(card.classes)]),
    }
    missing = f"A missing category is {missing_text!r}, a missing number NaN."
    content: bytes = graph.model(outputs, f"{type(model).__name__} of bayesieve. {missing}").SerializeToString()
    if path is not None:
        write_atomically(path, content)
    return content


def onnx_inputs(model: PredictionMixin, X: Any, *, missing_text: str = "") -> dict[str, NDArray[Any]]:
    """Return a table as the inputs of the exported model.

    Parameters
    ----------
    model : fitted classifier
        The exported one.
    X : data frame or array of shape (n_samples, n_features)
        Rows with the columns of the training table.
    missing_text : str, default=""
        That of `export_onnx`.

    Returns
    -------
    inputs : dict of str to array of shape (n_samples, 1)
        For ``onnxruntime.InferenceSession.run(None, inputs)``.
    """
    classifier = scoring_model(model)
    table, inputs, positions = open_new_rows(classifier, X), {}, classifier.selection_.positions
    for name, partition in _bins(_exported_card(model), _deciding_amounts(model)).items():
        column = table.column(positions[name])
        if is_text(name, partition):
            # A new value that is the text of missing ones becomes another one, which is not a category.
            unseen = max((value for group in partition.groups for value in group), key=len, default="") + "?"
            texts = [unseen if label == missing_text else str(label) for label in column.labels]
            values = np.array([*texts, missing_text], dtype=object)
        else:
            values = np.array([*column.labels, np.nan], dtype=np.float64)
        inputs[name] = values[column.ids].reshape(-1, 1)
    return inputs


def _exported_card(model: Any) -> Scorecard:
    """Return the scorecard of a model, or refuse what ONNX has no form for."""
    classifier = scoring_model(model)
    if not hasattr(classifier, "scorecard_"):
        raise ExportError(f"A {type(classifier).__name__} cannot be exported to ONNX; use a classifier of bayesieve.")
    card: Scorecard = classifier.scorecard_
    if card.calibration is not None:
        raise ExportError("Models with calibration cannot be exported to ONNX; fit without calibration.")
    if not card.columns:
        raise ExportError("The model uses no column, so that an ONNX model would have no input; use its class shares.")
    return card


def _deciding_amounts(model: Any) -> AmountModel | None:
    """Return the amounts that decide; None where there are none, or a benefit matrix."""
    if not isinstance(model, BenefitClassifier) or model.benefit_matrix_ is not None:
        return None
    return deciding_amounts(model, "ONNX")


def _bins(card: Scorecard, amounts: AmountModel | None) -> dict[str, Any]:
    """Return the bins of each column that is read; those of text may differ, but not their type."""
    bins = {name: each for pair in card.pairs for name, each in zip(pair.names, pair.partitions, strict=True)}
    return bins | {each.name: each.partition for each in (*(amounts.tables if amounts else ()), *card.tables)}


def _outputs(graph: OnnxGraph, card: Scorecard) -> tuple[str, str]:
    """Return the scores of each row, which decide about its class, and its probabilities."""
    if isinstance(card, VoteModel):
        positive = _votes(graph, card)
        return (_two_columns(graph, positive, card.rule.positive),) * 2
    if isinstance(card, BoostedModel) and card.additive() is None:
        state = _sum_of_tables(graph, card)
        low, high = (graph.constant(np.float64(bound)) for bound in card.boosting.booster.probability_bounds)
        return (_two_columns(graph, graph.node("Clip", state, low, high), 1),) * 2
    additive = card.additive()
    assert additive is not None
    if len(card.classes) == 2:
        log_odds = _sum_of_tables(graph, additive, differences=True)
        scores = graph.node("Transpose", graph.node("Concat", graph.node("Neg", log_odds), log_odds, axis=0))
        probabilities = graph.node("Sigmoid", scores)
    else:
        scores = graph.node("Transpose", _sum_of_tables(graph, additive))
        probabilities = graph.node("Softmax", scores, axis=1)
    if card.laplace:
        mass, n_classes = card.mass, len(card.classes)
        probabilities = graph.node("Mul", probabilities, graph.constant(np.float64(mass / (mass + 0.5))))
        probabilities = graph.node("Add", probabilities, graph.constant(np.float64(0.5 / n_classes / (mass + 0.5))))
    return scores, probabilities


def _sum_of_tables(graph: OnnxGraph, card: Scorecard, *, differences: bool = False) -> str:
    """Return the scores of each row, shape (n_classes, n_rows), in nats; of a boosted model, its state.

    ``differences``: of two classes, the log-odds of the second, shape (1, n_rows).
    """

    def in_doubles(table: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(in_nats(table[..., 1:] - table[..., :1] if differences else table))

    start = in_doubles(card.start)
    tables = [
        Lookup((each.name,), (each.partition,), in_doubles(each.table).reshape(-1, len(start))) for each in card.tables
    ]
    tables += [Lookup(pair.names, pair.partitions, in_doubles(pair.table)) for pair in card.pairs]
    return graph.node("Add", sum_of_entries(graph, tables), graph.constant(start[:, None]))


def _votes(graph: OnnxGraph, card: VoteModel) -> str:
    """Return the probability of the positive class: that enough columns vote for it.

    ``counts[v]`` is the probability of v counted votes so far; the last entry, of the cap, is for that many or more.
    """
    rule, one = card.rule, graph.constant(np.float64(1.0))
    decisive = rule.decisive(len(card.tables))
    counts: list[str | None] = [one, *[None] * decisive]
    lookups = []
    for each in card.tables:
        votes = card.votes(each)
        counted = votes if rule.counted_class == rule.positive else 1.0 - votes
        lookups.append(Lookup((each.name,), (each.partition,), counted[:, None]))
    chances = separate_entries(graph, lookups)
    for each in card.tables:
        chance = chances[each.name]
        rest = graph.node("Sub", one, chance)
        moved = [None if p is None else graph.node("Mul", p, chance) for p in counts]
        stays = [None if p is None else graph.node("Mul", p, rest) for p in counts]
        stays[-1] = counts[-1]
        arriving = [None, *moved[:-1]]
        counts = [_plus(graph, a, b) for a, b in zip(stays, arriving, strict=True)]
    reached = counts[-1]
    assert reached is not None
    return reached if rule.counted_class == rule.positive else graph.node("Sub", one, reached)


def _plus(graph: OnnxGraph, first: str | None, second: str | None) -> str | None:
    if first is None or second is None:
        return first or second
    return graph.node("Add", first, second)


def _two_columns(graph: OnnxGraph, probability: str, positive: int) -> str:
    """Return the probabilities of two classes, given that of the positive one, shape (1, n_rows)."""
    rest = graph.node("Sub", graph.constant(np.float64(1.0)), probability)
    both = [rest, probability] if positive == 1 else [probability, rest]
    return graph.node("Transpose", graph.node("Concat", *both, axis=0))


def _label(graph: OnnxGraph, model: Any, scores: str, probabilities: str) -> str:
    """Return the position of the class of each row."""
    rule, positive = model.threshold_.rule, model.positive_index_ if len(model.classes_) == 2 else 1
    if rule.name == "bayes":
        return graph.node("ArgMax", scores, axis=1, keepdims=0)

    def of_class(values: str, c: int) -> str:
        return graph.node("Gather", values, graph.constant(np.int64(c)), axis=1)

    if rule.name == "probability":
        value, cut = of_class(probabilities, positive), float(rule.level)
    else:
        first, second = of_class(scores, positive), of_class(scores, 1 - positive)
        if scores == probabilities:
            first, second = graph.node("Log", first), graph.node("Log", second)
        value, cut = graph.node("Sub", first, second), float(in_nats(model.threshold_.cut))
        cut *= 2.0 if scores != probabilities else 1.0  # scores of two classes are minus and plus the log-odds
    accepted = graph.node("Greater", value, graph.constant(np.float64(cut)))
    codes = (graph.constant(np.int64(c)) for c in (positive, 1 - positive))
    return graph.node("Where", accepted, *codes)


def _action(graph: OnnxGraph, model: BenefitClassifier, probabilities: str, amounts: AmountModel | None) -> str:
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


def _label_type(classes: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return the element type of the labels, and the labels."""
    kinds = import_onnx().TensorProto
    if classes.dtype.kind in "iu":
        return kinds.INT64, classes.astype(np.int64)
    if classes.dtype.kind == "f":
        return kinds.DOUBLE, classes.astype(np.float64)
    if classes.dtype.kind == "b":
        return kinds.BOOL, classes
    return kinds.STRING, np.array([str(each) for each in classes.tolist()], dtype=object)
