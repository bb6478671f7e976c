# SPDX-License-Identifier: BSD-3-Clause
"""A fitted voting model: each table moves a column's vote away from the class share."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve.models.model import Evidence
from bayesieve.models.scorecard import PairCodes, Scorecard, ScoreTable
from bayesieve.models.votes import VOTE_ONE, VoteRule, Votes

__all__ = ["VoteModel"]


@dataclass(frozen=True, repr=False)
class VoteModel(Scorecard):
    """All voting columns, in the order in which they were added.

    ``start`` are the class shares in multiples of 2^-50. A table holds the differences of each bin from them, so that
    *unseen* values, whose row is zero, vote with the class share.

    Attributes
    ----------
    rule : VoteRule
        The number of votes that decides.
    """

    rule: VoteRule = field(default_factory=lambda: VoteRule(n=1))

    def of_classes(self, class_numbers: NDArray[np.intp]) -> Self:
        """Return the same model with its classes in another order, given by their present numbers."""
        rule = replace(self.rule, positive=int(np.flatnonzero(class_numbers == self.rule.positive)[0]))
        return replace(super().of_classes(class_numbers), rule=rule)

    def additive(self) -> None:
        """Return None: a count of votes is not a sum of log-odds."""

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]], pair_codes: Iterable[PairCodes] = ()) -> Evidence:
        """Count the votes of some rows, given the codes of each table's column; there are no pairs."""
        model = Votes(self.rule)
        state = model.begin(self.start, n_rows)
        for j, (table, coded) in enumerate(zip(self.tables, codes, strict=True)):
            state = model.shift(state, j, self.start + table.table, coded, 0.0, 1.0)
        return model.predictions(state)

    def votes(self, table: ScoreTable) -> NDArray[np.float64]:
        """Return the probability that each bin of a column votes for the positive class."""
        positive = self.rule.positive
        probabilities: NDArray[np.float64] = (self.start[positive] + table.table[:, positive]) / float(VOTE_ONE)
        return probabilities
