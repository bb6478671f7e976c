# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a model, and the cells of each pair of columns: rows, class frequencies and contributions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesieve.models import PairTable, term_importances
from bayesieve.report.rounding import rounded
from bayesieve.report.selected_bins import bin_label

__all__ = ["describe_pairs", "describe_terms"]

_MOST_PAIRS = 50
_MOST_CLASSES = 8  # classes that have a heat map of their own


def describe_terms(model: Any) -> list[dict[str, Any]]:
    """Return the terms of a model that has pairs, the most important first; otherwise columns are its terms."""
    card, place = model.scorecard_, model.selection_.positions
    if not card.pairs:
        return []
    shares = term_importances(card.tables, card.pairs).tolist()
    terms = [((each.name,), None, None) for each in card.tables]
    terms += [(pair.names, pair.log_bayes_factor, pair.gain) for pair in card.pairs]
    described = [
        {
            "columns": [place[name] for name in names],
            "importance": rounded(share),
            "log_bayes_factor": rounded(factor),
            "gain": rounded(gain),
        }
        for (names, factor, gain), share in zip(terms, shares, strict=True)
    ]
    return sorted(described, key=lambda term: -term["importance"])


def describe_pairs(model: Any, classes: Sequence[int]) -> list[dict[str, Any]]:
    """Return the cells of each pair, the most important pair first.

    Each pair has its columns, the labels of their bins, the rows per cell, and per class (of two, the positive one) its
    rate and its contribution to the log-odds; with more classes, the contribution relative to the mean over classes.
    """
    card, place = model.scorecard_, model.selection_.positions
    shares = term_importances((), card.pairs).tolist()
    order = sorted(range(len(card.pairs)), key=lambda i: -shares[i])[:_MOST_PAIRS]
    return [_describe(card.pairs[i], place, classes[:_MOST_CLASSES]) for i in order]


def _describe(pair: PairTable, place: dict[str, int], classes: Sequence[int]) -> dict[str, Any]:
    counts, mass = np.asarray(pair.counts, dtype=np.float64), pair.cell_mass
    rates = np.divide(counts, mass[..., None], out=np.full(counts.shape, np.nan), where=mass[..., None] > 0)
    return {
        "columns": [place[name] for name in pair.names],
        "labels": [[bin_label(each, code) for code in range(each.n_bins)] for each in pair.partitions],
        "counts": rounded(mass),
        "classes": [
            {"class": c, "contribution": rounded(pair.contributions(c)), "rate": rounded(rates[..., c])}
            for c in classes
        ],
    }
