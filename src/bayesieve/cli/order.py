"""What the options of a fit ask for, wherever the rows are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.classes import find_positive
from bayesieve.cli.goals import Goal, check_goal, wanted_threshold
from bayesieve.data import resolve_columns
from bayesieve.exceptions import ParameterError
from bayesieve.report import Question

__all__ = ["Order"]


@dataclass(frozen=True)
class Order:
    """Options of ``bayesieve fit``, by their names there; ``command`` is what was typed."""

    target: str
    goal: Goal
    positive: str | None
    floor: float | None
    cost: float | None
    amount: str | None
    keep: Sequence[str]
    drop: Sequence[str]
    max_features: int | None
    folds: int
    time_limit: float | None
    command: str

    def looked_for(self, classes: Sequence[Any], counts: Sequence[int]) -> Any:
        """Return the class that is looked for; None where there are more than two."""
        if self.positive is not None and len(classes) != 2:
            raise ParameterError(f"--positive is for two classes; this target has {len(classes)}.")
        place = find_positive(self.positive, classes, counts)
        return None if place is None else classes[place]

    def question(self, positive: Any, n_classes: int, amount: float | None, **source: Any) -> Question:
        """Return what was asked; ``source`` tells of what."""
        promised = check_goal(self.goal, n_classes, self.floor, self.cost, amount)
        return Question(
            self.target, self.goal.value, positive, promised, self.cost, amount, command=self.command, **source
        )

    def classifier(
        self, question: Question, names: Sequence[str], n_fits: int, hidden: str | None = None, **more: Any
    ) -> SelectiveNaiveBayes:
        """Return a classifier that answers; ``hidden`` is a column that must not be used, ``more`` are parameters."""
        kept, dropped = (
            [names[j] for j in resolve_columns(list(each), names, option)]
            for each, option in ((self.keep, "--keep"), (self.drop, "--drop"))
        )
        return SelectiveNaiveBayes(
            n_features="auto" if self.max_features is None else (0, self.max_features),
            threshold=wanted_threshold(self.goal, question.floor, self.cost, question.amount),
            pos_label=question.positive,
            keep=kept or None,
            drop=[*dropped, *([] if hidden is None or hidden in dropped else [hidden])] or None,
            max_time=None if self.time_limit is None else self.time_limit / n_fits,
            n_jobs=-1,
            **more,
        )
