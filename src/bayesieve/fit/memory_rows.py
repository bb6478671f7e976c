# SPDX-License-Identifier: BSD-3-Clause
"""Training rows in this process."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data import LabeledRows
from bayesieve.decisions import read_benefits
from bayesieve.exceptions import ParameterError
from bayesieve.fit.coded_folds import RowScorer, class_segments, segment_fingerprints
from bayesieve.fit.fold_counts import Fold, sampled_rows, scored_weight
from bayesieve.fit.learning import learn
from bayesieve.fit.options import Splitter, TrainingOptions
from bayesieve.fit.problem_data import ProblemData
from bayesieve.models import Model
from bayesieve.search.engine import MemorySegments

__all__ = ["MemoryFolds", "MemoryRows"]


@dataclass(frozen=True)
class MemoryRows(LabeledRows):
    """Labeled rows, and where they come from.

    Attributes
    ----------
    validation : LabeledRows or None
        Other rows, on which subsets are scored instead of folds.
    example : data frame or array
        The user's table.
    """

    validation: LabeledRows | None = None
    example: Any = None

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given."""
        return self.validation is not None

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "MemoryRows":
        """Return the rows with the benefits of actions: one matrix for all rows, or one per row."""
        if matrix is not None:
            return replace(self, benefits=read_benefits(matrix, self.n_classes, name="benefit_matrix"))
        if self.has_validation_rows:
            raise ParameterError("benefits are of training rows only; use cv with folds or a share, not X_val.")
        return replace(self, benefits=read_benefits(benefits, self.n_classes, self.n_rows))

    def learn(self, options: TrainingOptions, groups: ArrayLike | None) -> ProblemData:
        """Divide the rows into folds, learn bins and tables of each fold, and code the validation rows."""
        folds = self._folds(options.splitter, groups)
        n_scored = scored_weight(self, folds)
        on_training_rows = options.splitter is None and not self.has_validation_rows
        if not on_training_rows:
            everything = np.arange(self.n_rows)
            folds.append(Fold(everything, everything if options.learns_on_path else sampled_rows(self.n_rows)))
        training = [Fold(fold.training, fold.training) for fold in folds[:-1]] if options.learns_on_path else []
        columns = learn(
            self,
            [*training, *folds],
            options.rule,
            options.model,
            n_threads=options.n_threads,
            required=options.columns.required,
            dropped=options.columns.drop,
            with_values=options.shapes is not None,
        )
        segments = [fold.segment for fold in columns.folds if fold.segment is not None]
        n_training = len(training)
        validation = MemoryFolds(segments[n_training:] if on_training_rows else segments[n_training:-1])
        return ProblemData(
            columns,
            validation,
            MemoryFolds(segments[:n_training]) or validation,
            columns.folds[-1],
            MemoryFolds(segments[-1:]),
            n_scored,
            on_training_rows,
        )

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Return the fold of each row, in the order of the coded rows, by class; None without a splitter."""
        if splitter is None:
            return None
        fold = np.full(self.n_rows, -1, dtype=np.int64)
        for q, each in enumerate(splitter.split(self, groups)):
            rows = np.asarray(each.validation)
            if (fold[rows] >= 0).any():
                raise ParameterError("cv must hold out each row once; this one holds out some rows twice.")
            fold[rows] = q
        if ((fold < 0) & (self.weights.units > 0)).any():
            raise ParameterError("cv must hold out each row once; this one never holds out some rows.")
        return fold[np.argsort(self.target.codes, kind="stable")]

    def _folds(self, splitter: Splitter | None, groups: ArrayLike | None) -> list[Fold]:
        everything = np.arange(self.n_rows)
        if self.validation is not None:
            return [Fold(everything, self.validation)]
        return [Fold(everything, everything)] if splitter is None else list(splitter.split(self, groups))


class MemoryFolds(MemorySegments):
    """A segment per fold."""

    __slots__ = ()

    def scorer(self, model: Model, *, joined: bool) -> RowScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return RowScorer(self, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint of all that decides the scores."""
        return segment_fingerprints(self)

    def leave_one_out(self) -> "MemoryFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        rows = self[0]
        tables = [rows.tables.without_own(c) for c in range(rows.n_classes)]
        return MemoryFolds(segment for segment in class_segments(self, tables) if segment.codes.n_rows)

    def in_memory(self, unit: float) -> tuple["MemoryFolds", float]:
        """Return rows that can be held in memory, and the unit of their weights."""
        return self, unit
