# SPDX-License-Identifier: BSD-3-Clause
"""The record of a search: every step, every subset visited, and what columns gain."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, sqrt
from typing import Any

from bayesieve._typing import Floats
from bayesieve.data import build_frame
from bayesieve.data.files.output import html_table
from bayesieve.exceptions import ParameterError
from bayesieve.search.space import Stopping

__all__ = ["Exclusion", "Gains", "Guide", "KeptShare", "Phase", "SelectionPath", "Step", "Visit"]


@dataclass(frozen=True)
class Guide:
    """Name of the score that guides a search, and whether its natural value is the negated score."""

    name: str
    is_loss: bool = False

    def natural(self, score: float) -> float:
        """Return the natural value of a score."""
        return -score if self.is_loss else score


@dataclass(frozen=True)
class Step:
    """One move of the search.

    ``score`` is larger-is-better.
    ``split_scores`` are the scores on the segments (folds), of which ``score`` is the mean.
    ``choice`` and ``choice_splits`` are the same by the criterion that chooses, if that is not the one that guides.
    """

    action: str
    column: str
    score: float
    n_features: int
    runner_up: str | None
    runner_up_score: float | None
    columns: tuple[str, ...]
    split_scores: tuple[float, ...]
    choice: float | None = None
    choice_splits: tuple[float, ...] = ()


@dataclass(frozen=True)
class Phase:
    """A part of the search that starts again from a subset visited before."""

    name: str
    first_step: int
    columns: tuple[str, ...]
    score: float
    split_scores: tuple[float, ...]
    choice: float | None = None
    choice_splits: tuple[float, ...] = ()


@dataclass(frozen=True)
class Visit:
    """A subset that was scored: columns in the order in which they entered.

    ``score`` guided the search; visits are compared by ``value``, which may be by another criterion.
    """

    columns: tuple[str, ...]
    score: float
    split_scores: tuple[float, ...]
    step: int | None
    choice: float | None = None
    choice_splits: tuple[float, ...] = ()

    @property
    def value(self) -> float:
        """The score by which it is chosen."""
        return self.score if self.choice is None else self.choice

    @property
    def value_splits(self) -> tuple[float, ...]:
        """The scores on the segments, of which ``value`` is the mean."""
        return self.split_scores if self.choice is None else self.choice_splits

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def worth(self, price: float) -> tuple[float, int]:
        """Return what visits are compared by: the score after the price of the columns, then how few they are.

        The price is in units of the criterion that guides: another one chooses without it.
        """
        return self.value - (price * self.n_features if self.choice is None else 0.0), -self.n_features


@dataclass(frozen=True, repr=False)
class SelectionPath:
    """How a selection came about.

    Attributes
    ----------
    criterion : str
        Name of the criterion that guided the search.
    is_loss : bool
        Whether the criterion's natural value is the negated score.
    steps : tuple of Step
        Every move made.
    phases : tuple of Phase
        Where the search started, and started again.
    order : tuple of str
        The selected columns in the order in which they entered.
    complete : bool
        False if the search was interrupted or ran out of time.
    biased : bool
        True: scores guided the choice, so they are optimistic, even where they come from held-out rows.
    """

    criterion: str
    is_loss: bool
    steps: tuple[Step, ...]
    phases: tuple[Phase, ...]
    order: tuple[str, ...] = ()
    complete: bool = True
    backend: str | None = field(default=None, repr=False)
    biased: bool = True

    def __repr__(self) -> str:
        state = "" if self.complete else ", stopped early"
        return f"SelectionPath({self.criterion}: {len(self.steps)} steps{state}; selected: {_first(self.order)})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self._columns())

    @property
    def scores(self) -> tuple[float, ...]:
        """Score after each step."""
        return tuple(step.score for step in self.steps)

    @property
    def values(self) -> tuple[float, ...]:
        """The criterion's natural value after each step."""
        return tuple(-score if self.is_loss else score for score in self.scores)

    def visits(self) -> Iterator[Visit]:
        """Yield every subset visited, in order; a phase begins with the subset it starts from."""
        ends = [*(phase.first_step for phase in self.phases[1:]), len(self.steps)]
        for phase, end in zip(self.phases, ends, strict=True):
            columns = phase.columns
            yield Visit(columns, phase.score, phase.split_scores, None, phase.choice, phase.choice_splits)
            for i in range(phase.first_step, end):
                step = self.steps[i]
                if step.action == "add":
                    columns = (*columns, *step.columns)
                else:
                    columns = tuple(column for column in columns if column not in step.columns)
                yield Visit(columns, step.score, step.split_scores, i, step.choice, step.choice_splits)

    def best_by_size(self) -> dict[int, Visit]:
        """Return the best visit of each size, earliest on ties, by increasing size."""
        best: dict[int, Visit] = {}
        for visit in self.visits():
            if visit.n_features not in best or visit.value > best[visit.n_features].value:
                best[visit.n_features] = visit
        return dict(sorted(best.items()))

    def best(self, price: float) -> Visit:
        """Return the visit of the best score after the price of its columns; of equals the smaller, the earlier."""
        return max(self.visits(), key=lambda visit: visit.worth(price))

    def choose(self, stopping: Stopping, *, one_se: bool = False) -> Visit:
        """Return the visit with the best score after the price of its columns; at equal worth the smaller, the earlier.

        With ``one_se``, the smallest visit whose score is within one standard error (over the segments) of that one's.
        """
        visits = list(self.visits())
        # An interrupted search may not have reached the sizes asked for: then the best of all visits.
        eligible = [v for v in visits if stopping.smallest <= v.n_features <= stopping.largest] or visits
        best = max(eligible, key=lambda visit: visit.worth(stopping.price))
        if not one_se or not isfinite(best.value):
            return best
        from statistics import stdev  # a module of rational numbers, which only this needs

        enough = best.value - stdev(best.value_splits) / sqrt(len(best.value_splits))
        return min((v for v in eligible if v.value >= enough), key=lambda v: (v.n_features, -v.value))

    def of_size(self, k: int) -> Visit:
        """Return the best visit of size k; raise if there is none."""
        best = self.best_by_size()
        if k not in best:
            sizes = _ranges(list(best))
            raise ParameterError(f"The path has subsets of {sizes} columns; fit with n_features={k} for one of {k}.")
        return best[k]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that serializes to JSON."""
        return {
            "criterion": self.criterion,
            "is_loss": self.is_loss,
            "complete": self.complete,
            "order": list(self.order),
            "phases": [_plain(phase) for phase in self.phases],
            "steps": [_plain(step) for step in self.steps],
        }

    def to_frame(self) -> Any:
        """Return one row per step, in the library of the input table; the criterion has its natural value."""
        return build_frame(self._columns(), self.backend)

    def _columns(self) -> dict[str, list[Any]]:
        shown = ("action", "column", "n_features", "runner_up")
        columns: dict[str, list[Any]] = {name: [getattr(step, name) for step in self.steps] for name in shown}
        first = {name: columns.pop(name) for name in ("action", "column")}
        return {**first, self.criterion: list(self.values), **columns}


def _first(names: Sequence[str]) -> str:
    """Write the first names, and how many there are."""
    more = f", … ({len(names)} columns)" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more if names else "no column"


def _plain(record: Step | Phase) -> dict[str, Any]:
    """Return a record as a dict; scores of a second criterion only where there is one."""
    plain = asdict(record)
    if record.choice is None:
        del plain["choice"], plain["choice_splits"]
    return plain


def _ranges(sizes: Sequence[int]) -> str:
    """Write 0, 1, 2, 5 as '0-2, 5'."""
    runs: list[list[int]] = []
    for size in sizes:
        if runs and size == runs[-1][1] + 1:
            runs[-1][1] = size
        else:
            runs.append([size, size])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


@dataclass(frozen=True)
class Gains:
    """What columns gain, each number larger-is-better and in the criterion's units.

    Attributes
    ----------
    empty : float
        The score of no column.
    alone : array of shape (n_groups,)
        The score of each group alone.
    given_others : array of shape (n_groups,)
        What each adds to the other selected ones.
    """

    empty: float
    alone: Floats
    given_others: Floats


@dataclass(frozen=True)
class KeptShare:
    """How much of the gain of the largest size on the path, which mostly has all columns, another size keeps.

    Attributes
    ----------
    n_features : int
        The size.
    share : float
        Gain of its out-of-fold loss over class frequencies, as a share of the gain of the largest size; above 1 where
        fewer columns are better.
    standard_error : float
        That of the share, from the losses of single rows.
    """

    n_features: int
    share: float
    standard_error: float


@dataclass(frozen=True)
class Exclusion:
    """Why a column was left out, where the method knows more than its gain.

    Attributes
    ----------
    reason : str
        The reason.
    copy_of : str or None
        The column that has the same bins.
    """

    reason: str
    copy_of: str | None = None
