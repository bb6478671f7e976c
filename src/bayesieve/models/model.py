# SPDX-License-Identifier: BSD-3-Clause
"""What a model is: counts become tables, tables become scores of rows, and scores become probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.exact import exp_nonpositive, in_nats, log_positive, sum_of_classes, to_fixed

__all__ = ["RANK_SHIFT", "Evidence", "Model", "Tables", "add_entries"]


@dataclass(frozen=True)
class Tables:
    """The tables that a model learned from the training rows.

    Attributes
    ----------
    start : array of shape (n_classes,)
        The scores without any column, for instance log-priors.
    entries : array of shape (offsets[-1], n_classes)
        The table entry of each code of each column; the last code of a column is *unseen*.
    offsets : int64 array of shape (n_columns + 1,)
        Column j owns the rows ``offsets[j]:offsets[j + 1]`` of ``entries``.
    lowered : array of the shape of ``entries``, or None
        The entries for each class if one row of that class had not been counted (leave-one-out).
    log_bayes_factor : float64 array of shape (n_columns,), or None
        Log Bayes factor of each column against a single bin.
    """

    start: NDArray[Any]
    entries: NDArray[Any]
    offsets: NDArray[np.int64]
    lowered: NDArray[Any] | None = None
    log_bayes_factor: NDArray[np.float64] | None = None

    @staticmethod
    def join(start: NDArray[Any], blocks: Sequence["Tables"]) -> "Tables":
        """Put the columns of several tables side by side."""
        sizes = _join([np.diff(block.offsets) for block in blocks])
        offsets = np.zeros(1, dtype=np.int64) if sizes is None else np.append(0, np.cumsum(sizes))
        entries = _join([block.entries for block in blocks])
        return Tables(
            start,
            np.empty((0, len(start)), dtype=np.int64) if entries is None else entries,
            offsets,
            _join([block.lowered for block in blocks]),
            _join([block.log_bayes_factor for block in blocks]),
        )

    def take(self, columns: NDArray[np.intp]) -> "Tables":
        """Return the tables of some columns."""
        sizes = np.diff(self.offsets)[columns]
        offsets = np.append(0, np.cumsum(sizes))
        rows = np.repeat(self.offsets[columns] - offsets[:-1], sizes) + np.arange(offsets[-1])
        lowered = None if self.lowered is None else self.lowered[rows]
        log_bayes_factor = None if self.log_bayes_factor is None else self.log_bayes_factor[columns]
        return Tables(self.start, self.entries[rows], offsets, lowered, log_bayes_factor)

    def without_own(self, c: int) -> "Tables":
        """Return the tables for training rows of class c, each of which is left out of the counts."""
        if self.lowered is None:
            return self
        entries = self.entries.copy()
        entries[:, c] = self.lowered[:, c]
        return replace(self, entries=entries)

    def column(self, j: int) -> NDArray[Any]:
        """Return one column's table, shape (n_codes, n_classes)."""
        return self.entries[self.offsets[j] : self.offsets[j + 1]]


