# SPDX-License-Identifier: BSD-3-Clause
"""What rows give to a search: what every fold learned, and the coded rows on which subsets are scored."""

from dataclasses import dataclass

from bayesieve.data import RowBlocks
from bayesieve.fit.coded_folds import CodedFolds
from bayesieve.fit.learning import LearnedColumns, LearnedFold
from bayesieve.search.engine import Segment

__all__ = ["ProblemData"]


@dataclass(frozen=True)
class ProblemData:
    """Learned columns and coded rows.

    Attributes
    ----------
    columns : LearnedColumns
        What every fold learned.
    validation : CodedFolds
        The rows on which subsets are scored.
    training : CodedFolds
        The training rows of each fold, if the search learns from them as it goes; ``validation`` otherwise.
    final : LearnedFold
        Learned from all rows; its segment is a sample that measures how columns depend on each other.
    everything : CodedFolds
        All rows under ``final``, if the search learns as it goes.
    n_scored : float
        Weight of the validation rows, each counted once.
    on_training_rows : bool
        Whether subsets are scored on the rows that they are learned from.
    all_rows : RowBlocks of Segment, or None
        All coded rows, where those here are a sample of them.
    """

    columns: LearnedColumns
    validation: CodedFolds
    training: CodedFolds
    final: LearnedFold
    everything: CodedFolds
    n_scored: float
    on_training_rows: bool
    all_rows: RowBlocks[Segment] | None = None
