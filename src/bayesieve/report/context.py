# SPDX-License-Identifier: BSD-3-Clause
"""What a report is about: goal, costs, source of the data, rows and classes, and how rows were held out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data import ColumnProfile
from bayesieve.evaluation.measures import decision_shares
from bayesieve.model_file.training_record import ScoreGroups, TrainingRecord, group_scores
from bayesieve.quality import Finding, shown_classes
from bayesieve.report.curves import wilson_interval
from bayesieve.report.formats import format_label, rounded
from bayesieve.report.held_out_predictions import HeldOutPredictions

__all__ = [
    "COLUMN_TYPES",
    "GOALS",
    "ClassRows",
    "Evaluation",
    "ReportContext",
    "Setting",
    "TableFacts",
    "Task",
    "default_context",
    "describe_setting",
    "profit_of_acting",
    "training_record",
]

COLUMN_TYPES = {"integer": "integer", "number": "numeric", "category": "categorical", "time": "date or time"}
"""The types of columns, and how a report names them."""

GOALS = {
    "probability": "class probabilities",
    "ranking": "ranking of rows",
    "accuracy": "accuracy",
    "recall": "minimum recall",
    "precision": "minimum precision",
    "profit": "maximum profit",
}
"""The goals of a model, and how the report names them."""


@dataclass(frozen=True)
class ReportContext:
    """Target, goal and source of a report.

    Attributes
    ----------
    target : str
        Name of the target column.
    goal : str
        One of `GOALS`.
    positive : object
        The positive class; None if there are more than two classes.
    floor : float or None
        Minimum recall or precision, for these goals.
    cost, amount : float or None
        For the goal profit: the cost of acting on a row, and the mean revenue of acting on a positive row.
    source : str
        Name of the table.
    fingerprint : str
        Hash of the file with the table.
    n_without_target : int
        Number of rows that were left out because their class is missing.
    command : str
        The command that reproduces the report.
    made : str
        Date and time in UTC at which the report was made; none in Python, so that the same call gives the same page.
    missing : sequence of str
        Texts that marked missing values in the file, as ``--na`` takes them.
    compare_seconds : float or None
        Processor time for other models in the same outer folds; None for no limit, 0 for no comparison.
    what_if : bool
        Whether the page has a form in which a reader enters values; it then holds the model with all its categories.
    findings : sequence of Finding, or None
        What `check_data` found in the columns that are used; None if it was not asked.
    amounts : array of shape (n_samples,) or None
        The revenue of each row, if it is positive and the revenues differ.
    trained : TrainingRecord or None
        What a saved model keeps of its training, if the report is of other rows.
    amount_column : str
        The column that has them.
    test_fingerprint : str
        Hash of the file of the held-out rows, if they are of another file than the training rows.
    promise : (float, float) or None
        Of a model from a file: the profit per row in the evaluation of its training, and its standard error.
    """

    target: str
    goal: str = "probability"
    positive: Any = None
    floor: float | None = None
    cost: float | None = None
    amount: float | None = None
    source: str = ""
    fingerprint: str = ""
    n_without_target: int = 0
    command: str = ""
    made: str = ""
    missing: Sequence[str] = ()
    compare_seconds: float | None = 30.0
    what_if: bool = False
    findings: Sequence[Finding] | None = None
    amounts: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    trained: TrainingRecord | None = field(default=None, compare=False, repr=False)
    amount_column: str = ""
    test_fingerprint: str = ""
    promise: tuple[float, float] | None = None


def profit_of_acting(context: ReportContext, is_positive: NDArray[np.bool_]) -> Floats | None:
    """Return what acting upon each row brings, given its true class; None without the goal of profit."""
    if context.goal != "profit" or context.amount is None or context.cost is None:
        return None
    amounts = np.full(len(is_positive), context.amount) if context.amounts is None else context.amounts
    return np.where(is_positive, amounts, 0.0) - context.cost


def default_context(model: Any, y: Any, command: str, amounts: NDArray[np.float64] | None) -> ReportContext:
    """Return the context that follows from a fitted classifier."""
    threshold = model.get_params(deep=False).get("threshold", "bayes")
    goal, floor = threshold if isinstance(threshold, tuple | list) else ("probability", None)
    name = getattr(y, "name", None)
    profit: dict[str, Any] = {}
    if amounts is not None:
        goal = "profit"
        of_positive = float(amounts[np.asarray(y).ravel() == model.pos_label_].mean())
        profit = {"cost": float(model.cost), "amount": of_positive, "amounts": np.nan_to_num(amounts)}
        profit["amount_column"] = getattr(model.amount_, "column", "")
    return ReportContext(
        **profit,
        target="target" if name is None else str(name),
        goal=goal,
        positive=model.pos_label_,
        floor=floor,
        source="Table in memory",
        command=command,
    )


@dataclass(frozen=True)
class Task:
    """Target and goal of a model; ``positive`` is the index of the positive of two classes, None with more."""

    source: str
    target: str
    goal: str
    goal_title: str
    positive: int | None
    floor: float | None
    cost: float | None
    amount: float | None


@dataclass(frozen=True)
class ClassRows:
    """The label of a class, and its number of rows."""

    label: str
    n_rows: int


@dataclass(frozen=True)
class TableFacts:
    """Rows, columns and classes of the table; candidates are the columns that may be selected."""

    n_rows: int
    n_columns: int
    n_candidates: int
    n_without_target: int
    types: dict[str, int]
    classes: list[ClassRows]
    fingerprint: str


@dataclass(frozen=True)
class Evaluation:
    """How rows were held out; ``n_train`` is None, and ``n_folds`` is not 0, with outer folds."""

    method: str
    n_train: int | None
    n_folds: int
    description: str
    rows_per_observation: float


@dataclass(frozen=True)
class Setting:
    """What every section of a page refers to: task, table and evaluation, and the names of all columns."""

    task: Task
    data: TableFacts
    evaluation: Evaluation
    column_names: Sequence[str]

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the classes."""
        return [each.label for each in self.data.classes]

    @property
    def positive(self) -> int | None:
        """The index of the positive of two classes; None with more."""
        return self.task.positive

    @property
    def positive_class(self) -> str:
        """The positive class in a sentence: a label alone may be a number."""
        return f"class {self.positive_label}"

    @property
    def positive_label(self) -> str:
        """The label of the positive class; empty with more than two classes."""
        return "" if self.positive is None else self.labels[self.positive]

    @property
    def shown_classes(self) -> list[int]:
        """The classes that have curves and heat maps: the positive one of two, or all."""
        return list(range(len(self.labels))) if self.positive is None else [self.positive]

    @property
    def method(self) -> str:
        """What the scores are: "cross-validated", "held-out" or "optimistic"."""
        return self.evaluation.method

    @property
    def folds_have_thresholds(self) -> bool:
        """Whether decisions are those of each fold's own threshold, found by its training rows, not of the model's."""
        return self.task.goal in ("recall", "precision") and self.method == "cross-validated"

    @property
    def standard_error(self) -> str:
        """What a standard error is of."""
        folds = self.evaluation.n_train is None
        return "standard error over folds" if folds else "standard error over rows"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.data.n_rows

    def class_rows(self, c: int) -> int:
        """Return the number of rows of a class."""
        return self.data.classes[c].n_rows

    def interval(self, n_positive: float, n_rows: float) -> tuple[float, float]:
        """Return the ends of the 95 % interval of a share of rows."""
        low, high = wilson_interval(n_positive, n_rows, self.evaluation.rows_per_observation)
        return float(low), float(high)

    def name(self, j: int) -> str:
        """Return the name of a column."""
        return self.column_names[j]

    def names(self, columns: Sequence[int]) -> str:
        """Return the names of the columns of a term."""
        return " × ".join(self.name(j) for j in columns)


