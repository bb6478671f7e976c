# SPDX-License-Identifier: BSD-3-Clause
"""Facts that several selected columns have in common: bins of the same rows, whose points add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bayesieve.bins import short_description
from bayesieve.data import read_table
from bayesieve.exact import in_nats
from bayesieve.quality import find_shared_rows
from bayesieve.report.formats import join_words, rounded, signed

__all__ = ["SharedFact", "describe_shared_facts", "shared_fact_sentences"]

_MOST = 5  # facts that have a sentence
_MOST_NAMED = 4  # columns of a fact


@dataclass(frozen=True)
class SharedFact:
    """A bin of each of several columns that has the same rows: one fact, and the sum of its points.

    Attributes
    ----------
    columns : list of str
        The names of the columns.
    labels : list of str
        The bin of each.
    n_rows : int
        Number of rows.
    points : list of float
        What each of the bins adds to the log-odds of the positive class.
    are_held_out : bool
        Whether the rows are held-out ones of a single model, and not those of its training.
    """

    columns: list[str]
    labels: list[str]
    n_rows: int
    points: list[float]
    are_held_out: bool = False


def describe_shared_facts(model: Any, X: Any, positive: int | None, method: str) -> list[SharedFact]:
    """Return the bins of two or more selected columns that have the same rows, of two classes and points alone.

    ``method`` is how the rows were evaluated: of a single model, held-out rows are the ones that are counted.
    """
    card = model.scorecard_.additive()
    if card is None or positive is None or len(card.tables) < 2:
        return []
    table, place = read_table(X), model.selection_.positions
    columns = [table.column(place[each.name]) for each in card.tables]
    codes = [each.partition.bins_of(own)[own.ids] for each, own in zip(card.tables, columns, strict=True)]
    found = []
    for shared in find_shared_rows(codes, 2):
        bins = [(card.tables[j], code) for j, code in zip(shared.columns, shared.values, strict=True)]
        if any(code >= each.partition.n_bins for each, code in bins):  # values that training did not have
            continue
        points = [each.table[code, positive] - each.table[code, 1 - positive] for each, code in bins]
        names = [each.name for each, _ in bins]
        labels = [short_description(each.partition, code) for each, code in bins]
        added = [rounded(float(in_nats(each))) for each in points]
        found.append(SharedFact(names, labels, shared.n_rows, added, method == "held-out"))
    return found


def shared_fact_sentences(facts: Sequence[SharedFact]) -> list[str]:
    """Return a sentence per fact: its columns, and what they add together."""
    return [_sentence(fact) for fact in facts[:_MOST]]


def _sentence(fact: SharedFact) -> str:
    bins = [
        f"{name} {label}" if label.startswith(("<", ">")) else f"{name} = {label}"
        for name, label in zip(fact.columns, fact.labels, strict=True)
    ]
    n_more = len(bins) - _MOST_NAMED
    named = bins if n_more < 2 else [*bins[:_MOST_NAMED], f"{n_more} more columns"]
    rows = "held-out rows" if fact.are_held_out else "rows"
    return (
        f"One fact: {join_words(named)} have the same {fact.n_rows:,} {rows}; together their points are "
        f"{signed(sum(fact.points))}."
    )
