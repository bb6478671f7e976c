# SPDX-License-Identifier: BSD-3-Clause
"""Class probabilities of rows that were held out from training, for each number of columns; finished folds as files."""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data import FinishedWork
from bayesieve.evaluation import score_probabilities, scores_with_errors
from bayesieve.exceptions import DataError

__all__ = ["FoldCache", "FoldPredictions", "HeldOutPredictions"]


@dataclass(frozen=True)
class FoldPredictions:
    """Predictions for the rows of one outer fold, by a model that was selected and fitted without them.

    Attributes
    ----------
    rows : int array of shape (n_samples,)
        Positions of the rows in the table.
    sizes : tuple of int
        Numbers of columns on the model's path, increasing.
    stages : float64 array of shape (len(sizes) + 1, n_samples, n_classes)
        Class probabilities for each size; the last entry is for the size that the model selected.
    decisions : int array of shape (len(sizes) + 1, n_samples)
        Index of the predicted class for each size, by its threshold or by expected benefits; the last is for the size
        that the model selected.
    columns : tuple of str
        The selected columns.
    complete : bool
        Whether the search came to its end, and was not stopped by a time limit.
    amounts : array of shape (n_samples,), or None
        The amount that the model expects of each row if it is positive; None where amounts do not depend on the row.
    """

    rows: NDArray[np.intp]
    sizes: tuple[int, ...]
    stages: Floats
    decisions: NDArray[np.intp]
    columns: tuple[str, ...]
    complete: bool = True
    amounts: Floats | None = None

    def probabilities(self, size: int | None) -> Floats:
        """Return class probabilities at the largest size up to ``size``; None: at the selected size."""
        stage: Floats = self.stages[self._place(size)]
        return stage

    def predicted(self, size: int | None) -> NDArray[np.intp]:
        """Return the index of the predicted class of each row, likewise."""
        stage: NDArray[np.intp] = self.decisions[self._place(size)]
        return stage

    def _place(self, size: int | None) -> int:
        smaller = [i for i, each in enumerate(self.sizes) if size is None or each <= size]
        return -1 if size is None else smaller[-1] if smaller else 0


