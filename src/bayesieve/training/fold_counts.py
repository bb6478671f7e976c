"""Counts for every fold, in as few passes over the rows as there are sets of folds that leave out different rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import ColumnBatch, LabeledColumns, Strata
from bayesieve.training.memory_rows import Fold, MemoryRows

__all__ = ["FoldCounter", "FoldCounts"]

Ints = NDArray[np.int64]

_MOST_FOLDS = 16  # of a pass: a count for each label, class and fold has to be held


class FoldCounter:
    """Counts labels by class among the fitting rows of each fold.

    Folds of a cross-validation leave out different rows. One pass counts by class and by the fold that leaves a row
    out; the counts of a fold are those of all rows, less those that it leaves out.
    """

    def __init__(self, sample: MemoryRows, folds: Sequence[Fold]) -> None:
        self._n_classes = sample.target.n_classes
        self._passes: list[_Pass] = []
        self._home: list[tuple[_Pass, int]] = []
        known: dict[int, tuple[_Pass, int]] = {}  # folds may share their fitting rows
        for fold in folds:
            if id(fold.fitting) not in known:
                times = np.bincount(fold.fitting, minlength=sample.table.n_rows)
                known[id(fold.fitting)] = self._place(sample, times)
            self._home.append(known[id(fold.fitting)])
        self._strata = [one.strata(sample) for one in self._passes]

    @property
    def n_strata(self) -> int:
        """Number of counts a label, in one pass."""
        return max(strata.n for strata in self._strata)

    def _place(self, sample: MemoryRows, times: Ints) -> tuple["_Pass", int]:
        """Find a pass for a fold that learns from each row so many times, and the part that it leaves out there."""
        repeated = times.max(initial=0) > 1
        left_out = times == 0
        for one in self._passes:
            if not repeated and one.takes(left_out):
                return one, one.add(left_out)
        self._passes.append(_Pass(sample.weights.units * times if repeated else sample.weights.units, repeated))
        return self._passes[-1], 0 if repeated else self._passes[-1].add(left_out)

    def count(self, batch: LabeledColumns) -> "FoldCounts":
        """Count the weight of each label of each column in each class, for each fold."""
        assert isinstance(batch, ColumnBatch)
        return self._by_fold([batch.count(strata) for strata in self._strata])

    def masses(self, sample: MemoryRows) -> list[Ints]:
        """Return for each fold the weight of each class."""
        counts = [np.zeros((1, strata.n), dtype=np.int64) for strata in self._strata]
        for each, strata in zip(counts, self._strata, strict=True):
            np.add.at(each[0], strata.of_row, 1 if strata.weights is None else strata.weights)
        by_fold = self._by_fold(counts)
        return [by_fold[i][0] for i in range(len(self._home))]

    def _by_fold(self, counts: Sequence[Ints]) -> "FoldCounts":
        """Return counts by stratum, those of each pass, as counts of each fold."""
        by_part = [
            each.reshape(-1, one.n_parts, self._n_classes) for each, one in zip(counts, self._passes, strict=True)
        ]
        home = [(self._passes.index(one), part) for one, part in self._home]
        return FoldCounts(by_part, [each.sum(axis=1) for each in by_part], home)


@dataclass(frozen=True)
class FoldCounts:
    """Counts of each fold, made when they are asked for."""

    by_part: list[Ints]
    whole: list[Ints]
    home: list[tuple[int, int]]

    def take(self, labels: NDArray[np.intp] | slice) -> "FoldCounts":
        """Return the counts of some labels."""
        return FoldCounts([each[labels] for each in self.by_part], [each[labels] for each in self.whole], self.home)

    def __getitem__(self, fold: int) -> Ints:
        place, part = self.home[fold]
        return self.whole[place] - self.by_part[place][:, part] if part else self.whole[place]


@dataclass(eq=False)
class _Pass:
    """Rows of part 0 are left out by no fold, those of part k by its k-th fold."""

    weights: Ints
    repeated: bool
    part: NDArray[np.int32] = field(init=False)
    n_parts: int = 1

    def __post_init__(self) -> None:
        self.part = np.zeros(len(self.weights), dtype=np.int32)

    def takes(self, left_out: NDArray[np.bool_]) -> bool:
        return not self.repeated and self.n_parts <= _MOST_FOLDS and not self.part[left_out].any()

    def add(self, left_out: NDArray[np.bool_]) -> int:
        if not left_out.any():
            return 0
        self.part[left_out] = self.n_parts
        self.n_parts += 1
        return self.n_parts - 1

    def strata(self, sample: MemoryRows) -> Strata:
        n_classes = sample.target.n_classes
        plain = bool((self.weights == 1).all())
        return Strata(
            self.part * np.int32(n_classes) + sample.target.codes,
            self.n_parts * n_classes,
            None if plain else self.weights,
        )
