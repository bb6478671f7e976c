# SPDX-License-Identifier: BSD-3-Clause
"""What a search is, and the state that every search shares: the present subset, and the best move from it.

A search is a function of a state and a stopping rule. It asks for the best addition or removal and takes it or not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.answers import BestMove
from bayesieve.search.candidates import best_two, random_orders, try_in_turn
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine import Engine, Moves
from bayesieve.search.path import Guide, Phase, SelectionPath, Step, Visit
from bayesieve.search.run import SearchRun
from bayesieve.search.space import FeatureGroup, SearchSpace, Stopping

__all__ = ["Search", "SearchState", "run_search"]


class SearchState:
    """A subset of the columns that changes by one group at a time.

    Parameters
    ----------
    engine : Engine
        Scores the moves.
    space : SearchSpace
        The groups of columns, and the subset at the start.
    run : SearchRun, default=None
        The run that records the steps; a run without time limit, observers and checkpoint by default.
    chooser : Engine, default=None
        Scores the subsets that are visited by the criterion that chooses among them; by default that is the engine's.
    """

    def __init__(
        self, engine: Engine, space: SearchSpace, run: SearchRun | None = None, chooser: Engine | None = None
    ) -> None:
        self._engine = engine
        self._chooser = chooser
        self._space = space
        self.run = SearchRun() if run is None else run
        self.n_columns = int(space.widths.sum())
        self.n_locked = int(space.widths[list(space.locked)].sum())
        self._locked = np.isin(np.arange(len(space.groups)), list(space.locked))
        self.n_groups = len(space.groups)
        self._select(space.start)

    def random_orders(self) -> Iterator[NDArray[np.intp]]:
        """Yield random orders of the groups, without end; places in the table do not decide them."""
        groups = self._space.groups_by_content
        return (groups[order] for order in random_orders(self.n_groups, self._space.seed))

    @property
    def n_steps(self) -> int:
        """Number of moves made so far."""
        return len(self.run.steps)

    def width(self, answer: BestMove) -> int:
        """Return the number of columns that an answer would move."""
        return 0 if answer.group is None else int(self._space.widths[answer.group])

    def open_phase(self, name: str) -> None:
        """Begin a phase at the present subset."""
        columns = tuple(self._space.names[j] for j in self._subset())
        splits = tuple(self._engine.segment_scores)
        self.run.open_phase(Phase(name, self.n_steps, columns, self.score, splits, *self._chosen_by()))

    def best_addition(self, room: int) -> BestMove | None:
        """Return the best addition of at most ``room`` columns, None if there is none."""
        return self._best("add", np.flatnonzero(~self._inside & (self._space.widths <= room)))

    def best_removal(self, room: int) -> BestMove | None:
        """Return the best removal of at most ``room`` columns, None if there is none."""
        return self._best("drop", np.flatnonzero(self._inside & ~self._locked & (self._space.widths <= room)))

    def additions(self, room: int) -> list[BestMove]:
        """Return every addition of at most ``room`` columns with its exact score, in tie order."""
        candidates = np.flatnonzero(~self._inside & (self._space.widths <= room))
        if not len(candidates):
            return []
        answer = self.run.answer(
            BestMove,
            lambda stored: stored.has_all_scores("add", candidates.tolist()),
            lambda: self._score_all("add", candidates, exact=True),
        )
        self._show("add", candidates, answer.tried)
        return [BestMove("add", g, score) for g, score in zip(candidates.tolist(), answer.tried, strict=True)]

    def first_that_pays(self, action: str, order: NDArray[np.intp], room: int, price: float) -> BestMove | None:
        """Return the first move, of groups in this order, that gains more than the price of its columns.

        Groups that cannot move, or have more than ``room`` columns, are passed over.
        """
        movable = ~self._inside if action == "add" else self._inside & ~self._locked
        candidates = order[(movable & (self._space.widths <= room))[order]]
        if not len(candidates):
            return None
        answer = self.run.answer(
            BestMove,
            lambda stored: stored.can_be_first(action, candidates.tolist()),
            lambda: self._try(action, candidates, price),
        )
        self._show(action, candidates[: len(answer.tried)], answer.tried)
        return None if answer.group is None else answer

    def take(self, answer: BestMove) -> None:
        """Make the move of an answer."""
        if answer.group is None:
            raise ValueError("There is no move to make.")
        move = self._space.move(answer.action, answer.group)
        self.score = self._engine.apply(move)
        self.run.confirm(answer, self.score)
        if self._chooser is not None:
            self._choice = self._chooser.apply(move)
        if answer.action == "add":
            self.selected.append(answer.group)
            self.size += self.width(answer)
        else:
            self.selected.remove(answer.group)
            self.size -= self.width(answer)
        self._inside[answer.group] = answer.action == "add"
        self.run.record(self._step(answer, self._space.groups[answer.group]))

    def best_of_phase(self, price: float) -> Visit:
        """Return the best subset visited since the phase began; at equal worth the smaller one, then the earlier."""
        return SelectionPath("", False, tuple(self.run.steps), tuple(self.run.phases[-1:])).best(price)

    def best_visit(self, price: float) -> Visit:
        """Return the best subset visited in any phase, by the same rule."""
        return SelectionPath("", False, tuple(self.run.steps), tuple(self.run.phases)).best(price)

    def start_again(self) -> None:
        """Go back to where the search started."""
        self._select(self._space.start)

    def go_to(self, groups: Sequence[int]) -> None:
        """Select some groups, in this order, and nothing else."""
        self._select(groups)

    def return_to(self, visit: Visit) -> None:
        """Go back to a subset visited before."""
        group_of = {self._space.names[j]: u for u, group in enumerate(self._space.groups) for j in group.columns}
        self._select(list(dict.fromkeys(group_of[name] for name in visit.columns)))

    def _select(self, groups: Sequence[int]) -> None:
        """Select some groups, in this order, and nothing else."""
        self.selected = list(groups)
        self._inside = np.zeros(len(self._space.groups), dtype=bool)
        self._inside[self.selected] = True
        self.size = int(self._space.widths[self._inside].sum())
        weights = dict.fromkeys(self._subset(), 1.0)
        self.score = self._engine.reset(weights)
        if self._chooser is not None:
            self._choice = self._chooser.reset(weights)

    def _chosen_by(self) -> tuple[float | None, tuple[float, ...]]:
        """Return the score of the present subset by the criterion that chooses, and its scores on the segments."""
        return (None, ()) if self._chooser is None else (self._choice, tuple(self._chooser.segment_scores))

    def _best(self, action: str, candidates: NDArray[np.intp]) -> BestMove | None:
        if not len(candidates):
            return None
        answer = self.run.answer(
            BestMove,
            lambda stored: stored.can_be_best(action, candidates.tolist()),
            lambda: self._score_all(action, candidates),
        )
        best_moves = {answer.group: answer.score, answer.runner_up: answer.runner_up_score}
        exact = {group: score for group, score in best_moves.items() if group is not None and score is not None}
        self._show(action, np.array(list(exact), dtype=np.intp), list(exact.values()))
        return answer

    def _score_all(self, action: str, candidates: NDArray[np.intp], *, exact: bool = False) -> BestMove:
        """Have the engine score all candidates; the answer has all scores if they are to be exact."""
        scores = self.run.score(self._engine, self._space.moves(action, candidates), self._subset, exact=exact)
        best, second = best_two(scores, last=action == "drop")
        runner_up = (None, None) if second is None else (int(candidates[second]), float(scores[second]))
        answer = BestMove(action, int(candidates[best]), float(scores[best]), *runner_up)
        return replace(answer, tried=scores.tolist()) if exact else answer

    def _try(self, action: str, candidates: NDArray[np.intp], price: float) -> BestMove:
        """Have the engine score candidates in turn until one gains more than its price."""
        here = self.score
        sign = 1 if action == "add" else -1
        prices = (sign * price * self._space.widths[candidates]).tolist()

        def score(moves: Moves) -> NDArray[np.float64]:
            return self.run.score(self._engine, moves, self._subset, exact=True)

        moves = self._space.moves(action, candidates)
        tried, accepted = try_in_turn(score, moves, lambda i, reached: reached - here > prices[i])
        group = int(candidates[len(tried) - 1]) if accepted else None
        return BestMove(action, group, tried[-1], tried=tried)

    def _show(self, action: str, groups: NDArray[np.intp], scores: Sequence[float]) -> None:
        """Show observers exact scores."""
        self.run.show_trials(self._subset, lambda: self._space.moves(action, groups), scores)

    def _step(self, answer: BestMove, group: FeatureGroup) -> Step:
        choice, choice_splits = self._chosen_by()
        return Step(
            action=answer.action,
            column=group.name,
            score=self.score,
            n_features=self.size,
            runner_up=None if answer.runner_up is None else self._space.groups[answer.runner_up].name,
            runner_up_score=answer.runner_up_score,
            columns=tuple(self._space.names[j] for j in group.columns),
            split_scores=tuple(self._engine.segment_scores),
            choice=choice,
            choice_splits=choice_splits,
        )

    def _subset(self) -> list[int]:
        return [j for u in self.selected for j in self._space.groups[u].columns]


@dataclass(frozen=True)
class Search:
    """A search procedure, whether it starts from all columns or from none, and its length if that is fixed.

    A search in random orders also has its number of starts, a function of the numbers of columns and of rows.
    """

    procedure: Callable[[SearchState, Stopping], None]
    starts_full: bool = False
    n_steps: Callable[[SearchSpace, Stopping], int] | None = None
    n_starts: Callable[[int, float], int] | None = None


def run_search(search: Search, state: SearchState, stopping: Stopping, guide: Guide | Criterion) -> SelectionPath:
    """Run a search from a state; return its record."""
    state.run.drive(lambda: search.procedure(state, stopping))
    return state.run.path(guide)
