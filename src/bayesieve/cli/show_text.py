# SPDX-License-Identifier: BSD-3-Clause
"""What is in a model file, as JSON, and as text and tables in a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bayesieve.bins import Intervals
from bayesieve.cli.terminal import VisibleText as Text
from bayesieve.data import Scale
from bayesieve.estimators.amounts import ColumnAmount
from bayesieve.explain.selection_reasons import DROPPED
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models import term_importances
from bayesieve.models.scorecard import in_units, join_texts
from bayesieve.report import format_counts, format_label, own_threshold, probability_model, show_time
from bayesieve.report.amounts import mean_points
from bayesieve.report.formats import money, no_features, plural
from bayesieve.report.metrics import TITLES

__all__ = ["SavedModel", "describe_model", "print_model"]


@dataclass(frozen=True)
class SavedClass:
    """A class, and its training rows, which are weighted."""

    label: str
    n_rows: float


@dataclass(frozen=True)
class SavedTerm:
    """A column or a pair of columns of the model."""

    name: str
    type: str
    n_bins: int
    weight: float
    importance: float


@dataclass(frozen=True)
class SavedDecision:
    """How a model with benefits decides.

    Attributes
    ----------
    cost : float
        The cost of acting upon a row.
    matrix : list of lists, or None
        The benefit of each action if each class is true, where there are no amounts.
    amount : str
        "column": each row has its own; "mean": that of positive rows; "bins": a sum over columns. Empty with a matrix.
    amount_column : str
        The column of the amounts; empty if it is not known.
    start : float or None
        Of a mean or a sum: the mean of the positive training rows.
    terms : list of SavedTerm
        The columns of the sum, the most important first.
    """

    cost: float
    matrix: list[list[float]] | None
    amount: str
    amount_column: str
    start: float | None
    terms: list[SavedTerm]


@dataclass(frozen=True)
class SavedModel:
    """What is in a model file; texts are empty, and scores are missing, where the file does not have them.

    Scores have their standard errors. Parameters are those that differ from the defaults. The positive class and its
    threshold are None with more than two classes; the threshold, too, where benefits decide. The profit per row is that
    of held-out rows, with its standard error.
    """

    estimator: str
    written_by: str
    target: str
    source: str
    trained: str
    command: str
    evaluation: str
    missing: list[str]
    n_rows: float
    n_columns: int
    n_not_used: int
    classes: list[SavedClass]
    positive: str | None
    threshold: float | None
    threshold_rule: str
    parameters: dict[str, Any]
    terms: list[SavedTerm]
    scores: dict[str, list[float]]
    decision: SavedDecision | None = None
    profit: list[float] | None = None
    edits: list[dict[str, Any]] | None = None


def describe_model(fitted: Any, written_by: str) -> SavedModel:
    """Return what is in a model file."""
    model = probability_model(fitted)
    record = getattr(model, "training_record_", None) or TrainingRecord()
    card = model.scorecard_
    n_dropped = sum(model.why_[name]["reason"] == DROPPED for name in model.column_names_)
    labels = [format_label(label) for label in model.classes_.tolist()]
    binary = len(labels) == 2
    rule = model.threshold_.rule
    default = type(model)().get_params(deep=False)
    parameters = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if value != default.get(name)
        and name not in ("scoring", "n_jobs", *(() if fitted is model else ("threshold",)))
    }
    return SavedModel(
        estimator=type(model).__name__ if fitted is model else f"{type(fitted).__name__} of a {type(model).__name__}",
        written_by=written_by,
        target=record.target,
        source=record.source,
        trained=record.trained,
        command=record.command,
        evaluation=record.evaluation,
        missing=list(record.missing),
        n_rows=card.mass,
        n_columns=len(model.column_names_) - n_dropped,
        n_not_used=n_dropped,
        classes=[SavedClass(label, n) for label, n in zip(labels, card.class_mass, strict=True)],
        positive=labels[model.positive_index_] if binary else None,
        threshold=own_threshold(fitted, model.positive_index_) if binary else None,
        threshold_rule=rule.name if rule.level is None else f"{rule.name} {rule.level:g}",
        parameters={
            name: value if isinstance(value, int | float | str | list | tuple) else repr(value)
            for name, value in parameters.items()
        },
        terms=_describe_terms(model),
        scores={name: list(pair) for name, pair in record.scores.items()},
        decision=None if fitted is model else _describe_decision(fitted, record),
        profit=None if record.profit is None else list(record.profit),
        edits=[change.to_plain() for change in getattr(model, "changes_", ())] or None,
    )


def _describe_decision(fitted: Any, record: TrainingRecord) -> SavedDecision:
    """Return how a `BenefitClassifier` decides."""
    amount, cost = fitted.amount_, float(fitted.cost)
    if amount is None:
        return SavedDecision(cost, fitted.benefit_matrix_.tolist(), "", "", None, [])
    if isinstance(amount, ColumnAmount):
        return SavedDecision(cost, None, "column", amount.column, None, [])
    means = {each.name: mean_points(each) for each in amount.model.tables}
    total = sum(means.values()) or 1.0
    terms = [
        SavedTerm(each.name, _type(each.partition), each.partition.n_bins, 1.0, means[each.name] / total)
        for each in sorted(amount.model.tables, key=lambda each: -means[each.name])
    ]
    start = float(in_units(amount.model.start))
    return SavedDecision(cost, None, "bins" if terms else "mean", record.amount_column, start, terms)


def print_model(described: SavedModel) -> None:
    """Print what :func:`describe_model` found."""
    console = Console()
    for line in _lines(described):
        console.print(Text(line), soft_wrap=True)
    if described.terms:
        console.print(_terms(described.terms, "Columns that the model reads"))
    else:
        console.print("The model reads no column: it predicts the class frequencies.")
    if described.decision is not None and described.decision.terms:
        console.print(_terms(described.decision.terms, "Columns of the expected amount"))
    if described.scores:
        console.print(_scores(described))


def _describe_terms(model: Any) -> list[SavedTerm]:
    """Return the terms of a model, the most important first."""
    card = model.scorecard_
    shares = term_importances(card.tables, card.pairs).tolist()
    terms = [(each.name, _type(each.partition), each.partition.n_bins, each.weight) for each in card.tables]
    terms += [
        (join_texts(*pair.names), "pair", pair.partitions[0].n_bins * pair.partitions[1].n_bins, 1.0)
        for pair in card.pairs
    ]
    described = [SavedTerm(*term, share) for term, share in zip(terms, shares, strict=True)]
    return sorted(described, key=lambda term: -term.importance)


def _type(partition: Any) -> str:
    if not isinstance(partition, Intervals):
        return "categorical"
    return "numeric" if partition.scale is Scale.numeric else "date or time"


def _rule(threshold_rule: str) -> str:
    """Return the rule of a threshold; not of one that is given, nor of the most probable class."""
    return "" if threshold_rule.startswith(("probability", "bayes")) else f" (threshold rule: {threshold_rule})"


def _lines(described: SavedModel) -> list[str]:
    classes = format_counts((each.label, each.n_rows) for each in described.classes)
    target = described.target or "target"
    trained = f", trained {show_time(described.trained)} on {described.source}" if described.trained else ""
    columns = plural(described.n_columns, "column") + no_features(described.n_not_used)
    lines = [
        f"{described.estimator}{trained}; written by {described.written_by}.",
        f"{described.n_rows:,.0f} training rows, {columns}. {target}: {classes}.",
    ]
    if described.decision is not None:
        lines += _decision(described.decision, described.positive)
    elif described.positive is not None:
        lines.append(
            f"Positive class: {described.positive}; it is predicted if its probability is above "
            f"{described.threshold:.4g}{_rule(described.threshold_rule)}."
        )
    if described.parameters:
        pairs = ", ".join(f"{name}={value!r}" for name, value in described.parameters.items())
        lines.append(f"Parameters other than the defaults: {pairs}.")
    if described.missing:
        marks = ", ".join(map(repr, described.missing))
        lines.append(f"Texts that mark a missing value in new files, too (--na): {marks}.")
    if described.command:
        lines.append(f"Command: {described.command}")
    if described.edits:
        lines.append(f"Changed by {plural(len(described.edits), 'edit')} by hand, which edit prints.")
    return lines


def _decision(decision: SavedDecision, positive: str | None) -> list[str]:
    """Return the rule of a model with benefits, in sentences."""
    if decision.matrix is not None:
        rows = "; ".join(
            f"action {a}: {', '.join(f'{each:g}' for each in row)}" for a, row in enumerate(decision.matrix)
        )
        return [f"The action of the largest expected benefit is taken; benefits by class: {rows}."]
    rule = (
        f"Positive class: {positive}; it is predicted if its probability times the amount of the row is above the "
        f"cost, {decision.cost:g}."
    )
    if decision.amount == "column":
        return [rule, f"The amount of a row is the value of its column {decision.amount_column!r}."]
    assert decision.start is not None
    mean = f"the mean of the positive training rows, {money(decision.start)}"
    column = f", from the column {decision.amount_column!r}" if decision.amount_column else ""
    if decision.amount == "mean":
        return [rule, f"The amount of every row is {mean}{column}."]
    return [
        rule,
        f"The expected amount is {mean}{column}, plus what {plural(len(decision.terms), 'column')} add to it.",
    ]


def _terms(terms: Sequence[SavedTerm], title: str) -> Table:
    weighted = any(term.weight != 1.0 for term in terms)
    table = Table(title=title, title_justify="left")
    table.add_column("column", overflow="fold")
    table.add_column("type")
    for heading in ("bins", "importance", *(["weight"] if weighted else [])):
        table.add_column(heading, justify="right")
    for term in terms:
        weight = [f"{term.weight:.3g}"] if weighted else []
        table.add_row(Text(term.name), term.type, str(term.n_bins), f"{term.importance:.0%}", *weight)
    if any(term.type == "pair" for term in terms):
        table.caption = (
            "Importance: mean absolute contribution to the log-odds, as a share of the sum over columns and pairs. "
            "fit and the report divide that of a pair between its two columns."
        )
        table.caption_justify = "left"
    return table


def _scores(described: SavedModel) -> Table:
    table = Table(title=f"Scores, {described.evaluation}", title_justify="left")
    table.add_column("metric")
    table.add_column("score ± standard error", justify="right")
    for name in sorted(described.scores, key=list(TITLES).index):
        mean, error = described.scores[name]
        table.add_row(TITLES[name], f"{mean:.4f} ± {error:.4f}")
    if described.profit is not None:
        table.add_row("profit per row", "{:.4g} ± {:.2g}".format(*described.profit))
    return table
