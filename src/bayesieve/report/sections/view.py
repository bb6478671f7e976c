# SPDX-License-Identifier: BSD-3-Clause
"""What all sections read from a summary."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bayesieve.report.shares import wilson_interval

__all__ = ["TYPE_NAMES", "View"]

TYPE_NAMES = {"integer": "integer", "number": "numeric", "category": "categorical", "time": "date or time"}


@dataclass(frozen=True)
class View:
    """A summary, and short names for its parts."""

    summary: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.summary[key]

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the classes."""
        return [each["label"] for each in self["data"]["classes"]]

    @property
    def positive(self) -> int | None:
        """The position of the positive of two classes; None with more."""
        place: int | None = self["context"]["positive"]
        return place

    @property
    def positive_label(self) -> str:
        """The label of the positive class; empty with more than two classes."""
        return "" if self.positive is None else self.labels[self.positive]

    @property
    def threshold(self) -> float:
        """The model's own threshold; where it depends on the amount of a row, that of the mean amount."""
        decision, context = self["decision"], self["context"]
        if decision and decision["threshold"] is None:
            return float(context["cost"] / context["amount"])
        return float(decision["threshold"]) if decision else 0.5

    @cached_property
    def selected(self) -> dict[str, Any]:
        """The selected size."""
        size: dict[str, Any] = next(size for size in self["sizes"] if size["selected"])
        return size

    @property
    def curve(self) -> dict[str, Any]:
        """The curves of the first class at the selected size."""
        first: dict[str, Any] = self.selected["curves"][0]
        return first

    @property
    def curves(self) -> list[dict[str, Any]]:
        """The curves of all classes and sizes that a reader can choose."""
        return [curve for size in self["sizes"] for curve in size["curves"]]

    @property
    def has_form(self) -> bool:
        """Whether the page holds the model, for values that a reader enters."""
        return self["what_if"] is not None and "left_out" not in self["what_if"]

    @property
    def method(self) -> str:
        """What the scores are: "cross-validated", "held-out" or "optimistic"."""
        return str(self["evaluation"]["method"])

    @property
    def standard_error(self) -> str:
        """What a standard error is of."""
        folds = self["evaluation"]["n_train"] is None
        return "standard error over folds" if folds else "standard error over rows"

    def interval(self, n_positive: Any, n_rows: Any) -> tuple[float, float]:
        """Return the ends of the 95 % interval of a share of rows."""
        low, high = wilson_interval(n_positive, n_rows, self["evaluation"]["rows_per_observation"])
        return float(low), float(high)

    def name(self, j: int) -> str:
        """Return the name of a column."""
        return str(self["columns"]["name"][j])

    def names(self, columns: Sequence[int]) -> str:
        """Return the names of the columns of a term."""
        return " × ".join(self.name(j) for j in columns)

    def n_rows(self, c: int) -> int:
        """Return the number of rows of a class."""
        return int(self["data"]["classes"][c]["n_rows"])
