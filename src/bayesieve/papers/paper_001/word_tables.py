# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes on the columns of votes and of filters, on several word tables."""

from typing import Any, Final

import numpy as np

from bayesieve.evaluation.data_set import DataSet
from bayesieve.evaluation.evaluation_task import FoldEvaluator
from bayesieve.papers.paper_001.paper_methods import BINNED, LEARNERS, VOTES, selectors

__all__ = ["RANKINGS", "run_words"]

RANKINGS: Final = ("SUR", "GRR", "MIR", "CR", "MRMR")
"""Filters whose rankings differ and that take seconds on 500 columns."""


def run_words(data_set: DataSet, fold: int, most_columns: int) -> dict[str, Any]:
    """Return recall and precision of each selector, means over the numbers of columns."""
    evaluator = FoldEvaluator(data_set, fold, range(1, most_columns + 1), 5, "accuracy", None, 0)
    rates = {}
    for name, selector in selectors(most_columns).items():
        if name in (*VOTES, *RANKINGS):
            scores = evaluator.score(LEARNERS[BINNED], evaluator.select(selector)[1])
            rates[name] = {each: float(np.mean(scores[each])) for each in ("recall", "precision")}
    return {"rates": rates}
