"""Log-odds between two classes, taken apart by column."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data import Column, Scale
from bayesieve.exceptions import ParameterError
from bayesieve.explanations.row_explanation import Contribution, RowExplanation, RowExplanations
from bayesieve.models import ScoreTable
from bayesieve.models.scorecard import in_nats

__all__ = ["class_pairs", "explain_rows", "shown_values"]


def class_pairs(labels: Sequence[Any], scores: Ints, classes: tuple[Any, Any] | None) -> NDArray[np.intp]:
    """Return the two classes that are compared in each row: those given, or the most and the next probable.

    ``scores`` have shape (n_classes, n_rows); on ties the lower index comes first.
    """
    if classes is None:
        return np.argsort(-scores, axis=0, kind="stable")[:2]
    if len(classes) != 2 or any(label not in labels for label in classes) or classes[0] == classes[1]:
        raise ParameterError(f"classes must be two of {list(labels)}, got {classes!r}.")
    return np.repeat([[labels.index(label)] for label in classes], scores.shape[1], axis=1)


def shown_values(column: Column) -> Sequence[Any]:
    """Return a column's values: numbers and labels as they are, dates and the like in words."""
    if not isinstance(column.labels, np.ndarray):
        return column.labels
    numbers: list[float] = column.labels.tolist()
    return numbers if column.scale is Scale.numeric else [column.scale.words(number) for number in numbers]


def explain_rows(
    labels: Sequence[Any],
    pairs: NDArray[np.intp],
    start: Ints,
    scores: Ints,
    coded: Sequence[tuple[Column, NDArray[np.intp]]],
    tables: Sequence[ScoreTable],
) -> RowExplanations:
    """Return for each row what each column adds to the log-odds of its pair of classes.

    ``coded`` are the columns of the score tables, each with the bin of each row; ``start`` are the scores of the class
    frequencies.
    """
    favored, other = pairs
    n_rows = scores.shape[1]
    shares: list[list[Contribution]] = [[] for _ in range(n_rows)]
    for (column, codes), each in zip(coded, tables, strict=True):
        partition, table = each.partition, each.table
        words = [partition.describe(code) for code in range(partition.n_bins + 1)]
        values = [*shown_values(column), None]
        sizes = in_nats(table[codes, favored] - table[codes, other]).tolist()
        for i, (code, place) in enumerate(zip(codes.tolist(), column.ids.tolist(), strict=True)):
            shares[i].append(Contribution(column.name, values[place], words[code], sizes[i]))
    rows = np.arange(n_rows)
    totals = in_nats(scores[favored, rows] - scores[other, rows]).tolist()
    priors = in_nats(start[favored] - start[other]).tolist()
    return RowExplanations(
        RowExplanation(
            labels[favored[i]],
            labels[other[i]],
            totals[i],
            priors[i],
            tuple(sorted(shares[i], key=lambda share: -abs(share.log_odds))),
        )
        for i in rows
    )
