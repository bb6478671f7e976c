# SPDX-License-Identifier: BSD-3-Clause
"""What a model file tells about the training: data, date, held-out scores, and the distribution of probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data.document import Entry

__all__ = ["ScoreGroups", "TrainingRecord", "group_scores", "tenths"]

_GROUPS = 10
_TEXTS = ("target", "source", "fingerprint", "command", "trained", "evaluation", "tested", "amount_column")
_MONEY = ("cost", "amount")


@dataclass(frozen=True)
class ScoreGroups:
    """Rows grouped by the predicted probability of a class.

    Attributes
    ----------
    bounds : array of shape (n_groups - 1,)
        Inner bounds of the groups: group g has the probabilities above ``bounds[g - 1]``, up to ``bounds[g]``.
    n_rows : array of shape (n_groups,)
        Number of rows per group.
    predicted : array of shape (n_groups,)
        Mean predicted probability; NaN for a group without rows.
    observed : array of shape (n_groups,)
        Observed frequency of the class; NaN where it is unknown.
    """

    bounds: Floats
    n_rows: Floats
    predicted: Floats
    observed: Floats

    @property
    def mean(self) -> float:
        """The mean predicted probability."""
        filled = self.n_rows > 0
        return float((self.n_rows[filled] * self.predicted[filled]).sum() / self.n_rows.sum())


def tenths(probabilities: Floats) -> Floats:
    """Return the bounds of ten groups of about equal size, fewer where probabilities are tied."""
    bounds: Floats = np.unique(np.quantile(probabilities, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1], method="lower"))
    inner: Floats = bounds[bounds < probabilities.max()]
    return inner


def group_scores(
    probabilities: Floats, positive: NDArray[np.bool_] | None = None, bounds: Floats | None = None
) -> ScoreGroups:
    """Group rows by probability: into tenths, or by given bounds."""
    bounds = tenths(probabilities) if bounds is None else bounds
    group, n_groups = np.searchsorted(bounds, probabilities, side="left"), len(bounds) + 1
    n_rows = np.bincount(group, minlength=n_groups).astype(np.float64)
    sums = [np.bincount(group, probabilities, n_groups)]
    sums.append(np.full(n_groups, np.nan) if positive is None else np.bincount(group, positive * 1.0, n_groups))
    predicted, observed = (np.divide(each, n_rows, out=np.full(n_groups, np.nan), where=n_rows > 0) for each in sums)
    return ScoreGroups(bounds, n_rows, predicted, observed)


@dataclass(frozen=True)
class TrainingRecord:
    """Facts about the training of a model.

    Attributes
    ----------
    target : str
        Name of the target column.
    source, fingerprint, command : str
        Name of the table, hash of its file, and the command that was run.
    trained : str
        Date and time in UTC.
    n_rows : int
        Number of training rows.
    evaluation : str
        How rows were held out: "cross-validated" or "held-out".
    scores : mapping of str to (float, float)
        Mean and standard error of each metric on held-out rows.
    groups : mapping of int to ScoreGroups
        Rows by the predicted probability of a class, by the index of the class. Numbers of rows and mean predictions
        are of the model's own predictions for its training rows; observed frequencies are of held-out rows.
    missing : tuple of str
        Texts that marked missing values in the file of the training, as ``bayesieve fit --na`` takes them.
    cost, amount : float or None
        With the goal profit: the cost of acting on a row, and the revenue of acting on a positive row.
    amount_column : str
        With the goal profit: the column of the revenues, where they depend on the row.
    profit : (float, float) or None
        With the goal profit: the profit per row of the decisions on held-out rows, and its standard error.
    tested : str
        Hash of the file of the held-out rows, if they were of another file than the training rows.
    """

    target: str = ""
    source: str = ""
    fingerprint: str = ""
    command: str = ""
    trained: str = ""
    n_rows: int = 0
    evaluation: str = ""
    scores: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    groups: Mapping[int, ScoreGroups] = field(default_factory=dict)
    cost: float | None = None
    amount: float | None = None
    missing: tuple[str, ...] = ()
    amount_column: str = ""
    profit: tuple[float, float] | None = None
    tested: str = ""

    def to_plain(self) -> dict[str, Any]:
        """Return the record as numbers, strings, lists and dicts."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in _TEXTS}
        plain |= {name: getattr(self, name) for name in _MONEY}
        plain["missing"] = list(self.missing)
        plain["profit"] = None if self.profit is None else [float(each) for each in self.profit]
        plain["n_rows"] = int(self.n_rows)
        plain["scores"] = {name: [float(each) for each in pair] for name, pair in self.scores.items()}
        plain["groups"] = [
            {
                "class": c,
                "bounds": each.bounds.tolist(),
                "n_rows": each.n_rows.tolist(),
                "predicted": _without_nan(each.predicted),
                "observed": _without_nan(each.observed),
            }
            for c, each in self.groups.items()
        ]
        return plain

    @classmethod
    def from_plain(cls, entry: Entry, n_classes: int) -> "TrainingRecord":
        """Return the record at an entry of a document; errors name the place."""
        fields = entry.fields(*_TEXTS, *_MONEY, "missing", "n_rows", "scores", "groups", "profit")
        scores = {name: _read_pair(pair) for name, pair in fields["scores"].members().items()}
        groups = dict(_read_groups(item, n_classes) for item in fields["groups"].items())
        texts = {name: fields[name].text() for name in _TEXTS}
        cost, amount = (fields[name].optional(Entry.number) for name in _MONEY)
        n_rows, missing = fields["n_rows"].whole(0), tuple(item.text() for item in fields["missing"].items())
        profit = fields["profit"].optional(_read_pair)
        return cls(
            **texts, n_rows=n_rows, scores=scores, groups=groups, cost=cost, amount=amount, missing=missing,
            profit=profit,
        )  # fmt: skip


def _without_nan(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _read_pair(entry: Entry) -> tuple[float, float]:
    pair = entry.numbers().tolist()
    if len(pair) != 2:
        entry.refuse("a pair of a mean and a standard error")
    return pair[0], pair[1]


def _read_groups(entry: Entry, n_classes: int) -> tuple[int, ScoreGroups]:
    fields = entry.fields("class", "bounds", "n_rows", "predicted", "observed")
    bounds, n_rows = fields["bounds"].numbers(), fields["n_rows"].numbers()
    if (bounds[1:] <= bounds[:-1]).any():
        fields["bounds"].refuse("increasing numbers")
    if len(n_rows) != len(bounds) + 1 or (n_rows < 0).any() or not n_rows.any():
        fields["n_rows"].refuse(f"a list of {len(bounds) + 1} numbers of rows")
    means = []
    for name in ("predicted", "observed"):
        values = [item.optional(Entry.number) for item in fields[name].items(len(n_rows))]
        means.append(np.array([np.nan if value is None else value for value in values]))
    return fields["class"].whole(0, n_classes - 1), ScoreGroups(bounds, n_rows, *means)