def describe_setting(
    context: ReportContext,
    predictions: HeldOutPredictions,
    profiles: Sequence[ColumnProfile],
    candidates: Sequence[ColumnProfile],
) -> Setting:
    """Return task, table and evaluation of a report; candidates are the columns that may be selected."""
    labels = [format_label(each) for each in predictions.classes.tolist()]
    counts = np.bincount(predictions.target, minlength=len(labels))
    task = Task(
        context.source,
        context.target,
        context.goal,
        GOALS[context.goal],
        None if context.positive is None else labels.index(format_label(context.positive)),
        rounded(context.floor),
        rounded(context.cost),
        rounded(context.amount),
    )
    data = TableFacts(
        len(predictions.target),
        len(profiles),
        len(candidates),
        context.n_without_target,
        dict(Counter(each.kind for each in candidates)),
        [ClassRows(label, int(n)) for label, n in zip(labels, counts, strict=True)],
        context.fingerprint,
    )
    evaluation = Evaluation(
        predictions.method,
        predictions.n_train,
        len(predictions.folds) if predictions.n_train is None else 0,
        predictions.description,
        rounded(predictions.rows_per_observation),
    )
    return Setting(task, data, evaluation, [each.name for each in profiles])


def training_record(model: Any, X: Any, predictions: HeldOutPredictions, context: ReportContext) -> TrainingRecord:
    """Return the record of a model, given its training rows, and predictions for held-out rows.

    The model's own probabilities have other values than those of the models of the folds, and new rows are compared
    with its own, so the groups are of its own. How often the class occurs in each is counted on held-out rows.
    """
    rows, tested = predictions.restricted()
    own, held_out = model.predict_proba(X), tested.probabilities(None)
    return TrainingRecord(
        target=context.target,
        source=context.source,
        fingerprint=context.fingerprint,
        command=context.command,
        trained=datetime.now(UTC).isoformat(timespec="seconds"),
        n_rows=len(predictions.target) if predictions.n_train is None else predictions.n_train,
        evaluation=predictions.method,
        cost=context.cost,
        missing=tuple(context.missing),
        amount=context.amount if context.amounts is None else None,
        amount_column=context.amount_column,
        profit=_profit_per_row(model, tested, context, rows),
        tested=context.test_fingerprint,
        scores={
            name: (rounded(mean), rounded(error))
            for name, (mean, error) in (predictions.scores(None) | _shares(model, tested, context)).items()
        },
        groups={c: _groups(own[:, c], held_out[:, c], tested.target == c) for c in shown_classes(model)},
    )