def _join(arrays: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    """Concatenate arrays; None if there are none."""
    present = [array for array in arrays if array is not None]
    return np.concatenate(present) if present else None


_FEW_ROWS = 64  # for which one call takes less time than one per class


def add_entries(scores: NDArray[np.int64], table: NDArray[np.int64], codes: NDArray[Any]) -> None:
    """Add the table entries of each row's code to scores of shape (n_classes, n_samples)."""
    if len(codes) < _FEW_ROWS:
        scores += table.T[:, codes]
        return
    for c, entries in enumerate(table.T):
        scores[c] += entries.take(codes)


class Model(Protocol):
    """How columns change the predictions of rows.

    The state is specific to the model: one entry per row, to which columns are added.
    """

    @property
    def kernel(self) -> str:
        """Name of the compiled kernel that adds up states."""
        ...

    @property
    def adds_evidence(self) -> bool:
        """Whether the state of a row is its evidence, to which columns add their scores."""
        ...

    def kernel_arguments(self, n_columns: int) -> NDArray[np.int64]:
        """Return the integer arguments of this kernel."""
        ...

    def learn(
        self,
        counts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        mass: NDArray[np.int64],
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return tables from the weight of each code and class, and of each class; weights are in ``unit``."""
        ...

    def start(self, mass: NDArray[np.int64], unit: float) -> NDArray[Any]:
        """Return the scores without any column, given the weight of each class."""
        ...

    def idle(self, tables: Tables, counts: NDArray[np.int64], unit: float) -> NDArray[np.bool_]:
        """Return which columns are so uninformative that searches can skip them."""
        ...

    def refuse(self, tables: Tables) -> None:
        """Raise if all columns together could overflow a state."""
        ...

    def begin(self, start: NDArray[Any], n_rows: int) -> Any:
        """Return the state without any column."""
        ...

    def shift(self, state: Any, j: int, table: NDArray[Any], codes: NDArray[Any], before: float, after: float) -> Any:
        """Return the state with the weight of column j changed; ``state`` itself is not changed."""
        ...

    def predictions(self, state: Any) -> Any:
        """Return the predictions of a state, which criteria score."""
        ...


RANK_SHIFT = 24  # ranking keys are evidence rounded from 2^-40 to 2^-16


@dataclass(frozen=True)
class Evidence:
    """Class scores in multiples of 2^-40 nats, shape (n_classes, n_samples); probabilities are their softmax.

    In training, classes are added in their order, which is the same whatever they are called. The classes of a fitted
    model (``of_model``) have the order of their labels, so that they are added in the order of their probabilities.
    """

    scores: NDArray[np.int64]
    of_model: bool = False

    @cached_property
    def _relative(self) -> "Relative":
        return _relative(self.scores, self.of_model)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The class with the largest score, the lowest index on ties."""
        best: NDArray[np.intp] = np.argmax(self.scores, axis=0)
        return best

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n_classes, n_samples)."""
        weights, total, _ = self._relative
        return weights / total

    @property
    def log_probabilities(self) -> NDArray[np.float64]:
        """Logarithms of the class probabilities, shape (n_classes, n_samples)."""
        _, total, top = self._relative
        return in_nats(self.scores - top) - log_positive(total)

    def surprise(self, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log of the true class's probability in multiples of 2^-40; it is always finite."""
        _, total, top = self._relative
        shortfall: NDArray[np.int64] = top - self.scores[target, np.arange(len(target))]
        return shortfall + to_fixed(log_positive(total))

    def log_odds(self, c: int) -> NDArray[np.int64]:
        """Return the log-odds of class c against all others, in multiples of 2^-40."""
        if len(self.scores) == 2:
            difference: NDArray[np.int64] = self.scores[c] - self.scores[1 - c]
            return difference
        others = np.delete(self.scores, c, axis=0)
        _, total, top = _relative(others, self.of_model)
        log_odds: NDArray[np.int64] = self.scores[c] - top - to_fixed(log_positive(total))
        return log_odds

    def rank_keys(self, c: int) -> NDArray[np.int64]:
        """Return integers that order rows by the probability of class c: its log-odds in multiples of 2^-16."""
        return (self.log_odds(c) + (1 << (RANK_SHIFT - 1))) >> RANK_SHIFT


Relative = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def _relative(scores: NDArray[np.int64], of_model: bool) -> Relative:
    """Return exp(score - top) for each class, their sum, and top, the largest score of each row."""
    top = scores.max(axis=0)
    if len(scores) == 2:  # one of the two is 1
        gap = scores[1] - scores[0]
        lower = exp_nonpositive(in_nats(-np.abs(gap)))
        return np.stack([np.where(gap > 0, lower, 1.0), np.where(gap < 0, lower, 1.0)]), 1.0 + lower, top
    weights = exp_nonpositive(in_nats(scores - top))
    if of_model:
        return weights, sum_of_classes(weights), top
    total = weights[0].copy()
    for weight in weights[1:]:
        total += weight
    return weights, total, top


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of held-out rows, shape (n_classes, n_rows), in multiples of 2^-40; their classes and weights."""

    class_scores: NDArray[np.int64]
    target: NDArray[np.int32]
    weights: NDArray[np.int64]

    @cached_property
    def predictions(self) -> Evidence:
        """The scores, of which all metrics have the same probabilities."""
        return Evidence(self.class_scores)
