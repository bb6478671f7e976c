# SPDX-License-Identifier: BSD-3-Clause
"""The selectors and classifiers that the paper compares."""

from typing import Any, Final

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from bayesieve.estimators import FilterSelector, VoteSelector
from bayesieve.evaluation import Learner
from bayesieve.papers.paper_001.gaussian_naive_bayes import SummedLikelihoods

__all__ = ["BINNED", "FILTERS", "GAUSSIAN", "LEARNERS", "VOTES", "selectors"]

# The paper does not report its discretization. With ten equal-frequency intervals every column has a rank.
_CODES: Final = "equal_frequency"

FILTERS: Final[dict[str, str]] = {
    "SUR": "symmetric_uncertainty",
    "GRR": "gain_ratio",
    "MIR": "mutual_info",
    "CR": "pearson",
    "CER": "conditional_entropy",
    "CS": "cfs",
    "RF": "relieff",
    "MRMR": "mrmr",
}
VOTES: Final[dict[str, tuple[str, str]]] = {
    "CVE": ("all", "expected"),
    "CVL": ("all", "log"),
    "DVE": ("any", "expected"),
    "DVL": ("any", "log"),
}
BINNED: Final = "naive Bayes"
GAUSSIAN: Final = "Gaussian naive Bayes"
_STRENGTHS: Final = {"C": (0.01, 0.1, 1.0, 10.0, 100.0)}

# On one-hot encoded columns, multinomial naive Bayes is categorical naive Bayes, with the same bins as the selectors.
# The Gaussian one has the estimates of Weka, whose naive Bayes the paper used.
LEARNERS: Final = {
    "logistic regression": Learner(LogisticRegression(solver="liblinear"), _STRENGTHS, "numbers"),
    "linear SVM": Learner(LinearSVC(dual=False), _STRENGTHS, "numbers"),
    BINNED: Learner(MultinomialNB(), None, "deciles"),
    GAUSSIAN: Learner(SummedLikelihoods(), None, "likelihoods"),
}


def selectors(n_columns: int) -> dict[str, Any]:
    """Return the twelve selectors, each with a path of ``n_columns``; CFS stops by itself and ranks the rest.

    Votes are scored on their training rows, as in the paper.
    """
    by_name: dict[str, Any] = {
        name: FilterSelector(score, n_features="auto" if score == "cfs" else n_columns, discretizer=_CODES)
        for name, score in FILTERS.items()
    }
    for name, (rule, criterion) in VOTES.items():
        by_name[name] = VoteSelector(rule, criterion, n_features=n_columns, stop="k", cv=0, discretizer=_CODES)
    return by_name
