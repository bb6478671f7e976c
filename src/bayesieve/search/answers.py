# SPDX-License-Identifier: BSD-3-Clause
"""Answers to the questions of a search, one record per question; a journal holds them as plain lists.

The first item of a list is the name of the record, or the action of a move.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Final, Protocol

from bayesieve.data.document import Entry

__all__ = ["Answer", "BestMove", "GroupsChosen", "PairsFound", "Pass", "StackWeights", "WeightedMove", "read_answer"]


class Answer(Protocol):
    """A record that a journal can hold."""

    @property
    def plain(self) -> list[Any]:
        """What the journal holds: values of JSON."""
        ...


@dataclass(frozen=True)
class BestMove:
    """The best move at one point of a search: which group, its score, and the runner-up.

    Where moves were tried in turn, ``tried`` holds their scores up to the first accepted one, and ``group`` is None if
    none was accepted; where all scores are needed, it holds those of all candidates.
    """

    action: str
    group: int | None
    score: float
    runner_up: int | None = None
    runner_up_score: float | None = None
    tried: Sequence[float] = ()

    @property
    def plain(self) -> list[Any]:
        """The fields in order."""
        return [self.action, self.group, self.score, self.runner_up, self.runner_up_score, self.tried]

    @classmethod
    def read(cls, entry: Entry) -> "BestMove":
        """Return the move of a list; one of eight items has fitted weights."""
        fields = entry.items()
        if len(fields) not in (6, 8):
            entry.refuse("a list of 6 or 8 values")
        action, group, score, runner_up, runner_up_score, tried = fields[:6]
        move = (
            action.text(),
            group.optional(Entry.position),
            score.real(),
            runner_up.optional(Entry.position),
            runner_up_score.optional(Entry.real),
            tuple(item.real() for item in tried.items()),
        )
        if len(fields) == 6:
            return BestMove(*move)
        start, weights = fields[6:]
        fitted = [_read_weight(item) for item in weights.items()]
        return WeightedMove(*move, start=start.wholes().tolist(), weights=fitted)

    def can_be_best(self, action: str, candidates: Sequence[int]) -> bool:
        """Return whether this can be the answer about candidates of which the best was to be found."""
        runner_up_known = self.runner_up is None or self.runner_up in candidates
        return self.action == action and self.group in candidates and runner_up_known

    def has_all_scores(self, action: str, candidates: Sequence[int]) -> bool:
        """Return whether this can be the answer about candidates all of which were to be scored."""
        return self.can_be_best(action, candidates) and len(self.tried) == len(candidates)

    def can_be_first(self, action: str, candidates: Sequence[int]) -> bool:
        """Return whether this can be the answer about candidates that are tried in turn."""
        n_tried = len(self.tried)
        if self.action != action or not 0 < n_tried <= len(candidates):
            return False
        return n_tried == len(candidates) if self.group is None else self.group == candidates[n_tried - 1]


@dataclass(frozen=True, kw_only=True)
class WeightedMove(BestMove):
    """A move, and the scores per class without columns and the weights of columns that were fitted after it.

    They are integers and multiples of 2^-20, which a text file holds exactly.
    """

    start: Sequence[int]
    weights: Sequence[tuple[int, float]]

    @property
    def plain(self) -> list[Any]:
        """The fields in order."""
        return [*super().plain, self.start, self.weights]


class _Record:
    """A record under a name of its own."""

    name: ClassVar[str]

    @property
    def plain(self) -> list[Any]:
        """The name, then the fields in order."""
        return [self.name, *vars(self).values()]


@dataclass(frozen=True)
class GroupsChosen(_Record):
    """The groups of columns that enter a scorecard next, on all rows, then in each fold (-1: none)."""

    name = "groups chosen"
    groups: Sequence[int]
    log_bayes_factor: float

    @classmethod
    def read(cls, entry: Entry) -> "GroupsChosen":
        """Return the record of a list."""
        _, groups, log_bayes_factor = entry.items(3)
        return cls(groups.wholes().tolist(), log_bayes_factor.real())


@dataclass(frozen=True)
class PairsFound(_Record):
    """Pairs of columns of a scorecard that interact, without each fold and of all rows (last), and their evidence."""

    name = "pairs found"
    pairs: Sequence[Sequence[tuple[int, int]]]
    log_bayes_factors: Sequence[Sequence[float]]

    @classmethod
    def read(cls, entry: Entry) -> "PairsFound":
        """Return the record of a list."""
        _, pairs, factors = entry.items(3)
        of_tables = [[pair.items(2) for pair in own.items()] for own in pairs.items()]
        return cls(
            [[(a.position(), b.position()) for a, b in own] for own in of_tables],
            [[each.real() for each in own.items()] for own in factors.items()],
        )


@dataclass(frozen=True)
class StackWeights(_Record):
    """Weights, centers and intercept of a stack of members, in one list; the shape is that of the centers."""

    name = "stack weights"
    shape: Sequence[int]
    numbers: Sequence[float]

    @classmethod
    def read(cls, entry: Entry) -> "StackWeights":
        """Return the record of a list."""
        _, shape, numbers = entry.items(3)
        n_members, *classes = (item.position() for item in shape.items()) if shape.value else (0,)
        values = numbers.numbers().tolist()
        n_classes = prod(classes)
        if not n_members or len(values) != n_members + n_members * n_classes + n_classes:
            entry.refuse("a shape and as many numbers")
        return cls([n_members, *classes], values)


@dataclass(frozen=True)
class Pass(_Record):
    """The numbers of a model after a pass over all rows."""

    name = "pass"
    numbers: Sequence[float]

    @classmethod
    def read(cls, entry: Entry) -> "Pass":
        """Return the record of a list."""
        _, numbers = entry.items(2)
        return cls(numbers.numbers().tolist())


_NAMED: Final = {record.name: record for record in (GroupsChosen, PairsFound, StackWeights, Pass)}


def read_answer(entry: Entry) -> Answer:
    """Return the record of a list."""
    name, *_ = entry.items() or [entry]
    record = _NAMED.get(name.text())
    return BestMove.read(entry) if record is None else record.read(entry)


def _read_weight(entry: Entry) -> tuple[int, float]:
    column, weight = entry.items(2)
    return column.position(), weight.number()
