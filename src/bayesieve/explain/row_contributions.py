# SPDX-License-Identifier: BSD-3-Clause
"""Log-odds between two classes, taken apart by column and by pair of columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Partition, short_description
from bayesieve.data import Column, Scale
from bayesieve.exceptions import ParameterError
from bayesieve.explain.row_explanation import Contribution, PairContribution, RowExplanation, RowExplanations
from bayesieve.models import PairTable, Scorecard, ScoreTable
from bayesieve.models.pair_table import join_texts
from bayesieve.models.scorecard import in_nats

__all__ = ["class_pairs", "describe_codes", "explain_rows", "shown_values"]

_CodedColumn = tuple[Column, NDArray[np.intp]]


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
    card: Scorecard,
    classes: NDArray[np.intp],
    scores: Ints,
    coded: Sequence[_CodedColumn],
    coded_pairs: Sequence[tuple[_CodedColumn, _CodedColumn]] = (),
) -> RowExplanations:
    """Return for each row what each column and each pair adds to the log-odds of its two classes.

    ``classes`` are the two classes of each row, ``scores`` their scores; ``coded`` are the columns of the score tables,
    each with the bin of each row, and ``coded_pairs`` those of the pairs.
    """
    labels, (favored, other) = card.classes.tolist(), classes
    by_term: list[Iterable[Contribution]] = [
        _column_contributions(each, column, classes) for each, column in zip(card.tables, coded, strict=True)
    ]
    by_term += [
        _pair_contributions(pair, columns, classes) for pair, columns in zip(card.pairs, coded_pairs, strict=True)
    ]
    terms = list(zip(*by_term, strict=True)) if by_term else [()] * scores.shape[1]
    rows = np.arange(scores.shape[1])
    totals = in_nats(scores[favored, rows] - scores[other, rows]).tolist()
    priors = in_nats(card.start[favored] - card.start[other]).tolist()
    return RowExplanations(
        RowExplanation(
            labels[favored[i]],
            labels[other[i]],
            totals[i],
            priors[i],
            tuple(sorted(terms[i], key=lambda term: -abs(term.log_odds))),
        )
        for i in rows
    )


def _column_contributions(table: ScoreTable, coded: _CodedColumn, classes: NDArray[np.intp]) -> Iterator[Contribution]:
    """Yield what a column adds to the log-odds of each row."""
    codes, (favored, other) = coded[1], classes
    sizes = in_nats(table.table[codes, favored] - table.table[codes, other]).tolist()
    for value, words, size in zip(*describe_codes(coded, table.partition), sizes, strict=True):
        yield Contribution(table.name, value, words, size)


def _pair_contributions(
    pair: PairTable, coded: tuple[_CodedColumn, _CodedColumn], classes: NDArray[np.intp]
) -> Iterator[PairContribution]:
    """Yield what a pair adds to the log-odds of each row."""
    (_, first), (_, second) = coded
    favored, other = classes
    sizes = in_nats(pair.table[first, second, favored] - pair.table[first, second, other]).tolist()
    shown = [describe_codes(each, partition) for each, partition in zip(coded, pair.partitions, strict=True)]
    values, bins = (list(zip(*both, strict=True)) for both in zip(*shown, strict=True))
    for both, cell, size in zip(values, bins, sizes, strict=True):
        yield PairContribution(pair.label, both, join_texts(*cell), size, pair.names, cell)


def describe_codes(coded: _CodedColumn, partition: Partition) -> tuple[list[Any], list[str]]:
    """Return the value of each row, and the description of its bin."""
    column, codes = coded
    bins = codes.tolist()
    words = {code: short_description(partition, code) for code in set(bins)}
    values = [*shown_values(column), None]
    return [values[place] for place in column.ids.tolist()], [words[code] for code in bins]
