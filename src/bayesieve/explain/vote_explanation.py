# SPDX-License-Identifier: BSD-3-Clause
"""Why a row is predicted as it is: how each column votes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, build_frame
from bayesieve.explain.row_contributions import shown_values
from bayesieve.models import VoteModel

__all__ = ["Vote", "VoteExplanation", "VoteExplanations", "explain_votes"]


@dataclass(frozen=True)
class Vote:
    """The vote of one column on one row.

    Attributes
    ----------
    column : str
        Its name.
    value : object
        The row's value, None if it is missing.
    bin : str
        The bin or group that the value belongs to.
    probability : float
        With which it votes for the positive class.
    """

    column: str
    value: Any
    bin: str
    probability: float


@dataclass(frozen=True)
class VoteExplanation:
    """One row.

    Attributes
    ----------
    positive : object
        The class that is voted for.
    probability : float
        Of enough votes.
    needed : int
        How many votes are needed for the positive class.
    votes : tuple of Vote
        The most certain first.
    """

    positive: Any
    probability: float
    needed: int
    votes: tuple[Vote, ...]

    def __str__(self) -> str:
        needed = f"{self.needed} of {len(self.votes)} votes are needed" if self.votes else "no column was selected"
        lines = [f"{self.positive!r}: probability {self.probability:.3f}; {needed}"]
        for vote in self.votes:
            shown = "missing" if vote.value is None else vote.value
            lines.append(f"  {vote.probability:.3f}  {vote.column} = {shown} ({vote.bin})")
        return "\n".join(lines)


class VoteExplanations(tuple[VoteExplanation, ...]):
    """The explanations of several rows."""

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per row and column, the most certain vote first."""
        cells = [(i, explanation, vote) for i, explanation in enumerate(self) for vote in explanation.votes]
        shown: dict[str, Sequence[Any]] = {
            "row": [i for i, _, _ in cells],
            "positive": [explanation.positive for _, explanation, _ in cells],
            "probability": [explanation.probability for _, explanation, _ in cells],
            "column": [vote.column for _, _, vote in cells],
            "value": [None if vote.value is None else str(vote.value) for _, _, vote in cells],
            "bin": [vote.bin for _, _, vote in cells],
            "vote": [vote.probability for _, _, vote in cells],
        }
        return build_frame(shown, backend)


def explain_votes(
    model: VoteModel, coded: Sequence[tuple[Column, NDArray[np.intp]]], probabilities: Sequence[float]
) -> VoteExplanations:
    """Return how the columns of a model vote on some rows, given their bins and the probability of each row."""
    votes: list[list[Vote]] = [[] for _ in probabilities]
    for card, (column, codes) in zip(model.tables, coded, strict=True):
        words = {code: card.partition.describe(code) for code in set(codes.tolist())}
        values, chances = [*shown_values(column), None], model.votes(card).tolist()
        for i, (code, place) in enumerate(zip(codes.tolist(), column.ids.tolist(), strict=True)):
            votes[i].append(Vote(card.name, values[place], words[code], chances[code]))
    positive, needed = model.classes.tolist()[model.rule.positive], model.rule.needed(len(model.tables))
    return VoteExplanations(
        VoteExplanation(positive, p, needed, tuple(sorted(each, key=lambda vote: -abs(vote.probability - 0.5))))
        for p, each in zip(probabilities, votes, strict=True)
    )
