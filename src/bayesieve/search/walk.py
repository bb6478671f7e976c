"""The state that every search shares: where it stands, and what the best move is.

A search asks for the best addition or removal and takes it or not. Answers are journalled, so that a search resumed
from a checkpoint runs the same code and is given the same answers without scoring anything again.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bayesieve.criteria import Criterion
from bayesieve.engine import Engine, Move, add, drop
from bayesieve.exceptions import CheckpointError
from bayesieve.search.checkpoint import Answer, Checkpoint
from bayesieve.search.observer import Observer
from bayesieve.search.path import Phase, SelectionPath, Step, Visit
from bayesieve.search.steps import best_two

__all__ = ["Ground", "StopSearch", "Unit", "Walk"]


class StopSearch(Exception):  # noqa: N818  (a message to the search's driver, not an error)
    """The search must end here, with what it has."""


@dataclass(frozen=True)
class Unit:
    """Columns that move together; most units have one."""

    name: str
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Ground:
    """Where a search may go: units in tie order, its start, what must stay, and why other columns are barred."""

    units: tuple[Unit, ...]
    names: tuple[str, ...]
    start: tuple[int, ...]
    locked: frozenset[int] = frozenset()
    barred: Mapping[int, str] = field(default_factory=dict)

    @property
    def start_size(self) -> int:
        """Number of columns at the start."""
        return sum(len(self.units[u].columns) for u in self.start)


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
        self.selected: list[int] = list(ground.start)
        self.score = engine.reset(self._weights())

    @property
    def size(self) -> int:
        """Number of columns selected."""
        return sum(len(self._ground.units[u].columns) for u in self.selected)

    @property
    def n_columns(self) -> int:
        """Number of columns that could be selected."""
        return sum(len(unit.columns) for unit in self._ground.units)

    @property
    def n_locked(self) -> int:
        """Number of columns that must stay."""
        return sum(len(self._ground.units[u].columns) for u in self._ground.locked)

    def width(self, answer: Answer) -> int:
        """Return the number of columns that an answer would move."""
        return len(self._ground.units[answer.unit].columns)

    def open_phase(self, name: str) -> None:
        """Begin a phase at the present subset."""
        phase = Phase(name, len(self._steps), self._columns(), self.score, tuple(self._engine.segment_scores))
        self._phases.append(phase)
        for observer in self._observers:
            observer.on_phase(phase)

    def best_addition(self, room: int) -> Answer | None:
        """Return the best addition of at most ``room`` columns, None if there is none."""
        chosen = set(self.selected)
        free = [u for u, unit in enumerate(self._ground.units) if u not in chosen and len(unit.columns) <= room]
        return self._best("add", free)

    def best_removal(self, room: int) -> Answer | None:
        """Return the best removal of at most ``room`` columns, None if there is none."""
        loose = [
            u
            for u in sorted(self.selected)
            if u not in self._ground.locked and len(self._ground.units[u].columns) <= room
        ]
        return self._best("drop", loose)

    def take(self, answer: Answer) -> None:
        """Make the move of an answer."""
        unit = self._ground.units[answer.unit]
        self.score = self._engine.apply(_move(answer.action, unit))
        if self.score != answer.score:
            raise CheckpointError("The checkpoint's scores are not those of this data; delete it and start again.")
        if answer.action == "add":
            self.selected.append(answer.unit)
        else:
            self.selected.remove(answer.unit)
        step = self._step(answer, unit)
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
        self.selected = list(dict.fromkeys(unit_of[name] for name in visit.columns))
        self.score = self._engine.reset(self._weights())

    def path(self, criterion: Criterion, *, complete: bool) -> SelectionPath:
        """Return the record so far."""
        return SelectionPath(
            criterion.name, criterion.is_loss, tuple(self._steps), tuple(self._phases), complete=complete
        )

    def save(self) -> None:
        """Write what is known to the checkpoint."""
        states = {type(observer).__name__: observer.state() for observer in self._observers}
        self._checkpoint.write({name: state for name, state in states.items() if state is not None})

    def _best(self, action: str, candidates: Sequence[int]) -> Answer | None:
        if not candidates:
            return None
        known = self._checkpoint.replay()
        if known is None:
            return self._ask(action, candidates)
        if known.action != action or known.unit not in candidates:
            raise CheckpointError("The checkpoint's steps are not those of this search; delete it and start again.")
        if self._checkpoint.exhausted:
            self._resume_observers()
        return known

    def _ask(self, action: str, candidates: Sequence[int]) -> Answer:
        """Have the engine score all candidates."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StopSearch("max_time")
        moves = [_move(action, self._ground.units[u]) for u in candidates]
        scores = self._engine.score(moves)
        for observer in self._observers:
            observer.on_scores(self._subset(), moves, scores)
        best, second = best_two(scores, last=action == "drop")
        runner_up = (None, None) if second is None else (candidates[second], float(scores[second]))
        answer = Answer(action, candidates[best], float(scores[best]), *runner_up)
        self._checkpoint.record(answer)
        if self._checkpoint.due:
            self.save()
        return answer

    def _resume_observers(self) -> None:
        states = self._checkpoint.observer_states
        for observer in self._observers:
            if type(observer).__name__ in states:
                observer.resume(states[type(observer).__name__])

    def _step(self, answer: Answer, unit: Unit) -> Step:
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

    def _columns(self) -> tuple[str, ...]:
        return tuple(self._ground.names[j] for j in self._subset())

    def _weights(self) -> dict[int, float]:
        return dict.fromkeys(self._subset(), 1.0)


def _move(action: str, unit: Unit) -> Move:
    return add(unit.columns) if action == "add" else drop(unit.columns)
