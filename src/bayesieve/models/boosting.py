# SPDX-License-Identifier: BSD-3-Clause
"""Boosting as a model: the state of a row and its log-odds, while it is trained and when it is fitted.

A column is not one table that is added or taken away: its step depends on the rows' state when it enters. So tables
of `Boosting` hold no scores, only their sizes; ``search/engine/gradients/boosting.py`` computes the steps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Partition, with_classes
from bayesieve.models.boosters import BOOSTERS, Booster
from bayesieve.models.model import Evidence, Tables
from bayesieve.models.scorecard import PairCodes, Scorecard

__all__ = ["BoostedModel", "Boosting"]


@dataclass(frozen=True)
class Boosting:
    """A way to boost, the share of each step that is taken, the pseudo-count of a code, and whether columns repeat."""

    method: str = "confidence"
    shrinkage: float = 1.0
    pseudo_count: float = 1.0
    replace: bool = False
    kernel: ClassVar[str] = "boosting"
    adds_evidence: ClassVar[bool] = False

    @property
    def booster(self) -> Booster:
        """The formulas."""
        return BOOSTERS[self.method]

    def kernel_arguments(self, n_columns: int) -> Ints:
        """Return none."""
        return np.empty(0, dtype=np.int64)

    def learn(
        self,
        counts: Ints,
        offsets: Ints,
        mass: Ints,
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return tables of zeros."""
        return Tables(self.start(mass, unit), np.zeros((int(offsets[-1]), 1), dtype=np.int64), offsets)

    def start(self, mass: Ints, unit: float) -> Ints:
        """Return the state of a row before any column contributes, in an array of one."""
        return np.array([self.booster.start(float(mass[1]) / float(int(mass.sum())))], dtype=np.int64)

    def idle(self, tables: Tables, counts: Ints, unit: float) -> NDArray[np.bool_]:
        """Return none: where a single bin is optimal, the partition has one bin."""
        return np.zeros(len(tables.offsets) - 1, dtype=bool)

    def refuse(self, tables: Tables) -> None:
        """Refuse nothing: a step is small relative to the range of a state."""

    def begin(self, start: Ints, n_rows: int) -> Ints:
        """Return the states of rows to which no column contributes."""
        return np.full(n_rows, start[0], dtype=np.int64)

    def shift(self, state: Ints, j: int, table: NDArray[Any], codes: NDArray[Any], before: float, after: float) -> Ints:
        """Return the state after the step of a column."""
        if (before, after) != (0.0, 1.0):
            raise ValueError("A boosted model adds whole columns.")
        shifted: Ints = state + table[codes]
        return shifted

    def predictions(self, state: Ints) -> Evidence:
        """Return the states as evidence of two classes."""
        return Evidence(np.stack([np.zeros_like(state), self.booster.log_odds(state)]))


@dataclass(frozen=True, repr=False)
class BoostedModel(Scorecard):
    """Columns in the order in which they entered.

    ``start`` has one entry, the state of a row before any step, and a score table one entry per bin: what the steps of
    its column add to that state. The booster turns states into log-odds, which need not be additive.

    Attributes
    ----------
    boosting : Boosting
        How states become log-odds.
    """

    boosting: Boosting = field(default_factory=Boosting)

    def of_classes(self, class_numbers: NDArray[np.intp]) -> Self:
        """Return the same model with its classes in another order: a state is of the second one."""
        if (class_numbers == np.arange(2)).all():
            return self
        return replace(
            self,
            classes=self.classes[class_numbers],
            start=self.boosting.booster.of_other_class - self.start,
            tables=tuple(
                replace(
                    each,
                    partition=with_classes(each.partition, class_numbers),
                    table=-each.table,
                    counts=None if each.counts is None else each.counts[:, class_numbers],
                )
                for each in self.tables
            ),
            class_mass=self.class_mass[::-1],
        )

    def additive(self) -> Scorecard | None:
        """Return the log-odds of each bin as scores of the second class; None if they do not add up."""
        booster = self.boosting.booster
        if not booster.is_additive:
            return None
        tables = tuple(replace(each, table=_two_classes(booster.log_odds(each.table))) for each in self.tables)
        start = _two_classes(booster.log_odds(self.start))[0]
        return Scorecard(self.classes, start, tables, self.class_mass, self.laplace)

    def evidence(self, n_rows: int, codes: Iterable[NDArray[Any]], pair_codes: Iterable[PairCodes] = ()) -> Evidence:
        """Add up the steps of some rows, given the codes of each table's column; there are no pairs."""
        state = self.boosting.begin(self.start, n_rows)
        for table, coded in zip(self.tables, codes, strict=True):
            state = state + table.table[coded]
        return self.boosting.predictions(state)


def _two_classes(log_odds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return log-odds as scores of two classes, of which the first is 0."""
    return np.stack([np.zeros_like(log_odds), log_odds], axis=1)
