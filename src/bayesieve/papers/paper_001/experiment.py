# SPDX-License-Identifier: BSD-3-Clause
"""The jobs: one per set, fold and selector, and others per set and fold: recall floor, scorecard, word tables."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from bayesieve.evaluation.data_set import DataSet
from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.papers.experiment import Experiment, Record
from bayesieve.papers.paper_001.fold_experiment import FoldExperiment, FoldJobs, evaluation_task
from bayesieve.papers.paper_001.paper_methods import LEARNERS, selectors
from bayesieve.papers.paper_001.paper_summary import summarize
from bayesieve.papers.paper_001.recall_floor import run_floor
from bayesieve.papers.paper_001.scorecard import run_scorecard
from bayesieve.papers.paper_001.sets import WORD_TABLES
from bayesieve.papers.paper_001.word_tables import run_words

__all__ = ["RECALL", "recall_tables"]


def recall_tables(cv: int = 10, sizes: int = 50, sets: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named."""
    return RECALL.open(cv, sizes, sets)


@lru_cache(maxsize=1)
def _task(n_folds: int, most_columns: int) -> EvaluationTask:
    return evaluation_task(selectors(most_columns), LEARNERS, n_folds, most_columns, WORD_TABLES)


def _floor(data_set: DataSet, fold: int, most_columns: int) -> Record:
    return run_floor(data_set, fold)


_OTHERS: Final = {
    "floor": FoldJobs(_floor),
    "scorecard": FoldJobs(run_scorecard),
    "words": FoldJobs(run_words, WORD_TABLES),
}
RECALL: Final = FoldExperiment("sizes", _OTHERS, _task, summarize)
