# SPDX-License-Identifier: BSD-3-Clause
"""ESNB's three enhancements, one at a time: bins, criterion and threshold, and what they enhance.

Langley and Sage's selective naive Bayes has a normal distribution per number and class, adds the column that leaves the
training accuracy highest while it does not fall, and predicts the more probable class. The library has no densities
(a move looks up codes), so that these searches are plain loops here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.decisions.threshold import ThresholdRule, find_threshold
from bayesieve.estimators import SelectiveNaiveBayes
from bayesieve.evaluation.encodings import Likelihoods
from bayesieve.evaluation.labeled_table import LabeledTable
from bayesieve.papers.paper_002.challenge import LOADERS, labeled_rows
from bayesieve.papers.paper_002.folds import SETS, take_rows
from bayesieve.papers.paper_002.paper_scores import score

__all__ = ["run_ablation", "select_by_densities"]

Rows = NDArray[np.intp]
Record = dict[str, Any]
_MOST_COLUMNS: Final = 200  # of a search that continues while the accuracy does not fall
_WIDE: Final = 50_000  # columns of binary sets, for which densities are frequencies
_CRITERIA: Final = {"accuracy": "error", "lift": "lift"}


@dataclass(frozen=True)
class _Split:
    """Training and test rows of a table, and the classes 0 and 1."""

    data: Any
    target: NDArray[np.int64]
    train: Rows
    test: Rows


def run_ablation(name: str, n_folds: int = 10) -> Record:
    """Return columns and scores of each combination: on the validation rows of a challenge set, or over folds."""
    if name in LOADERS:
        X, target = labeled_rows(name)
        n_valid = len(LOADERS[name]("valid").target)
        rows = np.arange(len(target))
        splits = [_Split(X, target, rows[:-n_valid], rows[-n_valid:])]
    else:
        bunch: Bunch = SETS[name]()
        target = np.asarray(bunch.target, dtype=np.int64)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=1).split(np.zeros((len(target), 1)), target)
        splits = [_Split(bunch.data, target, train, test) for train, test in folds]
    return {"set": name, "folds": [_combinations(split) for split in splits]}


def _combinations(split: _Split) -> list[Record]:
    """Return one record per search: bins and criterion; thresholds share it."""
    records = []
    for bins in ("modl", "equal_width"):
        for criterion, its_name in _CRITERIA.items():
            changes = {} if bins == "modl" else {"discretizer": bins}
            model = SelectiveNaiveBayes.esnb(criterion=its_name, **changes)
            model.fit(take_rows(split.data, split.train), split.target[split.train])
            probabilities = model.predict_proba(take_rows(split.data, split.test))[:, 1]
            chosen = np.asarray(model.predict(take_rows(split.data, split.test)) == 1)
            records.append(_record(split, (bins, criterion), int(model.n_features_), probabilities, chosen))
    if split.data.shape[1] < _WIDE:
        table = LabeledTable(split.data, split.target)
        encoding = Likelihoods(table, split.train, split.test)
        names = range(table.table.n_columns)
        points = [picked for j in names if (picked := encoding.pick([j])) is not None]
        train, test = (np.array([each[side][:, 1] - each[side][:, 0] for each in points]) for side in (0, 1))
        for criterion in ("accuracy", "lift", "accuracy may stay"):
            records.append(_with_densities(split, criterion, train, test))
    return records


def _with_densities(split: _Split, criterion: str, train: Floats, test: Floats) -> Record:
    """Select columns, given what each adds to the log-odds of training and test rows."""
    target = split.target[split.train]
    prior = np.log(target.mean() / (1 - target.mean()))
    columns = select_by_densities(train, target, prior, criterion)
    probabilities, fitted = (
        1 / (1 + np.exp(-np.clip(prior + each[columns].sum(axis=0), -700, 700))) for each in (test, train)
    )
    chosen = find_threshold(ThresholdRule("chi2"), fitted, target).accepts(probabilities)
    return _record(split, ("gaussian", criterion), len(columns), probabilities, np.asarray(chosen))


def select_by_densities(points: Floats, target: NDArray[np.int64], prior: float, criterion: str) -> list[int]:
    """Add the column of the best score of the training rows, the first of ties, while the score rises.

    Parameters
    ----------
    points : array of shape (n_features, n_samples)
        What each column adds to the log-odds of each row.
    target : array of shape (n_samples,)
        Classes 0 and 1.
    prior : float
        Log-odds without columns.
    criterion : {"accuracy", "lift", "accuracy may stay"}
        The last one continues while the accuracy does not fall, up to 200 columns.
    """
    measure: Callable[[Floats], Floats] = _lift(target) if criterion == "lift" else _accuracy(target)
    scores, selected = np.full(len(target), prior), list[int]()
    best = float(measure(scores[None])[0])
    left = np.ones(len(points), dtype=bool)
    while left.any() and len(selected) < _MOST_COLUMNS:
        reached = np.where(left, measure(scores + points), -np.inf).round(12)
        column = int(reached.argmax())
        if reached[column] < best or (reached[column] <= best + 1e-12 and criterion != "accuracy may stay"):
            break
        best, left[column] = float(reached[column]), False
        scores = scores + points[column]
        selected.append(column)
    return selected


def _accuracy(target: NDArray[np.int64]) -> Callable[[Floats], Floats]:
    """Return the share of rows that are classified correctly, per row of a matrix of log-odds."""
    return lambda scores: np.asarray(((scores > 0) == (target == 1)).mean(axis=1))


def _lift(target: NDArray[np.int64]) -> Callable[[Floats], Floats]:
    """Return the area under the ROC curve, which orders as that under the lift curve does."""
    n_positive = int(target.sum())
    pairs = n_positive * (len(target) - n_positive)

    def area(scores: Floats) -> Floats:
        ranks = rankdata(scores.round(8), axis=1)[:, target == 1].sum(axis=1)
        return np.asarray((ranks - n_positive * (n_positive + 1) / 2) / pairs)

    return area


def _record(
    split: _Split, names: Sequence[str], n_columns: int, probabilities: Floats, chosen: NDArray[np.bool_]
) -> Record:
    """Return scores with both thresholds: one half, and the one of the largest chi-square."""
    target = split.target[split.test]
    half = score(target, probabilities, (probabilities > 0.5).astype(np.int64))
    return {
        "bins": names[0],
        "criterion": names[1],
        "n_columns": n_columns,
        "auc": half["auc"],
        "half": half["ber"],
        "chi2": score(target, probabilities, chosen.astype(np.int64))["ber"],
    }
