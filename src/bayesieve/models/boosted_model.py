# SPDX-License-Identifier: BSD-3-Clause
"""A fitted boosted model: the steps of each column, added up."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.models.boosting import Boosting
from bayesieve.models.pair_table import PairCodes
from bayesieve.models.scorecard import Evidence, Scorecard

__all__ = ["BoostedModel"]


@dataclass(frozen=True, repr=False)
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

    def additive(self) -> Scorecard | None:
        """Return the log-odds of each bin as scores of the second class; None if they do not add up."""
        booster = self.boosting.booster
        if not booster.is_additive:
            return None
        tables = tuple(replace(each, table=_two_classes(booster.log_odds(each.table))) for each in self.tables)
        start = _two_classes(booster.log_odds(self.start))[0]
        return Scorecard(self.classes, start, tables, self.class_mass, self.laplace)

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]], pair_codes: Iterable[PairCodes] = ()) -> Evidence:
        """Add up the steps of some rows, given the codes of each table's column; there are no pairs."""
        state = self.boosting.begin(self.start, n_rows)
        for table, coded in zip(self.tables, codes, strict=True):
            state = state + table.table[coded]
        return self.boosting.predictions(state)


def _two_classes(log_odds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return log-odds as scores of two classes, of which the first is 0."""
    return np.stack([np.zeros_like(log_odds), log_odds], axis=1)
