# SPDX-License-Identifier: BSD-3-Clause
"""Benefits inside the search: rows become rows with stakes, which any engine can score.

With two classes and two actions, d(c) = B(1, c) - B(0, c) is how much action 1 is ahead where class c is true. Where
d(1) > 0 > d(0), action 1 expects more if the log-odds exceed log(-d(0) / d(1)): the row's threshold. It is wrong if
d(true class) has the other sign, and then costs |d(true class)|: the row's stake. So the mean benefit is a 0-1 error
of shifted log-odds with stakes for weights, and its kernel serves. A threshold for all rows shifts the start;
thresholds of the rows are one more column, which is always selected. Where d(0) > 0 > d(1), labels are exchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import log_positive, to_fixed
from bayesieve.search.criteria import Measure
from bayesieve.search.criteria.benefit import benefit_mass
from bayesieve.search.engine.moves import Engine, Move
from bayesieve.search.engine.segments import Segment

__all__ = ["BenefitEngine", "BenefitSegment", "benefit_rows", "in_units"]


_RATIOS = (2.0**-1000, 2.0**1000)  # of stakes: more than any probability can balance
_NEVER = 1 << 58  # a threshold that no log-odds reach
_MOST_VALUES = 65_000  # of a column
_STAKE_BITS = 31


@dataclass(frozen=True)
class BenefitSegment(Segment):
    """A segment with its weight, the unit of its losses, and the sum of the best benefits of its rows."""

    total: int = 0
    unit: float = 1.0
    best: float = 0.0

    @property
    def mass(self) -> Measure:
        """What a mean benefit asks for."""
        return benefit_mass(self.total, self.n_classes, self.unit, self.best)


class BenefitEngine:
    """Another engine, in which one more column is always selected."""

    def __init__(self, rows: Engine, column: int) -> None:
        self._rows = rows
        self._column = column
        self.reset({})

    @property
    def segment_scores(self) -> Sequence[float]:
        """Scores on the segments, as of the last ``reset``, ``apply`` or ``restore``."""
        return self._rows.segment_scores

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        return self._rows.reset({**weights, self._column: 1.0})

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> Floats:
        """Return the score after each move, without making it."""
        return self._rows.score(moves, exact=exact)

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        return self._rows.apply(move)

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._rows.snapshot()

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        self._rows.restore(token)


def in_units(segments: Sequence[Segment]) -> list[BenefitSegment]:
    """Return segments whose benefits are counted in a power of two, such that regrets fit their fixed point."""
    scaled = []
    for segment in segments:
        benefits = _benefits(segment)
        unit = _power_of_two(float(np.ptp(benefits, axis=1).max()) / 2**20)
        best = _best(segment, benefits)
        scaled.append(_with(segment, benefits / unit, int(segment.weights.sum()), unit, best))
    return scaled


def benefit_rows(segments: Sequence[Segment]) -> tuple[list[BenefitSegment], bool] | None:
    """Return segments of stakes, and whether they have a column of thresholds; None if there are more actions."""
    if any(_benefits(segment).shape[1:] != (2, 2) for segment in segments):
        return None
    read = [_Stakes(segment) for segment in segments]
    cuts = _coarse([each.thresholds for each in read])
    if all(len(np.unique(each)) <= 1 for each in cuts):
        return [each.segment(replace_start=cut) for each, cut in zip(read, cuts, strict=True)], False
    return [each.segment(new_column=cut) for each, cut in zip(read, cuts, strict=True)], True


class _Stakes:
    """The rows of a segment as thresholds, labels and stakes."""

    def __init__(self, segment: Segment) -> None:
        benefits = _benefits(segment)
        ahead = np.broadcast_to(benefits[:, 1] - benefits[:, 0], (len(segment.target), 2))
        mixed = np.sign(ahead[:, 0]) * np.sign(ahead[:, 1]) < 0  # signs: a product may underflow
        with np.errstate(over="ignore", under="ignore"):
            ratio = np.abs(np.where(mixed, ahead[:, 0], 1.0) / np.where(mixed, ahead[:, 1], 1.0))
        ratio = np.clip(ratio, *_RATIOS)
        turned = mixed & (ahead[:, 1] < 0)
        certain = np.where((ahead > 0).any(axis=1), -_NEVER, _NEVER)
        # Equal expectations mean action 0, which is on the upper side where labels are exchanged.
        self.thresholds: Ints = np.where(mixed, to_fixed(log_positive(ratio)) - turned, certain)
        won = ahead[np.arange(len(ahead)), segment.target]
        self._target = ((won > 0) ^ turned).astype(np.int32)
        self._stakes = np.abs(won)
        self._segment = segment
        self._best = _best(segment, benefits)

    def segment(self, replace_start: Ints | None = None, new_column: Ints | None = None) -> BenefitSegment:
        """Return the segment, with thresholds as a start or as a column."""
        old = self._segment
        tables = self._segment.tables
        codes = self._segment.codes
        if replace_start is not None and len(replace_start):
            tables = replace(tables, start=tables.start + np.array([replace_start[0], 0]))
        if new_column is not None:
            values, place = np.unique(new_column, return_inverse=True)
            own = np.zeros((len(values) + 1, 2), dtype=np.int64)
            own[:-1, 0] = values
            offsets = np.append(tables.offsets, tables.offsets[-1] + len(own))
            tables = replace(
                tables,
                entries=np.concatenate([tables.entries, own]),
                offsets=offsets,
                lowered=None,
                log_bayes_factor=None,
            )
            codes = codes.extended(place.ravel(), len(values))
        weighted = self._stakes * old.weights
        unit = _power_of_two(float(weighted.max(initial=0.0)) / 2**_STAKE_BITS)
        weights = np.rint(weighted / unit).astype(np.int64)
        staked = replace(old, codes=codes, tables=tables, target=self._target, weights=weights)
        return _with(staked, None, int(old.weights.sum()), unit, self._best)


def _coarse(thresholds: Sequence[Ints]) -> list[Ints]:
    """Round thresholds until a column can hold them: 65,000 distinct amounts differ by less than matters."""
    rounded = list(thresholds)
    for bits in range(12, 41, 2):
        if all(len(np.unique(each)) <= _MOST_VALUES for each in rounded):
            break
        rounded = [np.where(np.abs(each) < _NEVER, (each >> bits) << bits, each) for each in thresholds]
    return rounded


def _benefits(segment: Segment) -> Floats:
    """Return a segment's benefits; without any, a right class brings 1."""
    return np.eye(segment.n_classes)[None] if segment.benefits is None else segment.benefits


def _best(segment: Segment, benefits: Floats) -> float:
    """Return the sum of the best benefits of the rows, given their true classes."""
    rows = np.arange(len(segment.target)) if len(benefits) > 1 else 0
    return fsum((benefits[rows, :, segment.target].max(axis=1) * segment.weights).tolist())


def _power_of_two(at_least: float) -> float:
    return float(2.0 ** np.ceil(np.log2(at_least))) if at_least > 0 else 1.0


def _with(segment: Segment, benefits: Floats | None, total: int, unit: float, best: float) -> BenefitSegment:
    codes = segment.codes
    target = segment.target
    weights = segment.weights
    return BenefitSegment(codes, target, weights, segment.n_classes, segment.tables, benefits, total, unit, best)
