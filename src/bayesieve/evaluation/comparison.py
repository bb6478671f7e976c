# SPDX-License-Identifier: BSD-3-Clause
"""Paired comparison of methods that were evaluated on the same folds or the same data sets, and its tests.

Distributions are imported where they are used, since reports need none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.data import Column, build_frame, frame_backend, is_frame, read_table
from bayesieve.data.files.output import html_table
from bayesieve.evaluation.measures import LOSSES, MEASURES
from bayesieve.evaluation.result import Evaluation
from bayesieve.exceptions import DataError, ParameterError

__all__ = [
    "Comparison",
    "Pair",
    "compare",
    "corrected_error",
    "corrected_t",
    "friedman",
    "holm",
    "mean_ranks",
    "nemenyi_difference",
    "signed_rank",
]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two methods: the mean of first - second, the numbers of wins, losses and ties of the first, and a test.

    ``standard_error`` is that of the corrected resampled t test, NaN for signed ranks; ``p_adjusted`` is Holm's.
    """

    first: str
    second: str
    difference: float
    standard_error: float
    statistic: float
    p_value: float
    p_adjusted: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, repr=False)
class Comparison:
    """Methods compared pair by pair, and by their ranks.

    Attributes
    ----------
    metric, test : str
        The measure, and the test: "corrected t" over folds, or "wilcoxon" over data sets.
    means : dict of str to float
        Mean of each method over data sets.
    ranks : dict of str to float
        Mean rank over data sets (over folds if there is one), 1 for the best; ties are shared.
    pairs : tuple of Pair
        One per pair of methods.
    friedman : (float, float, float)
        Friedman's chi-square over data sets, its p-value, and Iman and Davenport's; NaN for a single data set.
    critical_difference : float
        The largest difference of mean ranks that chance explains (Nemenyi, 5 %); NaN for a single data set.
    """

    metric: str
    test: str
    means: dict[str, float]
    ranks: dict[str, float]
    pairs: tuple[Pair, ...]
    friedman: tuple[float, float, float]
    critical_difference: float
    backend: str | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        best = min(self.ranks, key=lambda name: self.ranks[name])
        return f"Comparison({self.metric}, {self.test}: {len(self.ranks)} methods, the best mean rank has {best!r})"

    def _repr_html_(self) -> str:
        order = sorted(self.ranks, key=lambda name: self.ranks[name])
        means, ranks = [self.means[name] for name in order], [self.ranks[name] for name in order]
        return html_table(repr(self), {"method": order, f"mean {self.metric}": means, "mean rank": ranks})

    def to_frame(self) -> Any:
        """Return a data frame with one row per pair."""
        head = list(Pair.__dataclass_fields__)
        return build_frame({name: [getattr(pair, name) for pair in self.pairs] for name in head}, self.backend)

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two methods, as first - second."""
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.first, pair.second) == (second, first):
                statistic = -pair.statistic if self.test == "corrected t" else pair.statistic
                return replace(
                    pair,
                    first=first,
                    second=second,
                    difference=-pair.difference,
                    statistic=statistic,
                    wins=pair.losses,
                    losses=pair.wins,
                )
        raise ParameterError(f"{first!r} and {second!r} were not compared; there are {', '.join(self.means)}.")


def compare(
    results: Any, metric: str = "accuracy", *, among: Any = "selector", sizes: Any = None, test: str = "auto"
) -> Comparison:
    """Compare selectors or classifiers on the folds and data sets that they share.

    Parameters
    ----------
    results : Evaluation, or data frame
        The result of `evaluate`, or its ``to_frame()``.
    metric : str, default="accuracy"
        One of the measures of `evaluate`.
    among : "selector", "classifier", or a tuple of both, default="selector"
        The methods to compare; values are means over everything else, sizes included.
    sizes : int or iterable of int, default=None
        Restrict the comparison to these numbers of columns.
    test : {"auto", "corrected t", "wilcoxon"}, default="auto"
        The corrected resampled t test over the folds of one data set (Nadeau and Bengio 2003); or Wilcoxon's signed
        ranks over data sets (Demšar 2006). The default is the second if there are several data sets. The p-values of
        all pairs are adjusted by Holm's method.

    Returns
    -------
    comparison : Comparison
        Differences of pairs, mean ranks, Friedman's test.
    """
    if metric not in MEASURES:
        raise ParameterError(f"metric must be one of {', '.join(MEASURES)}, got {metric!r}.")
    if test not in ("auto", "corrected t", "wilcoxon"):
        raise ParameterError(f"test must be 'auto', 'corrected t' or 'wilcoxon', got {test!r}.")
    size_set = None if sizes is None else {sizes} if not isinstance(sizes, Iterable) else set(sizes)
    rows, backend = _rows(results)
    axes = (among,) if isinstance(among, str) else tuple(among)
    values = _gather([row for row in rows if size_set is None or row["size"] in size_set], metric, axes)
    sets = list(dict.fromkeys(key[1] for key in values))
    methods = list(dict.fromkeys(key[0] for key in values))
    if len(methods) < 2:
        raise DataError(f"A comparison needs two methods or more, got {', '.join(methods) or 'none'}.")
    folds = {name: np.array([_shared(values, method, name) for method in methods]).T for name in sets}
    test_name = test if test != "auto" else "wilcoxon" if len(sets) > 1 else "corrected t"
    if test_name == "corrected t" and len(sets) > 1:
        raise ParameterError(
            f"The corrected t test compares methods on one data set, got {len(sets)}: {', '.join(sets):.80}."
        )
    share = float(np.mean([row["n_test"] / row["n_train"] for row in rows]))
    return _compare(metric, test_name, methods, folds, share, backend)


def _compare(
    metric: str, test: str, methods: list[str], folds: dict[str, Floats], share: float, backend: str | None
) -> Comparison:
    sign = -1.0 if metric in LOSSES else 1.0
    by_set = np.array([values.mean(axis=0) for values in folds.values()])
    paired = by_set if test == "wilcoxon" else next(iter(folds.values()))
    tests = []
    for a, b in combinations(range(len(methods)), 2):
        differences = paired[:, a] - paired[:, b]
        result = (float("nan"), *signed_rank(differences)) if test == "wilcoxon" else corrected_t(differences, share)
        signs = np.sign(sign * differences)
        counts = [int(np.count_nonzero(signs == each)) for each in (1, -1, 0)]
        tests.append((methods[a], methods[b], float(differences.mean()), result, counts))
    adjusted = holm([result[2] for *_, result, _ in tests])
    pairs = tuple(
        Pair(first, second, mean, *result, p, *counts)
        for (first, second, mean, result, counts), p in zip(tests, adjusted, strict=True)
    )
    many = len(folds) > 1
    return Comparison(
        metric,
        test,
        dict(zip(methods, by_set.mean(axis=0).tolist(), strict=True)),
        dict(zip(methods, mean_ranks(sign * (by_set if many else paired)).tolist(), strict=True)),
        pairs,
        friedman(sign * by_set),
        nemenyi_difference(len(methods), len(folds)) if many else float("nan"),
        backend,
    )


def _rows(results: Any) -> tuple[list[Row], str | None]:
    """Return the rows of the tidy table, and the library of the frame."""
    if isinstance(results, Evaluation):
        return list(results.rows()), results.backend
    if not is_frame(results):
        raise DataError(f"results must be an Evaluation or its to_frame(), got {type(results).__name__}.")
    table = read_table(results)
    needed = ("data", "selector", "classifier", "fold", "n_train", "n_test", "size")
    if absent := [name for name in needed if name not in table.names]:
        raise DataError(f"results has no column {absent[0]!r}; it must be the to_frame() of an Evaluation.")
    columns = [_entries(column) for column in table]
    return [dict(zip(table.names, row, strict=True)) for row in zip(*columns, strict=True)], frame_backend(results)


def _entries(column: Column) -> list[Any]:
    """Return the number or label of each row; the table has no missing labels."""
    labels = column.labels
    return column.values.tolist() if column.ordered else [labels[i] for i in column.ids.tolist()]


def _gather(rows: Sequence[Row], metric: str, axes: tuple[str, ...]) -> dict[tuple[str, str], dict[int, float]]:
    """Return the mean per fold of each method and data set."""
    if unknown := [axis for axis in axes if axis not in ("selector", "classifier")]:
        raise ParameterError(f"among must be 'selector', 'classifier' or both, got {unknown[0]!r}.")
    values: dict[tuple[str, str], dict[int, list[float]]] = {}
    for row in rows:
        key = (" + ".join(str(row[axis]) for axis in axes), str(row["data"]))
        if np.isfinite(row[metric]):
            values.setdefault(key, {}).setdefault(int(row["fold"]), []).append(float(row[metric]))
    return {key: {fold: float(np.mean(each)) for fold, each in folds.items()} for key, folds in values.items()}


def _shared(values: Mapping[tuple[str, str], Mapping[int, float]], method: str, name: str) -> list[float]:
    """Return the values of a method on the folds of a data set, which every method must have."""
    fold_numbers = sorted({fold for (_, other), folds in values.items() if other == name for fold in folds})
    scores = values.get((method, name), {})
    if absent := [fold for fold in fold_numbers if fold not in scores]:
        raise DataError(f"{method!r} has no value on fold {absent[0]} of {name!r}, which others have.")
    return [scores[fold] for fold in fold_numbers]


def corrected_error(differences: Floats, test_share: float) -> float:
    """Return the standard error of a mean over folds after Nadeau and Bengio (2003), not a number for a single fold.

    Training rows of folds overlap, so that the plain standard error is too small. With n differences of variance s² and
    ``test_share`` test rows per training row, the variance of the mean is (1 / n + test_share) s².
    """
    n = len(differences)
    return sqrt((1 / n + test_share) * float(differences.var(ddof=1))) if n > 1 else nan


def corrected_t(differences: Floats, test_share: float) -> tuple[float, float, float]:
    """Return standard error, t and p-value of Nadeau and Bengio's corrected resampled t test."""
    from scipy.special import stdtr

    n, error = len(differences), corrected_error(differences, test_share)
    if n < 2:
        return nan, nan, nan
    mean = float(differences.mean())
    t = 0.0 if mean == 0 else mean / error if error else inf if mean > 0 else -inf
    return error, t, float(2 * stdtr(n - 1, -abs(t)))


