"""A fitted boosted model: the steps of each column, added up."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from bayesieve.models.base import Evidence
from bayesieve.models.boosting import Boosting
from bayesieve.models.scorecard import Scorecard

__all__ = ["BoostedModel"]


@dataclass(frozen=True)
class BoostedModel(Scorecard):
    """Columns in the order in which they entered.

    ``start`` has one entry, the state of a row before any step, and a score table one entry per bin: what the steps of
    its column add to that state. The booster turns states into log-odds, which need not be additive.

    Attributes
    ----------
    boosting : Boosting
        How states become log-odds.
    """

    boosting: Boosting = field(default_factory=Boosting)

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Evidence:
        """Add up the steps of some rows, given the codes of each table's column."""
        state = self.boosting.begin(self.start, n_rows)
        for table, coded in zip(self.tables, codes, strict=True):
            state = state + table.table[coded]
        return self.boosting.predictions(state)
