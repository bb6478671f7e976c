# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scorecard's own out-of-fold log loss is that of new rows: ``python -m benchmarks own_scores``.

Tables are simulated, so that new rows are as many as one likes: of several sizes, with rare classes, with groups of
rows that have an effect in common and are given as groups, and with rows that a join repeats. The difference is the
model's own loss, of rows that were held out of its folds, less that of new rows. Its error is that of both means; rows
of a group, and copies of a row, count together. Where losses of rows hardly differ, as with equally frequent classes
and columns of noise, what remains is the error of the frequencies, whose loss is a chi-square divided by the rows.
"""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve import ScorecardClassifier
from benchmarks.report import markdown_table

__all__ = ["KINDS", "OwnScore", "main", "own_score", "summarize"]

KINDS: Final = ("plain", "rare", "groups", "repeated")
_SIZES: Final = (150, 300, 600, 1200)
_NEW: Final = 20_000
_PER_GROUP: Final = 5
_ERRORS: Final = 2.0
_LEAST: Final = 1e-12

_Rows = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class OwnScore:
    """The own loss of a fit, that of new rows, and the standard error of their difference."""

    kind: str
    n_rows: int
    own: float
    new: float
    error: float

    @property
    def difference(self) -> float:
        """By how much the own loss is larger."""
        return self.own - self.new


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the tables, and print how own losses and those of new rows differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks own_scores", description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="number of tables (200)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (0)")
    args = parser.parse_args(arguments)
    scores = [own_score(seed) for seed in range(args.first, args.first + args.tables)]
    lines = []
    for kind in (*KINDS, "all"):
        if own := [score for score in scores if kind in (score.kind, "all")]:
            within, mean, error = summarize(own)
            lines.append([kind, str(len(own)), f"{within:.0%}", f"{mean:+.4f} ({error:.4f})"])
    print("\n".join(markdown_table(["tables", "number", "within two errors", "own less new (error)"], lines)))


def summarize(scores: Sequence[OwnScore]) -> tuple[float, float, float]:
    """Return the share of differences within two errors, the mean difference and its standard error."""
    within = fmean(abs(each.difference) <= _ERRORS * each.error for each in scores)
    differences = [each.difference for each in scores]
    return within, fmean(differences), stdev(differences) / len(scores) ** 0.5 if len(scores) > 1 else float("nan")


def own_score(seed: int) -> OwnScore:
    """Return the scores of one table."""
    rng = np.random.default_rng(seed)
    kind, n = KINDS[seed % len(KINDS)], int(rng.choice(_SIZES))
    process = _Process(rng, kind)
    X, y, groups = process.rows(rng, n)
    new, truth, new_groups = process.rows(rng, _NEW)
    given = {"groups": groups} if kind == "groups" else {}
    rows = rng.permutation(np.repeat(np.arange(n), int(rng.integers(2, 4)))) if kind == "repeated" else np.arange(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some tables are noise, and others have copies
        model = ScorecardClassifier(n_jobs=1).fit(X[rows], y[rows], **given)
    losses = -np.log(np.clip(model.predict_proba(new)[np.arange(_NEW), truth], _LEAST, 1.0))
    of_groups = np.bincount(new_groups, weights=losses) / np.bincount(new_groups)
    n_kinds = len(np.unique(groups))
    error = (float(of_groups.var()) * (1.0 / len(of_groups) + 1.0 / n_kinds) + 2.0 / n_kinds**2) ** 0.5
    return OwnScore(kind, len(rows), -model.path_.phases[-1].score, float(losses.mean()), error)


class _Process:
    """Where the rows of a table come from."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        self._kind, n_columns = kind, int(rng.integers(4, 15))
        self._slopes = rng.normal(size=n_columns) * (rng.random(n_columns) < 0.5) * rng.choice([0.0, 0.5, 1.0])
        self._pair = float(rng.choice([0.0, 1.5]))
        self._threshold = float(rng.choice([2.5, 4.0])) if kind == "rare" else 0.0

    def rows(self, rng: np.random.Generator, n: int) -> _Rows:
        """Return columns, classes and the group of each row, two of each class or more; without groups, each is one."""
        while True:
            X, y, groups = self._drawn(rng, n)
            if np.bincount(y, minlength=2).min() >= 2:
                return X, y, groups

    def _drawn(self, rng: np.random.Generator, n: int) -> _Rows:
        X = rng.normal(size=(n, len(self._slopes)))
        X[:, 1], X[:, 2] = X[:, 1].round(1), (X[:, 2] > 0.5)
        groups = np.arange(n)
        score = X @ self._slopes + self._pair * (X[:, 0] > 0) * (X[:, 3] > 0) - self._threshold
        if self._kind == "groups":
            groups = groups // _PER_GROUP
            common = rng.normal(size=(int(groups.max()) + 1, 2))
            X[:, 0] = X[:, 0] * 0.3 + common[groups, 0]
            score = score + 1.5 * common[groups, 1]
        return X, (rng.logistic(size=n) < score).astype(np.int64), groups


if __name__ == "__main__":
    main()