def signed_rank(differences: Floats) -> tuple[float, float]:
    """Return the smaller rank sum and the p-value of Wilcoxon's signed rank test (Demšar 2006).

    Zeros are split between both signs. The test is exact if there are neither zeros nor ties among at most 25
    differences, and the normal approximation otherwise.
    """
    from scipy.stats import wilcoxon

    if len(differences) < 2 or not differences.any():
        return nan, 1.0
    sizes = np.abs(differences)
    exact = len(differences) <= 25 and sizes.all() and len(np.unique(sizes)) == len(sizes)
    test: Any = wilcoxon(differences, zero_method="zsplit", method="exact" if exact else "approx")
    return float(test.statistic), float(test.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the number of tests, by Holm's step-down method; NaN is kept."""
    defined = [i for i, p in enumerate(p_values) if not np.isnan(p)]
    adjusted, largest = [nan] * len(p_values), 0.0
    for rank, i in enumerate(sorted(defined, key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(defined) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def mean_ranks(values: Floats) -> Floats:
    """Return the mean rank of each column over the rows: 1 for the largest value, ties shared."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(-values, axis=1).mean(axis=0)
    return ranks


def friedman(values: Floats) -> tuple[float, float, float]:
    """Return Friedman's chi-square and its p-value, and that of Iman and Davenport's F, for data sets × methods."""
    from scipy.special import chdtrc, fdtrc
    from scipy.stats import rankdata

    n, k = values.shape
    if n < 2 or k < 2:
        return nan, nan, nan
    ranks = rankdata(-values, axis=1)
    # With ties the variance of the ranks is smaller than (k² - 1) / 12.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))
    if spread == 0:
        return 0.0, 1.0, 1.0
    chi = n * float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()) / spread
    room = n * (k - 1) - chi
    f = (n - 1) * chi / room if room > 0 else inf
    return chi, float(chdtrc(k - 1, chi)), float(fdtrc(k - 1, (k - 1) * (n - 1), f))


@lru_cache(maxsize=64)
def nemenyi_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, for all pairs together (Demšar 2006)."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / sqrt(2)
    return q * sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