def _profit_per_row(
    model: Any, predictions: HeldOutPredictions, context: ReportContext, rows: NDArray[np.intp]
) -> tuple[float, float] | None:
    """Return the mean profit of the decisions on held-out rows, and its standard error over rows."""
    positive = predictions.target == model.positive_index_ if len(model.classes_) == 2 else predictions.target < 0
    amounts = None if context.amounts is None else context.amounts[rows]
    gains = profit_of_acting(replace(context, amounts=amounts), positive)
    if gains is None:
        return None
    profits = np.where(predictions.predicted == model.positive_index_, gains, 0.0)
    return rounded(float(profits.mean()), 9), rounded(float(profits.std() / np.sqrt(len(profits))))


def _shares(model: Any, predictions: HeldOutPredictions, context: ReportContext) -> dict[str, tuple[float, float]]:
    """Return recall and precision of the decisions on held-out rows, if one of them is the goal."""
    if context.goal not in ("recall", "precision"):
        return {}
    positive = predictions.target == model.positive_index_
    return decision_shares(positive, predictions.predicted == model.positive_index_)


def _groups(own: Floats, held_out: Floats, positive: NDArray[np.bool_]) -> ScoreGroups:
    """Group rows by the model's own probabilities; held-out rows belong to the groups by their ranks."""
    groups = group_scores(own)
    ends = np.cumsum(groups.n_rows) / groups.n_rows.sum()
    ranks = np.empty(len(held_out))
    ranks[np.argsort(held_out, kind="stable")] = (np.arange(len(held_out)) + 0.5) / len(held_out)
    place = np.minimum(np.searchsorted(ends, ranks), len(ends) - 1)
    n_rows = np.bincount(place, minlength=len(ends))
    observed = np.bincount(place, positive * 1.0, len(ends)) / np.maximum(n_rows, 1)
    return replace(groups, observed=np.where(n_rows > 0, observed, np.nan))
