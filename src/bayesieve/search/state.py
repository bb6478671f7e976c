"""The state that every search shares: where it stands, and what the best move is.

A search asks for the best addition or removal and takes it or not. Answers are journalled, so that a search resumed
from a checkpoint runs the same code and is given the same answers without scoring anything again.
"""

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import Engine, Moves
from bayesieve.exceptions import CheckpointError
from bayesieve.search.checkpoint import Answer, Checkpoint
from bayesieve.search.observer import Observer
from bayesieve.search.path import Guide, Phase, SelectionPath, Step, Visit
from bayesieve.search.space import FeatureGroup, SearchSpace
from bayesieve.search.ties import best_two
from bayesieve.search.trials import try_in_turn

__all__ = ["SearchState", "StopSearch"]

_OTHER_SEARCH = "The checkpoint's steps are not those of this search; delete it and start again."


class StopSearch(Exception):  # noqa: N818  (a message to the search's driver, not an error)
    """The search must end here, with what it has."""


class SearchState:
    """A subset that moves over the ground, one unit at a time."""

    def __init__(
        self,
        engine: Engine,
        space: SearchSpace,
        checkpoint: Checkpoint,
        observers: Sequence[Observer] = (),
        max_time: float | None = None,
    ) -> None:
        self._engine = engine
        self._space = space
        self._checkpoint = checkpoint
        self._observers = observers
        self._deadline = None if max_time is None else time.monotonic() + max_time
        self._steps: list[Step] = []
        self._phases: list[Phase] = []
        self.n_columns = int(space.widths.sum())
        self.n_locked = int(space.widths[list(space.locked)].sum())
        self._locked = np.isin(np.arange(len(space.groups)), list(space.locked))
        self.n_groups = len(space.groups)
        self.seed = space.seed
        self._stand(space.start)

    @property
    def n_steps(self) -> int:
        """Number of moves made so far."""
        return len(self._steps)

    @property
    def has_begun(self) -> bool:
        """Whether there is a subset to keep."""
        return bool(self._phases)

    def width(self, answer: Answer) -> int:
        """Return the number of columns that an answer would move."""
        return 0 if answer.group is None else int(self._space.widths[answer.group])

    def open_phase(self, name: str) -> None:
        """Begin a phase at the present subset."""
        columns = tuple(self._space.names[j] for j in self._subset())
        phase = Phase(name, len(self._steps), columns, self.score, tuple(self._engine.segment_scores))
        self._phases.append(phase)
        for observer in self._observers:
            observer.on_phase(phase)

    def best_addition(self, room: int) -> Answer | None:
        """Return the best addition of at most ``room`` columns, None if there is none."""
        return self._best("add", np.flatnonzero(~self._inside & (self._space.widths <= room)))

    def best_removal(self, room: int) -> Answer | None:
        """Return the best removal of at most ``room`` columns, None if there is none."""
        return self._best("drop", np.flatnonzero(self._inside & ~self._locked & (self._space.widths <= room)))

    def first_that_pays(self, action: str, order: NDArray[np.intp], room: int, price: float) -> Answer | None:
        """Return the first move, of units in this order, that brings more than the price of its columns.

        Units that cannot move, or have more than ``room`` columns, are passed over.
        """
        movable = ~self._inside if action == "add" else self._inside & ~self._locked
        candidates = order[(movable & (self._space.widths <= room))[order]]
        if not len(candidates):
            return None
        found = self._checkpoint.replay()
        if found is None:
            found = self._try(action, candidates, price)
        elif not found.can_be_first(action, candidates.tolist()):
            raise CheckpointError(_OTHER_SEARCH)
        self._tell(action, candidates[: len(found.tried)], found.tried)
        return None if found.group is None else found

    def take(self, answer: Answer) -> None:
        """Make the move of an answer."""
        if answer.group is None:
            raise ValueError("There is no move to make.")
        self.score = self._engine.apply(self._space.move(answer.action, answer.group))
        if self.score != answer.score:
            raise CheckpointError("The checkpoint's scores are not those of this data; delete it and start again.")
        if answer.action == "add":
            self.selected.append(answer.group)
            self.size += self.width(answer)
        else:
            self.selected.remove(answer.group)
            self.size -= self.width(answer)
        self._inside[answer.group] = answer.action == "add"
        step = self._step(answer, self._space.groups[answer.group])
        self._steps.append(step)
        for observer in self._observers:
            observer.on_step(step, len(self._steps))

    def best_of_phase(self, price: float) -> Visit:
        """Return the best subset visited since the phase began; at equal worth the smaller one, then the earlier."""
        return SelectionPath("", False, tuple(self._steps), tuple(self._phases[-1:])).best(price)

    def best_visit(self, price: float) -> Visit:
        """Return the best subset visited in any phase, by the same rule."""
        return SelectionPath("", False, tuple(self._steps), tuple(self._phases)).best(price)

    def start_again(self) -> None:
        """Go back to where the search started."""
        self._stand(self._space.start)

    def return_to(self, visit: Visit) -> None:
        """Go back to a subset visited before."""
        group_of = {self._space.names[j]: u for u, group in enumerate(self._space.groups) for j in group.columns}
        self._stand(list(dict.fromkeys(group_of[name] for name in visit.columns)))

    def path(self, guide: Guide, *, complete: bool) -> SelectionPath:
        """Return the record so far."""
        return SelectionPath(guide.name, guide.is_loss, tuple(self._steps), tuple(self._phases), complete=complete)

    def save(self) -> None:
        """Write what is known to the checkpoint."""
        self._checkpoint.write()

    def _stand(self, groups: Sequence[int]) -> None:
        """Select some units, in this order, and nothing else."""
        self.selected = list(groups)
        self._inside = np.zeros(len(self._space.groups), dtype=bool)
        self._inside[self.selected] = True
        self.size = int(self._space.widths[self._inside].sum())
        self.score = self._engine.reset(dict.fromkeys(self._subset(), 1.0))

    def _best(self, action: str, candidates: NDArray[np.intp]) -> Answer | None:
        if not len(candidates):
            return None
        found = self._checkpoint.replay()
        if found is None:
            found = self._ask(action, candidates)
        elif found.action != action or found.group not in candidates:
            raise CheckpointError(_OTHER_SEARCH)
        known = {found.group: found.score, found.runner_up: found.runner_up_score}
        exact = {group: score for group, score in known.items() if group is not None and score is not None}
        self._tell(action, np.array(list(exact), dtype=np.intp), list(exact.values()))
        return found

    def _try(self, action: str, candidates: NDArray[np.intp], price: float) -> Answer:
        """Have the engine score candidates in turn until one pays."""
        here, sign = self.score, 1 if action == "add" else -1
        prices = (sign * price * self._space.widths[candidates]).tolist()
        moves = self._space.moves(action, candidates)
        tried, pays = try_in_turn(partial(self._score, exact=True), moves, lambda i, score: score - here > prices[i])
        group = int(candidates[len(tried) - 1]) if pays else None
        answer = Answer(action, group, tried[-1], tried=tried)
        self._checkpoint.record(answer)
        return answer

    def _tell(self, action: str, groups: NDArray[np.intp], scores: Sequence[float]) -> None:
        """Tell observers of exact scores."""
        if self._observers:
            subset, moves = self._subset(), self._space.moves(action, groups)
            for observer in self._observers:
                observer.on_trials(subset, moves, scores)

    def _score(self, moves: Moves, *, exact: bool = False) -> NDArray[np.float64]:
        """Have the engine score a new batch, if there is time."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StopSearch("max_time")
        scores = self._engine.score(moves, exact=exact)
        for observer in self._observers:
            observer.on_scores(self._subset(), moves, scores)
        return scores

    def _ask(self, action: str, candidates: NDArray[np.intp]) -> Answer:
        """Have the engine score all candidates."""
        scores = self._score(self._space.moves(action, candidates))
        best, second = best_two(scores, last=action == "drop")
        runner_up = (None, None) if second is None else (int(candidates[second]), float(scores[second]))
        answer = Answer(action, int(candidates[best]), float(scores[best]), *runner_up)
        self._checkpoint.record(answer)
        return answer

    def _step(self, answer: Answer, group: FeatureGroup) -> Step:
        return Step(
            action=answer.action,
            column=group.name,
            score=self.score,
            n_features=self.size,
            runner_up=None if answer.runner_up is None else self._space.groups[answer.runner_up].name,
            runner_up_score=answer.runner_up_score,
            columns=tuple(self._space.names[j] for j in group.columns),
            split_scores=tuple(self._engine.segment_scores),
        )

    def _subset(self) -> list[int]:
        return [j for u in self.selected for j in self._space.groups[u].columns]
