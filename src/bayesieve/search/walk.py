"""The state that every search shares: where it stands, and what the best move is.

A search asks for the best addition or removal and takes it or not. Answers are journalled, so that a search resumed
from a checkpoint runs the same code and is given the same answers without scoring anything again.
"""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import Criterion
from bayesieve.engine import Engine
from bayesieve.exceptions import CheckpointError
from bayesieve.search.checkpoint import Answer, Checkpoint
from bayesieve.search.ground import Ground
from bayesieve.search.observer import Observer
from bayesieve.search.path import Phase, SelectionPath, Step, Visit
from bayesieve.search.steps import best_two

__all__ = ["StopSearch", "Walk"]


class StopSearch(Exception):  # noqa: N818  (a message to the search's driver, not an error)
    """The search must end here, with what it has."""


class Walk:
    """A subset that moves over the ground, one unit at a time."""

    def __init__(
        self,
        engine: Engine,
        ground: Ground,
        checkpoint: Checkpoint,
        observers: Sequence[Observer] = (),
        max_time: float | None = None,
    ) -> None:
        self._engine = engine
        self._ground = ground
        self._checkpoint = checkpoint
        self._observers = observers
        self._deadline = None if max_time is None else time.monotonic() + max_time
        self._steps: list[Step] = []
        self._phases: list[Phase] = []
        self.n_columns = int(ground.widths.sum())
        self.n_locked = int(ground.widths[list(ground.locked)].sum())
        self._locked = np.isin(np.arange(len(ground.units)), list(ground.locked))
        self._stand(ground.start)

    @property
    def has_begun(self) -> bool:
        """Whether there is a subset to keep."""
        return bool(self._phases)

    def width(self, answer: Answer) -> int:
        """Return the number of columns that an answer would move."""
        return int(self._ground.widths[answer.unit])

    def open_phase(self, name: str) -> None:
        """Begin a phase at the present subset."""
        columns = tuple(self._ground.names[j] for j in self._subset())
        phase = Phase(name, len(self._steps), columns, self.score, tuple(self._engine.segment_scores))
        self._phases.append(phase)
        for observer in self._observers:
            observer.on_phase(phase)

    def best_addition(self, room: int) -> Answer | None:
        """Return the best addition of at most ``room`` columns, None if there is none."""
        return self._best("add", np.flatnonzero(~self._inside & (self._ground.widths <= room)))

    def best_removal(self, room: int) -> Answer | None:
        """Return the best removal of at most ``room`` columns, None if there is none."""
        return self._best("drop", np.flatnonzero(self._inside & ~self._locked & (self._ground.widths <= room)))

    def take(self, answer: Answer) -> None:
        """Make the move of an answer."""
        self.score = self._engine.apply(self._ground.move(answer.action, answer.unit))
        if self.score != answer.score:
            raise CheckpointError("The checkpoint's scores are not those of this data; delete it and start again.")
        if answer.action == "add":
            self.selected.append(answer.unit)
            self.size += self.width(answer)
        else:
            self.selected.remove(answer.unit)
            self.size -= self.width(answer)
        self._inside[answer.unit] = answer.action == "add"
        step = self._step(answer)
        self._steps.append(step)
        for observer in self._observers:
            observer.on_step(step, len(self._steps))

    def best_of_phase(self, price: float) -> Visit:
        """Return the best subset visited since the phase began; at equal worth the smaller one, then the earlier."""
        visits = list(SelectionPath("", False, tuple(self._steps), (self._phases[-1],)).visits())
        return max(visits, key=lambda visit: (visit.score - price * visit.n_features, -visit.n_features))

    def return_to(self, visit: Visit) -> None:
        """Go back to a subset visited before."""
        unit_of = {self._ground.names[j]: u for u, unit in enumerate(self._ground.units) for j in unit.columns}
        self._stand(list(dict.fromkeys(unit_of[name] for name in visit.columns)))

    def path(self, criterion: Criterion, *, complete: bool) -> SelectionPath:
        """Return the record so far."""
        return SelectionPath(
            criterion.name, criterion.is_loss, tuple(self._steps), tuple(self._phases), complete=complete
        )

    def save(self) -> None:
        """Write what is known to the checkpoint."""
        self._checkpoint.write()

    def _stand(self, units: Sequence[int]) -> None:
        """Select some units, in this order, and nothing else."""
        self.selected = list(units)
        self._inside = np.zeros(len(self._ground.units), dtype=bool)
        self._inside[self.selected] = True
        self.size = int(self._ground.widths[self._inside].sum())
        self.score = self._engine.reset(dict.fromkeys(self._subset(), 1.0))

    def _best(self, action: str, candidates: NDArray[np.intp]) -> Answer | None:
        if not len(candidates):
            return None
        known = self._checkpoint.replay()
        if known is None:
            return self._ask(action, candidates)
        if known.action != action or known.unit not in candidates:
            raise CheckpointError("The checkpoint's steps are not those of this search; delete it and start again.")
        return known

    def _ask(self, action: str, candidates: NDArray[np.intp]) -> Answer:
        """Have the engine score all candidates."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StopSearch("max_time")
        moves = self._ground.moves(action, candidates)
        scores = self._engine.score(moves)
        for observer in self._observers:
            observer.on_scores(self._subset(), moves, scores)
        best, second = best_two(scores, last=action == "drop")
        runner_up = (None, None) if second is None else (int(candidates[second]), float(scores[second]))
        answer = Answer(action, int(candidates[best]), float(scores[best]), *runner_up)
        self._checkpoint.record(answer)
        return answer

    def _step(self, answer: Answer) -> Step:
        unit = self._ground.units[answer.unit]
        return Step(
            action=answer.action,
            column=unit.name,
            score=self.score,
            n_features=self.size,
            runner_up=None if answer.runner_up is None else self._ground.units[answer.runner_up].name,
            runner_up_score=answer.runner_up_score,
            columns=tuple(self._ground.names[j] for j in unit.columns),
            split_scores=tuple(self._engine.segment_scores),
        )

    def _subset(self) -> list[int]:
        return [j for u in self.selected for j in self._ground.units[u].columns]
