# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of the experiment: votes per set and fold, and the filters per set, fold and filter."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_001.fold_experiment import FoldExperiment, FoldJobs, evaluation_task
from bayesieve.papers.paper_001.paper_methods import FILTERS, LEARNERS, selectors
from bayesieve.papers.paper_001.scorecard import run_scorecard
from bayesieve.papers.paper_003.paper_summary import summarize
from bayesieve.papers.paper_003.vote_folds import run_votes

__all__ = ["VOTES", "vote_tables"]


def vote_tables(cv: int = 10, sizes: int = 10, sets: Sequence[str] = ()) -> Experiment:
    """Return the experiment on all data sets, or on those named; ``sizes`` is the number k of voting columns."""
    return VOTES.open(cv, sizes, sets)


@lru_cache(maxsize=1)
def _task(n_folds: int, k: int) -> EvaluationTask:
    filters = {name: each for name, each in selectors(k).items() if name in FILTERS}
    return evaluation_task(filters, {name: replace(each, grid=None) for name, each in LEARNERS.items()}, n_folds, k)


_OTHERS: Final = {"votes": FoldJobs(run_votes), "scorecard": FoldJobs(run_scorecard)}
VOTES: Final = FoldExperiment("filters", _OTHERS, _task, summarize)  # without tuning, for speed
