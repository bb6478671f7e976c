"""A fitted voting model: each score table moves a column's vote away from the class share."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.models.evidence import Evidence
from bayesieve.models.scorecard import Scorecard, ScoreTable
from bayesieve.models.vote_count import VOTE_ONE
from bayesieve.models.vote_rule import VoteRule
from bayesieve.models.votes import Votes

__all__ = ["VoteModel"]


@dataclass(frozen=True)
class VoteModel(Scorecard):
    """All columns that vote, in the order in which they entered.

    ``start`` are the class shares in multiples of 2^-50. A score table has what each bin adds to them, so that an
    unseen value, whose entry is zero, votes by the class shares.

    Attributes
    ----------
    rule : VoteRule
        How many votes decide.
    """

    rule: VoteRule = field(default_factory=lambda: VoteRule(n=1))

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Evidence:
        """Count the votes on some rows, given the codes of each card's column."""
        model = Votes(self.rule)
        state = model.begin(self.start, n_rows)
        for j, (card, coded) in enumerate(zip(self.tables, codes, strict=True)):
            state = model.shift(state, j, self.start + card.table, coded, 0.0, 1.0)
        return model.beliefs(state)

    def votes(self, card: ScoreTable) -> NDArray[np.float64]:
        """Return the probability with which each part of a card's column votes for the positive class."""
        probabilities: NDArray[np.float64] = (self.start[1] + card.table[:, 1]) / float(VOTE_ONE)
        return probabilities
