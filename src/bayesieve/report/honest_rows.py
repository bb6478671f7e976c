"""What is believed of each row by a model that has not seen it, for each number of columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.evaluation import OuterFit, score_probabilities

__all__ = ["FoldRows", "HonestRows", "fold_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FoldRows:
    """The rows of one outer fold, believed by a model that was selected and fitted without them.

    Attributes
    ----------
    rows : int array of shape (n_rows,)
        Their positions in the table.
    sizes : tuple of int
        Numbers of columns that the model offers, increasing; the last entry of ``stages`` is the model's own choice.
    stages : float64 array of shape (len(sizes) + 1, n_rows, n_classes)
        Class probabilities.
    predicted : int array of shape (n_rows,)
        The class that the model decides for, as an index.
    columns : tuple of str
        Its selection.
    """

    rows: NDArray[np.intp]
    sizes: tuple[int, ...]
    stages: Floats
    predicted: NDArray[np.intp]
    columns: tuple[str, ...]

    def probabilities(self, size: int | None) -> Floats:
        """Return what the model with so many columns, or the next fewer that it offers, believes; None: its choice."""
        fewer = [i for i, each in enumerate(self.sizes) if size is None or each <= size]
        stage: Floats = self.stages[-1 if size is None else fewer[-1] if fewer else 0]
        return stage


def fold_rows(fold: OuterFit, classes: NDArray[Any]) -> FoldRows:
    """Ask the model of a fold for what it believes of its rows."""
    staged = dict(fold.model.staged_predict_proba(fold.X))
    own = fold.model.predict_proba(fold.X)
    stages = np.array([*staged.values(), own], dtype=np.float64)
    predicted = np.searchsorted(classes, fold.model.predict(fold.X))
    return FoldRows(fold.rows, tuple(staged), stages, predicted, tuple(fold.model.path_.order))


@dataclass(frozen=True)
class HonestRows:
    """All outer folds together; or groups of rows that were held out from one model, which learnt from ``n_fitted``."""

    folds: Sequence[FoldRows]
    target: NDArray[np.intp]
    classes: NDArray[Any]
    n_fitted: int | None = None

    @property
    def words(self) -> str:
        """How rows held out were judged; nothing of outer folds."""
        if self.n_fitted is None:
            return ""
        held, n_rows = len(self.target), len(self.target) + self.n_fitted
        return (
            f"{held:,} of {n_rows:,} rows, spread evenly over the table, were held out: one model was selected and "
            f"fitted on the other {self.n_fitted:,} rows and judged on these, and not fitted again for each fold. "
            f"Scores are means over {len(self.folds)} groups of the rows held out, and counts are of these rows."
        )

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The class that each row was given by the decision rule of the model that has not seen it."""
        return self._gather(fold.predicted for fold in self.folds)

    def probabilities(self, size: int | None) -> Floats:
        """Return class probabilities of every row, with so many columns; None: with as many as each fold chose."""
        return self._gather(fold.probabilities(size) for fold in self.folds)

    def scores(self, size: int | None) -> dict[str, list[float]]:
        """Return the scores of each fold."""
        found: dict[str, list[float]] = {}
        for fold in self.folds:
            truth = self.classes[self.target[fold.rows]]
            for name, score in score_probabilities(truth, fold.probabilities(size), self.classes).items():
                found.setdefault(name, []).append(score)
        return found

    def _gather(self, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
        pieces = list(parts)
        whole = np.empty((len(self.target), *pieces[0].shape[1:]), dtype=pieces[0].dtype)
        for rows, piece in zip(self._rows(), pieces, strict=True):
            whole[rows] = piece
        return whole

    def _rows(self) -> Iterator[NDArray[np.intp]]:
        return (fold.rows for fold in self.folds)
