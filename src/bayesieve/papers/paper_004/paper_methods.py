# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table, with the paper's figures."""

from dataclasses import dataclass

__all__ = ["METHODS", "IndicatorMethod", "SizeAndError"]


@dataclass(frozen=True)
class SizeAndError:
    """Number of indicators and test error."""

    size: float
    error: float


@dataclass(frozen=True)
class IndicatorMethod:
    """A row: a filter or a search, and its criterion.

    ``printed`` is the paper's table 1, from one data set. The criterion "error" has many ties, for which the paper has
    no rule: if the first in order were removed, forward-backward would keep 101 instead of 75 (seeds 1 to 6).
    """

    search: str
    criterion: str
    printed: SizeAndError | None = None

    @property
    def key(self) -> str:
        """Name in files."""
        return f"{self.search}, {self.criterion}"

    @property
    def is_filter(self) -> bool:
        """Whether columns are ranked without the classifier."""
        return self.search in ("mi", "mrmr")

    @property
    def is_search_of_the_paper(self) -> bool:
        """Whether it is one of the eight wrappers of table 1."""
        return self.printed is not None and not self.is_filter

    @property
    def title(self) -> str:
        """Name in tables."""
        filters = {"mi": "MI filter", "mrmr": "mRMR filter"}
        criteria = {"error_probability": "probability", "brier": "Brier score", "log_loss": "log loss"}
        if self.is_filter:
            return filters[self.search]
        return f"{self.search}, {criteria.get(self.criterion, self.criterion)}"


METHODS = (
    IndicatorMethod("mi", "error", SizeAndError(422, 0.1387)),
    IndicatorMethod("mrmr", "error", SizeAndError(19, 0.1435)),
    IndicatorMethod("forward", "error", SizeAndError(136, 0.1237)),
    IndicatorMethod("forward", "error_probability", SizeAndError(207, 0.1225)),
    IndicatorMethod("backward", "error", SizeAndError(27, 0.1308)),
    IndicatorMethod("backward", "error_probability", SizeAndError(86, 0.1283)),
    IndicatorMethod("forward-backward", "error", SizeAndError(92, 0.1238)),
    IndicatorMethod("forward-backward", "error_probability", SizeAndError(123, 0.1237)),
    IndicatorMethod("backward-forward", "error", SizeAndError(112, 0.1267)),
    IndicatorMethod("backward-forward", "error_probability", SizeAndError(122, 0.1168)),
    IndicatorMethod("floating", "error_probability"),
    IndicatorMethod("forward", "brier"),
    IndicatorMethod("forward-backward", "brier"),
    IndicatorMethod("forward", "log_loss"),
    IndicatorMethod("forward-backward", "log_loss"),
)
