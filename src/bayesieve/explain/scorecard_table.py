# SPDX-License-Identifier: BSD-3-Clause
"""Bins as tables to read: a scorecard with its points, on a scale of one's choice, and the bins of a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import in_nats
from bayesieve.exceptions import ParameterError
from bayesieve.models import PairTable, Scorecard, ScoreTable
from bayesieve.models.scorecard import contrast_errors

__all__ = [
    "PointScale",
    "binning_columns",
    "information_value",
    "scorecard_columns",
    "weight_of_evidence",
]


@dataclass(frozen=True)
class PointScale:
    """A score of ``base_score`` at odds of ``base_odds`` to 1, and ``points_to_double`` more at twice these odds.

    The odds are those of the class that is not adverse; ``adverse`` is the place of the one that is, None for the
    positive one. With ``spread`` each column and pair has an equal share of the points of the intercept.
    """

    base_score: float
    base_odds: float = 1.0
    points_to_double: float = 20.0
    adverse: int | None = None
    spread: bool = False

    def __post_init__(self) -> None:
        if not self.base_odds > 0:
            raise ParameterError(f"base_odds must be a positive number, got {self.base_odds!r}.")
        if not (self.points_to_double > 0 and np.isfinite(self.points_to_double)):
            raise ParameterError(
                f"points_to_double must be a positive number, got {self.points_to_double!r}; points rise toward the "
                "class that is not adverse."
            )

    @property
    def factor(self) -> float:
        """Points per nat of log-odds."""
        return self.points_to_double / log(2.0)

    def scaled(self, points: NDArray[Any], term: NDArray[np.intp]) -> list[int]:
        """Return log-odds of the class that is not adverse as whole numbers on the scale.

        ``term`` is 0 for the intercept, which comes first, and the number of the column or pair of each bin, from 1 on.
        """
        scaled = np.rint(self.factor * np.asarray(points, dtype=np.float64)).astype(np.int64)
        base = int(np.rint(self.factor * points[0] + self.base_score - self.factor * log(self.base_odds)))
        n_terms = int(term[-1])
        if not self.spread or not n_terms:
            scaled[0] = base
        else:
            share, rest = divmod(base, n_terms)
            scaled += np.where(term > 0, share + (term <= rest), -scaled[0])
        return [int(each) for each in scaled]


def scorecard_columns(card: Scorecard, scale: PointScale | None = None, positive: int = 1) -> dict[str, list[Any]]:
    """Return the columns of a table: one row for where scores begin, one per bin and one per cell of each pair.

    For each bin: its column, its values, its weight and share of the rows, and for the positive one of two classes (or
    for each class) its rate and its points, in nats, with a standard error where the model has them. Points of more
    than two classes are relative to the mean over classes. With two classes there are also the weight of evidence and
    the information value of each bin's rows, which are of the column alone, and with a scale whole points and the class
    that high scores mean. A scale that spreads the intercept has a row more per column and pair, for values that are
    unseen in training.
    """
    unseen = scale is not None and scale.spread
    terms = [
        _Term(
            "",
            ["intercept"],
            np.array([card.class_mass], dtype=np.float64),
            card.start[None, :],
            None if card.start_errors is None else card.start_errors[None, :],
        ),
        *(_of_column(each, unseen) for each in card.tables),
        *(_of_pair(pair, unseen) for pair in card.pairs),
    ]
    weights = np.concatenate([each.counts for each in terms])
    points = in_nats(np.concatenate([each.entries for each in terms]))
    mass = weights.sum(axis=1)
    columns: dict[str, list[Any]] = {
        "column": [each.name for each in terms for _ in each.bins],
        "bin": [words for each in terms for words in each.bins],
    }
    shown = mass.astype(np.int64) if (mass == np.rint(mass)).all() else mass  # fractions come from sample weights
    columns |= {"count": shown.tolist(), "share": (mass / float(card.mass)).tolist()}
    of_terms = [each.errors for each in terms]
    known = [each for each in of_terms if each is not None]
    errors = np.concatenate(known) if len(known) == len(of_terms) else None
    binary, labels = points.shape[1] == 2, card.classes.tolist()
    points = points - (points[:, [1 - positive]] if binary else points.mean(axis=1, keepdims=True))
    for c in [positive] if binary else range(len(labels)):
        suffix = "" if binary else f" {labels[c]}"
        rate = np.divide(weights[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"points{suffix}"] = points[:, c].tolist()
        if errors is not None:
            columns[f"standard error{suffix}"] = contrast_errors(errors, c).tolist()
    if binary:
        columns |= _evidence([each.counts[:, [positive, 1 - positive]] for each in terms], unseen)
    if scale is not None:
        if not binary:
            raise ParameterError(f"base_score is for two classes; this model has {points.shape[1]}.")
        adverse = positive if scale.adverse is None else scale.adverse
        own = -points[:, positive] if adverse == positive else points[:, positive]
        columns["scaled points"] = scale.scaled(
            own, np.repeat(np.arange(len(terms)), [len(each.bins) for each in terms])
        )
        columns["high scores mean"] = [labels[1 - adverse]] * len(own)
    return columns


class _Term(NamedTuple):
    """What adds to a score: name, bins or cells, and weights, scores and standard errors of the classes in each."""

    name: str
    bins: list[str]
    counts: NDArray[np.float64]
    entries: NDArray[np.int64]
    errors: Floats | None


def _of_column(table: ScoreTable, unseen: bool) -> _Term:
    bins = [table.partition.describe(code) for code in range(table.partition.n_bins)]
    errors = None if table.errors is None else table.errors[: len(bins)]
    return _with_unseen(
        _Term(table.name, bins, np.asarray(table.counts, dtype=np.float64), table.table[: len(bins)], errors),
        unseen,
        table.errors,
    )


def _of_pair(pair: PairTable, unseen: bool) -> _Term:
    cells = [pair.describe(*cell) for cell in pair.cells]
    counts = np.asarray(pair.counts, dtype=np.float64).reshape(len(cells), -1)
    errors = None if pair.errors is None else pair.errors[:-1, :-1].reshape(len(cells), -1)
    term = _Term(pair.label, cells, counts, pair.table[:-1, :-1].reshape(len(cells), -1), errors)
    return _with_unseen(term, unseen, None if pair.errors is None else pair.errors[-1])


def _with_unseen(term: _Term, unseen: bool, errors: Floats | None) -> _Term:
    """Return a term with a row for values that are unseen, which have the last of some errors."""
    if not unseen:
        return term
    counts, entries = (np.concatenate([each, np.zeros_like(each[:1])]) for each in (term.counts, term.entries))
    own = None if errors is None or term.errors is None else np.concatenate([term.errors, errors[-1:]])
    return _Term(term.name, [*term.bins, "unseen"], counts, entries, own)


def _evidence(counts: list[NDArray[np.float64]], unseen: bool) -> dict[str, list[Any]]:
    """Return weight of evidence and information value of each bin of each term; 0 where scores begin, and of *unseen*.

    ``counts`` have a column of the positive class and one of the other.
    """
    own = [each[: len(each) - unseen].T for each in counts[1:]]
    last = np.zeros(int(unseen))
    evidence = [np.zeros(1), *(np.append(weight_of_evidence(*each), last) for each in own)]
    values = [np.zeros(1), *(np.append(information_value(*each), last) for each in own)]
    return {
        "weight of evidence": np.concatenate(evidence).tolist(),
        "information value": np.concatenate(values).tolist(),
    }


def binning_columns(partition: Any, classes: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each bin.

    For each bin: its values, its weight by class and in all, its share of the rows, and for the second of two classes
    (or for each class) its rate and its weight of evidence log (P(bin | class) / P(bin | not class)), where a cell has
    1 / (N + 1) more than was counted; of two classes also the information value, which adds up to that of the column.
    """
    counts: NDArray[Any] = np.asarray(partition.counts)
    mass, total = counts.sum(axis=1), counts.sum()
    columns: dict[str, list[Any]] = {"bin": [partition.describe(code) for code in range(partition.n_bins)]}
    for c, label in enumerate(classes):
        columns[f"count {label}"] = counts[:, c].tolist()
    columns["count"] = mass.tolist()
    columns["share"] = (mass / total).tolist()
    for c, label in list(enumerate(classes))[1 if len(classes) == 2 else 0 :]:
        suffix = "" if len(classes) == 2 else f" {label}"
        rate = np.divide(counts[:, c], mass, out=np.full(len(mass), np.nan), where=mass > 0)
        columns[f"rate{suffix}"] = rate.tolist()
        columns[f"weight of evidence{suffix}"] = weight_of_evidence(counts[:, c], mass - counts[:, c]).tolist()
    if len(classes) == 2:
        columns["information value"] = information_value(counts[:, 1], counts[:, 0]).tolist()
    return columns


def weight_of_evidence(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return log (P(bin | class) / P(bin | not class)) of each bin, given the counts of class and not class.

    A bin without rows has a weight of 0.
    """
    extra = 1.0 / (float(inside.sum() + outside.sum()) + 1.0)
    shares = [(cells + extra) / (float(cells.sum()) + extra * len(cells)) for cells in (inside, outside)]
    return np.where(inside + outside > 0, np.log(shares[0] / shares[1]), 0.0)


def information_value(inside: NDArray[Any], outside: NDArray[Any]) -> NDArray[np.float64]:
    """Return (P(bin | class) - P(bin | not class)) times the weight of evidence; their sum is that of the column."""
    shares = [np.asarray(cells, dtype=np.float64) / max(float(cells.sum()), 1e-300) for cells in (inside, outside)]
    return np.asarray((shares[0] - shares[1]) * weight_of_evidence(inside, outside))
