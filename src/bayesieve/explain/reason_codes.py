# SPDX-License-Identifier: BSD-3-Clause
"""Reason codes: how far each term of a two-class scorecard moves a row toward the adverse class, from a reference."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import in_nats
from bayesieve.models import PairTable, Scorecard, ScoreTable

__all__ = ["REFERENCES", "reason_columns", "reason_table", "reference_points"]

REFERENCES: Final = ("mean", "best", "neutral")
"""From what the points of a row are counted: the mean row, the best possible bin, or no points."""
_TIE_DECIMALS: Final = 9
_NO_POINTS: Final = 1e-9  # nats; points are multiples of 2^-40, and means of them are rounded


def adverse_points(term: ScoreTable | PairTable, adverse: int) -> Floats:
    """Return what each bin or cell adds to the log-odds of the adverse class; unseen values are last."""
    return np.asarray(in_nats(term.table[..., adverse] - term.table[..., 1 - adverse]))


def reference_points(term: ScoreTable | PairTable, adverse: int, reference: str) -> float:
    """Return the points, toward the adverse class, from which those of a row are counted.

    "mean" is the mean of the training rows, "best" the bin that is best for a row, and "neutral" is 0, as of an unseen
    value.
    """
    if reference == "neutral":
        return 0.0
    points = adverse_points(term, adverse)
    points = points[:-1, :-1] if isinstance(term, PairTable) else points[:-1]
    if reference == "best":
        return float(points.min())
    mass = np.asarray(term.cell_mass if isinstance(term, PairTable) else term.bin_mass, dtype=np.float64)
    return float((mass * points).sum()) / float(mass.sum())


def reason_columns(
    card: Scorecard,
    n_rows: int,
    codes: Sequence[NDArray[Any]],
    pair_codes: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    adverse: int,
    reference: str,
) -> tuple[list[str], Floats]:
    """Return the names of the terms, and how far each moves each row toward the adverse class, in nats.

    The array has a row per row and a column per term: first those of single columns, then those of pairs.
    """
    terms: list[tuple[str, ScoreTable | PairTable, Any]] = [
        *((each.name, each, own) for each, own in zip(card.tables, codes, strict=True)),
        *((pair.label, pair, own) for pair, own in zip(card.pairs, pair_codes, strict=True)),
    ]
    moved = [adverse_points(each, adverse)[own] - reference_points(each, adverse, reference) for _, each, own in terms]
    return [name for name, _, _ in terms], np.stack(moved, axis=1) if moved else np.empty((n_rows, 0))


def reason_table(names: Sequence[str], moved: Floats, n_reasons: int) -> dict[str, list[str | None]]:
    """Return the columns "reason 1", "reason 2", ...: the terms that move each row most; None where none does."""
    # Points are rounded decimals: sums of fixed-point numbers that are equal but for their last bits are ties.
    order = np.argsort(-np.round(moved, _TIE_DECIMALS), axis=1, kind="stable")[:, :n_reasons]
    largest = np.take_along_axis(moved, order, axis=1)
    return {
        f"reason {k + 1}": [
            names[j] if size > _NO_POINTS else None for j, size in zip(order[:, k], largest[:, k], strict=True)
        ]
        for k in range(order.shape[1])
    }