@dataclass(frozen=True)
class HeldOutPredictions:
    """Predictions for held-out rows: those of all outer folds, or those held out from a single model.

    Attributes
    ----------
    folds : sequence of FoldPredictions
        One per outer fold; with a single model, one of all held-out rows.
    target : int array of shape (n_samples,)
        Index of the class of each row.
    classes : array of shape (n_classes,)
        Class labels.
    n_train : int or None
        Number of training rows of the single model; None with outer folds.
    weights : array of shape (n_samples,), or None
        Weights of the rows, by which scores are weighted; all counts are counts of rows.
    trained_on : sequence of arrays, or None
        The training rows of each outer fold; None if they are all other rows.
    baselines : sequence of arrays, or None
        What class frequencies predict for the rows of each fold, where the training rows are not here.
    note : str
        How rows were held out, where it is not the usual way.
    rows_per_observation : float
        The number of rows that count as one in intervals of shares: more than 1 for rows in groups.
    in_sample : bool
        Whether the rows are the training rows after all.
    """

    folds: Sequence[FoldPredictions]
    target: NDArray[np.intp]
    classes: NDArray[Any]
    n_train: int | None = None
    weights: Floats | None = None
    trained_on: Sequence[NDArray[np.intp]] | None = None
    baselines: Sequence[Floats] | None = None
    note: str = ""
    rows_per_observation: float = 1.0
    in_sample: bool = False

    @property
    def method(self) -> str:
        """What the scores are: "cross-validated", "held-out", or "optimistic" on training rows."""
        return "cross-validated" if self.n_train is None else "optimistic" if self.in_sample else "held-out"

    @property
    def description(self) -> str:
        """How rows were held out; empty with the usual outer folds."""
        if self.note or self.n_train is None:
            return self.note
        n_held_out, n_rows = len(self.target), len(self.target) + self.n_train
        return (
            f"{n_held_out:,} of {n_rows:,} rows, spread evenly over the table, were held out. One model was selected "
            f"and fitted on the other {self.n_train:,} rows and evaluated on the held-out rows, without "
            "cross-validation. Scores and decisions are those of the held-out rows."
        )

    @property
    def predicted(self) -> NDArray[np.intp]:
        """Index of the predicted class of each row, by the decision rule of the model."""
        return self.decisions(None)

    def decisions(self, size: int | None) -> NDArray[np.intp]:
        """Return the same at this number of columns; None: at the selected size."""
        return self._in_table_order(fold.predicted(size) for fold in self.folds)

    @property
    def amounts(self) -> Floats | None:
        """The amount that is expected of each row if it is positive; None where it does not depend on the row."""
        amounts = [fold.amounts for fold in self.folds if fold.amounts is not None]
        return self._in_table_order(amounts) if amounts else None

    def probabilities(self, size: int | None) -> Floats:
        """Return class probabilities of every row at this number of columns; None: at the selected size."""
        return self._in_table_order(fold.probabilities(size) for fold in self.folds)

    def training_rows(self, fold: FoldPredictions) -> NDArray[np.intp]:
        """Return the rows that the model of an outer fold was fitted on."""
        if self.trained_on is not None:
            return self.trained_on[self._number(fold)]
        return np.setdiff1d(np.arange(len(self.target)), fold.rows)

    def frequencies(self, fold: FoldPredictions) -> Floats:
        """Return what class frequencies predict for the rows of a fold: those of its training rows.

        The training rows of a single model are not here; the held-out rows have its frequencies, as they are spread
        evenly over the table.
        """
        if self.baselines is not None:
            return self.baselines[self._number(fold)]
        rows = self.training_rows(fold) if self.n_train is None else np.arange(len(self.target))
        weights = None if self.weights is None else self.weights[rows]
        counts = np.bincount(self.target[rows], weights, len(self.classes))
        return np.tile(counts / counts.sum(), (len(fold.rows), 1))

    def scores(self, size: int | None) -> dict[str, tuple[float, float]]:
        """Return each metric and its standard error at this number of columns; None: at the selected size."""
        return self.scores_of([fold.probabilities(size) for fold in self.folds])

    def scores_of(self, probabilities: Sequence[Floats]) -> dict[str, tuple[float, float]]:
        """Return the same of other predictions for the rows of each fold.

        With outer folds, means over folds and their standard errors, taking folds as independent. With a single model,
        the scores of all held-out rows, with standard errors over rows.
        """
        if self.n_train is not None:
            (all_rows,) = probabilities
            return scores_with_errors(self.classes, all_rows, self.target)
        by_fold = self.fold_scores(probabilities)
        return {name: (mean(each), stdev(each) / len(each) ** 0.5) for name, each in by_fold.items()}

    def fold_scores(self, probabilities: Sequence[Floats]) -> dict[str, list[float]]:
        """Return the scores of other predictions for the rows of each fold, by name of the metric."""
        scores: dict[str, list[float]] = {}
        classes = np.arange(len(self.classes))
        for fold, each in zip(self.folds, probabilities, strict=True):
            weights = None if self.weights is None else self.weights[fold.rows]
            # Indices of classes, which are compared faster than their labels.
            for name, score in score_probabilities(self.target[fold.rows], each, classes, weights).items():
                scores.setdefault(name, []).append(score)
        return scores

    def restricted(self) -> tuple[NDArray[np.intp], "HeldOutPredictions"]:
        """Return the rows that were held out in some fold, and the same predictions for a table of these rows only."""
        rows = np.sort(np.concatenate([fold.rows for fold in self.folds]))
        if len(rows) == len(self.target):
            return rows, self
        return rows, replace(
            self,
            folds=[replace(fold, rows=np.searchsorted(rows, fold.rows)) for fold in self.folds],
            target=self.target[rows],
            weights=None if self.weights is None else self.weights[rows],
            trained_on=None,
            baselines=[self.frequencies(fold) for fold in self.folds],
        )

    def _number(self, fold: FoldPredictions) -> int:
        return next(number for number, each in enumerate(self.folds) if each is fold)

    def _in_table_order(self, values: Iterable[NDArray[Any]]) -> NDArray[Any]:
        by_fold = list(values)
        ordered = np.empty((len(self.target), *by_fold[0].shape[1:]), dtype=by_fold[0].dtype)
        for fold, each in zip(self.folds, by_fold, strict=True):
            ordered[fold.rows] = each
        return ordered


@dataclass(frozen=True)
class FoldCache:
    """A folder with one file per finished fold, so that an interrupted cross-validation can be resumed.

    ``key`` identifies data and parameters, and keeps other runs apart.
    """

    folder: Path
    key: str

    def write(self, number: int, fold: FoldPredictions) -> None:
        """Store a fold."""
        document = {
            "rows": _packed(fold.rows),
            "sizes": [int(size) for size in fold.sizes],
            "stages": _packed(fold.stages),
            "decisions": _packed(fold.decisions),
            "columns": list(fold.columns),
            "complete": bool(fold.complete),
            "amounts": None if fold.amounts is None else _packed(fold.amounts),
        }
        FinishedWork(self._path(number), "file").replace(document)

    def read(self, number: int) -> FoldPredictions | None:
        """Return a stored fold; None if there is none, or its file is damaged."""
        try:
            (document,) = FinishedWork(self._path(number), "file").documents()
            if document is None:
                return None
            rows, stages, decisions = (_unpacked(document[name]) for name in ("rows", "stages", "decisions"))
            sizes, columns = tuple(document["sizes"]), tuple(document["columns"])
            amounts = None if document["amounts"] is None else _unpacked(document["amounts"])
            return FoldPredictions(rows, sizes, stages, decisions, columns, document["complete"], amounts)
        except (DataError, ValueError, KeyError, TypeError):
            return None

    def count(self, n_folds: int) -> int:
        """Return how many of the folds are stored."""
        return sum(self._path(number).exists() for number in range(n_folds))

    def _path(self, number: int) -> Path:
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:16]
        return self.folder / f"fold_{digest}_{number}.json"


def _packed(array: NDArray[Any]) -> list[Any]:
    """Return an array as values of JSON."""
    return [array.dtype.str, array.shape, b64encode(array.tobytes()).decode()]


def _unpacked(packed: list[Any]) -> NDArray[Any]:
    kind, shape, content = packed
    return np.frombuffer(b64decode(content), dtype=kind).reshape(shape).copy()
