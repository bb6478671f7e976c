# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table: classifiers that predict who will answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayesieve import BoostSelector, SelectiveNaiveBayes
from bayesieve.decisions import mailing_benefits
from bayesieve.experiments.paper_000.campaign import Campaign

__all__ = ["METHODS", "PATH", "MailingMethod"]

_PLAIN: Final = {"weights": "none", "bins": "best"}  # the paper's naive Bayes, on the best bins


@dataclass(frozen=True)
class MailingMethod:
    """A row.

    Attributes
    ----------
    key : str
        Its name, by which the paper's figures are looked up.
    fit : callable
        ``fit(campaign, fitted, n_threads)`` returns a classifier; ``fitted`` has those of the previous rows.
    """

    key: str
    fit: Callable[[Campaign, Mapping[str, Any], int], Any]


def _fit(campaign: Campaign, n_threads: int, benefits: Any = None, **options: Any) -> Any:
    train = campaign.train
    return SelectiveNaiveBayes(n_jobs=n_threads, **options).fit(train.data, train.target, benefits=benefits)


def _by_hand(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    columns = list(campaign.hand_selected)
    return _fit(campaign, n_threads, keep=columns, n_features=len(columns), cv=0, **_PLAIN)


def _forward(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Select 20 columns by the Brier score of the training rows, as the paper does."""
    return _fit(campaign, n_threads, search="forward", n_features=20, cv=0, **_PLAIN)


def _everything(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    return _fit(campaign, n_threads, search="backward", n_features="all", cv=0, **_PLAIN)


def _first(k: int) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    return lambda campaign, fitted, n_threads: fitted[PATH].select(min(k, fitted[PATH].n_features_))


def _folds(**options: Any) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    """Choose the number of columns, at most 20, by five folds."""
    parameters = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN, **options}
    return lambda campaign, fitted, n_threads: _fit(campaign, n_threads, **parameters)


def _benefit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Choose columns and their number by the benefit of decisions, with the gifts that the regression predicts."""
    benefits = mailing_benefits(campaign.train.expected, campaign.cost)
    parameters = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN}
    return _fit(campaign, n_threads, benefits=benefits, criterion="benefit", **parameters)


def _boosted(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Select five columns by the paper's boosting, and fit naive Bayes on them."""
    columns = list(_boost("confidence")(campaign, fitted, n_threads).path_.order)
    return _fit(campaign, n_threads, keep=columns, n_features=len(columns), cv=0, **_PLAIN)


def _boost(method: str) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    """Boost five columns, with the probabilities of the boosted model."""

    def fit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
        selector = BoostSelector(method, n_features=5, cv=0, scoring=None, n_jobs=n_threads)
        return selector.fit(campaign.train.data, campaign.train.target)

    return fit


PATH: Final = "20 forward"
METHODS: Final = (
    MailingMethod(PATH, _forward),
    MailingMethod("10 forward", _first(10)),
    MailingMethod("5 forward", _first(5)),
    MailingMethod("7 hand-selected", _by_hand),
    MailingMethod("all columns", _everything),
    MailingMethod("5 boosted", _boosted),
    *(MailingMethod(f"5 boosted, {method}", _boost(method)) for method in ("confidence", "real", "logit", "brier")),
    MailingMethod("forward, size by folds", _folds(calibration=None)),
    MailingMethod("forward, size by folds, calibrated", _folds()),
    MailingMethod("benefit, size by folds, calibrated", _benefit),
    MailingMethod("SelectiveNaiveBayes", lambda campaign, fitted, n_threads: _fit(campaign, n_threads)),
)
