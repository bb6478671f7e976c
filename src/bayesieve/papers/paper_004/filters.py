# SPDX-License-Identifier: BSD-3-Clause
"""Rankings by mutual information, from one matrix product of the binary columns."""

import numpy as np

from bayesieve._typing import Floats
from bayesieve.papers.paper_004.problem import Sample

__all__ = ["mrmr_ranking", "mutual_information_ranking"]


def mutual_information_ranking(sample: Sample) -> list[int]:
    """Return the columns by decreasing mutual information with the class; ties keep their order."""
    ranking: list[int] = np.argsort(-_relevance(sample), kind="stable").tolist()
    return ranking


def mrmr_ranking(sample: Sample) -> list[int]:
    """Return the columns as mRMR's difference form adds them (Peng, Long and Ding, 2005).

    The next column has the largest I(f; y) - mean over the selected s of I(f; s).
    """
    relevance = _relevance(sample)
    ones = sample.indicators.astype(np.float64)
    shared = _information(ones.T @ ones, ones.sum(axis=0), ones.sum(axis=0), len(ones))
    redundancy, ranking = np.zeros(len(relevance)), [int(relevance.argmax())]
    remaining = np.ones(len(relevance), dtype=bool)
    while len(ranking) < len(relevance):
        remaining[ranking[-1]] = False
        redundancy += shared[ranking[-1]]
        ranking.append(int(np.where(remaining, relevance - redundancy / len(ranking), -np.inf).argmax()))
    return ranking


def _relevance(sample: Sample) -> Floats:
    """Return the mutual information of each column with the class, in nats."""
    ones = sample.indicators.astype(np.float64)
    membership = (sample.target[:, None] == np.unique(sample.target)).astype(np.float64)
    n = len(ones)
    inside, in_class, of_column = ones.T @ membership, membership.sum(axis=0), ones.sum(axis=0)[:, None]
    # The cells of the ones, and of the zeros.
    cells = _term(inside, of_column, in_class, n) + _term(in_class - inside, n - of_column, in_class, n)
    relevance: Floats = cells.sum(axis=1)
    return relevance


def _information(both: Floats, first: Floats, second: Floats, n: int) -> Floats:
    """Return the mutual information of binary columns from the numbers of rows in which both are 1."""
    a, b = first[:, None], second[None, :]
    return (
        _term(both, a, b, n)
        + _term(a - both, a, n - b, n)
        + _term(b - both, n - a, b, n)
        + _term(n - a - b + both, n - a, n - b, n)
    )


def _term(cell: Floats, row: Floats, column: Floats, n: int) -> Floats:
    """Return p log(p / (p_row p_column)) of a cell of counts, 0 where it is empty."""
    occupied = cell > 0
    ratio = np.divide(cell * n, row * column, out=np.ones_like(cell), where=occupied)
    term: Floats = cell / n * np.log(ratio)
    return term
