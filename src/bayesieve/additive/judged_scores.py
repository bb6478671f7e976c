# SPDX-License-Identifier: BSD-3-Clause
"""Scores of rows for each fold on which gains of pairs are judged, by fits that had seen nothing of this fold.

A table without fold q is fitted beside scores of the other rows. They are out of fold, but their fits had seen fold q:
where it has more rows of a class by chance, these scores are higher, and the table takes it back. Here the scores of a
row of fold f come from fits without both folds, and the weights of members from all rows but those of fold q:

    scores[q] of a row of fold f = stack of q (members without q and f)

Which columns of a wide table take part was decided without each fold alone; fits without two have what both allow.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive import ShapeRows
from bayesieve.additive.members import ChainFits, MemberSet, fit_member_stack, in_parallel, stack_prior
from bayesieve.additive.pair_fits import JudgedScores

__all__ = ["fit_judged_scores"]


def fit_judged_scores(
    rows: ShapeRows, backend: str = "auto", n_threads: int = 1, check: Callable[[], None] = lambda: None
) -> JudgedScores | None:
    """Return scores by fits of all columns without each two judged folds; None where out-of-fold scores are enough.

    Judged folds are the folds or, where there are many, unions of neighbors. There must be three: one to fit.
    """
    members = MemberSet.of_classes(rows.n_classes)
    ends = _judged_ends(rows, members.n_judged)
    if len(ends) < 3:
        return None
    judged = replace(rows, fold_ends=ends, taking_part=None)
    fold = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    columns = [_columns(rows, *judged.fold(q)) for q in range(len(ends))]
    jobs = list(combinations(range(len(ends)), 2))

    def fit(job: tuple[int, int]) -> list[tuple[Floats, Floats]]:
        q, f = job
        both = sorted(columns[q] & columns[f])
        chains, n = ChainFits(_with_both_last(judged, q, f), backend, check), _size(judged, q)
        fits = (each for chain in members.final for each in chains.run(chain, 1, both))
        return [(own[:n], own[n:]) for own in (each.scores_of_fold(1) for each in fits)]

    by_job = dict(zip(jobs, in_parallel(fit, jobs, n_threads), strict=True))
    prior, scores = stack_prior(members.at_end, has_pairs=False), np.zeros((len(ends), rows.n_rows, *rows.score_shape))
    for q in range(len(ends)):
        own = np.zeros((len(prior), *scores.shape[1:]))
        for f in (each for each in range(len(ends)) if each != q):
            for of_member, pair in zip(own, by_job[min(q, f), max(q, f)], strict=True):
                of_member[slice(*judged.fold(f))] = pair[int(q < f)]
        weights = rows.weights.copy()
        weights[slice(*judged.fold(q))] = 0.0
        scores[q] = fit_member_stack(replace(rows, weights=weights), own, prior).log_odds(own)
        scores[q, slice(*judged.fold(q))] = 0.0
    return JudgedScores(fold, scores)


def _judged_ends(rows: ShapeRows, n_judged: int) -> Ints:
    """Return where judged folds end, none of which is empty."""
    ends = np.unique(rows.fold_ends[rows.fold_ends > 0])
    n = min(n_judged, len(ends))
    return np.asarray(ends[np.arange(1, n + 1) * len(ends) // max(n, 1) - 1])


def _columns(rows: ShapeRows, begin: int, end: int) -> frozenset[int]:
    """Return the columns that fits without each of the folds between two rows may use."""
    inside = [q for q in range(rows.n_folds) if begin <= rows.fold(q)[0] < rows.fold(q)[1] <= end]
    return frozenset.intersection(*(rows.columns_of(q) for q in inside))


def _with_both_last(rows: ShapeRows, q: int, f: int) -> ShapeRows:
    """Return the rows in another order, of which those of two folds are the second of two folds."""
    others = [k for k in range(rows.n_folds) if k not in (q, f)]
    parts = [slice(*rows.fold(k)) for k in (*others, q, f)]
    target, weights, *codes = (
        np.concatenate([column[part] for part in parts]) for column in (rows.target, rows.weights, *rows.codes)
    )
    n_others = sum(_size(rows, k) for k in others)
    return replace(rows, codes=codes, target=target, weights=weights, fold_ends=np.array([n_others, rows.n_rows]))


def _size(rows: ShapeRows, q: int) -> int:
    begin, end = rows.fold(q)
    return end - begin
