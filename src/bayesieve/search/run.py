# SPDX-License-Identifier: BSD-3-Clause
"""One run of a search: its deadline, Ctrl-C, observers, record and journal.

Subset searches, weights and boosting are driven by the same object, and see none of this themselves. Answers are
journaled, so that a run resumed from a checkpoint executes the same code and gets the same answers without computing
them again.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import CheckpointError, InterruptedSearchWarning
from bayesieve.search.answers import Answer, BestMove
from bayesieve.search.checkpoint import Checkpoint
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine import Engine, Move, Moves
from bayesieve.search.path import Guide, Phase, SelectionPath, Step

__all__ = ["Observer", "SearchRun", "StopSearch", "before_result"]


class Observer:
    """Sees every new batch of scores and every step, replayed ones included; by default nothing is done with them."""

    def on_scores(self, subset: Sequence[int], moves: Sequence[Move], scores: NDArray[np.float64]) -> None:
        """See the scores of a batch of moves from a subset of columns; ``subset`` is in entry order."""

    def on_trials(self, subset: Sequence[int], moves: Sequence[Move], scores: Sequence[float]) -> None:
        """See moves whose scores are exact, replayed ones included: the best two of a batch, or those tried in turn."""

    def on_phase(self, phase: Phase) -> None:
        """See a phase begin."""

    def on_step(self, step: Step, n_steps: int) -> None:
        """See a step that was made; may raise StopSearch."""


Record = TypeVar("Record", bound=Answer)


@contextmanager
def before_result() -> Iterator[None]:
    """Let Ctrl-C inside state that there is no result yet."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Interrupted before there was a result; nothing was fitted.") from None


class StopSearch(Exception):  # noqa: N818  (a message to the search's driver, not an error)
    """The search must end here, with what it has."""


class SearchRun:
    """Drives the stages of a search to their end, to Ctrl-C, or to the end of the time.

    Parameters
    ----------
    checkpoint : Checkpoint, default=None
        The journal; by default there is none.
    observers : sequence of Observer, default=()
        Are shown phases, scores and steps.
    max_time : float, default=None
        Seconds from now, for all stages together.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None = None,
        observers: Sequence[Observer] = (),
        max_time: float | None = None,
    ) -> None:
        self._checkpoint = checkpoint
        self._observers = list(observers)
        self._deadline = None if max_time is None else time.monotonic() + max_time
        self.steps: list[Step] = []
        self.phases: list[Phase] = []
        self.has_result = False
        self.complete = True

    def drive(self, *stages: Callable[[], None]) -> None:
        """Execute stages in turn; Ctrl-C and the end of the time keep the result so far."""
        try:
            with self.journal():
                for stage in stages:
                    stage()
        except StopSearch:
            self.complete = False
        except KeyboardInterrupt:
            if not self.has_result:
                with before_result():
                    raise
            self.complete = False
            warnings.warn(
                "The search was interrupted; the best result so far was kept. A second Ctrl-C stops at once.",
                InterruptedSearchWarning,
                stacklevel=2,
            )

    @contextmanager
    def journal(self) -> Iterator[None]:
        """Write the checkpoint at the end of a block of code, also where that is an error: lost rows, for instance."""
        try:
            yield
        except CheckpointError:
            raise
        except BaseException:
            self._write()
            raise
        self._write()

    def _write(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.write()

    def answer(self, record: type[Record], fits: Callable[[Record], bool], compute: Callable[[], Record]) -> Record:
        """Return the journal's next answer if there is one, which must fit the question; else a new one.

        The question expects a type of record, and ``fits`` tells whether one of this type can be the answer.

        After a run was stopped the journal is closed: a resumed run asks other questions at this point.
        """
        if self._checkpoint is None or not self.complete:
            return compute()
        stored = self._checkpoint.replay()
        if stored is None:
            computed = compute()
            if self.complete:
                self._checkpoint.record(computed)
            return computed
        if not (isinstance(stored, record) and fits(stored)):
            raise CheckpointError("The checkpoint's steps are not those of this search; delete it and start again.")
        return stored

    def confirm(self, answer: BestMove, score: float) -> None:
        """Raise if the score reached is not the one of the answer: the journal is of other data."""
        if score != answer.score:
            raise CheckpointError("The checkpoint's scores are not those of this data; delete it and start again.")

    def check_time(self) -> None:
        """End the search if its time is over."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StopSearch("max_time")

    def score(
        self, engine: Engine, moves: Moves, subset: Callable[[], Sequence[int]], *, exact: bool = False
    ) -> NDArray[np.float64]:
        """Return an engine's scores of a new batch of moves, if there is time."""
        self.check_time()
        scores = engine.score(moves, exact=exact)
        for observer in self._observers:
            observer.on_scores(subset(), moves, scores)
        return scores

    def watch(self, observer: Observer) -> None:
        """Add an observer."""
        self._observers.append(observer)

    def show_trials(
        self, subset: Callable[[], Sequence[int]], moves: Callable[[], Sequence[Move]], scores: Sequence[float]
    ) -> None:
        """Show observers moves whose scores are exact."""
        if self._observers:
            from_subset = subset()
            trials = moves()
            for observer in self._observers:
                observer.on_trials(from_subset, trials, scores)

    def open_phase(self, phase: Phase) -> None:
        """Record the beginning of a phase."""
        self.phases.append(phase)
        self.has_result = True
        for observer in self._observers:
            observer.on_phase(phase)

    def record(self, step: Step) -> None:
        """Add a step to the record."""
        self.steps.append(step)
        for observer in self._observers:
            observer.on_step(step, len(self.steps))

    def path(self, guide: Guide | Criterion) -> SelectionPath:
        """Return the record so far; its scores are those of the guide."""
        return SelectionPath(guide.name, guide.is_loss, tuple(self.steps), tuple(self.phases), complete=self.complete)
