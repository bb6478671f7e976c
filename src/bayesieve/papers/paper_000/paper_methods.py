# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table: classifiers that predict who will answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayesieve import BoostSelector, SelectiveNaiveBayes
from bayesieve.decisions import mailing_benefits
from bayesieve.papers.paper_000.campaign import Campaign

__all__ = ["EQUAL", "METHODS", "PATH", "MailingMethod", "boost"]

Fit = Callable[[Campaign, Mapping[str, Any], int], Any]

EQUAL: Final = "equal_frequency"
MODL: Final = "modl"
_PLAIN: Final = {"weights": "none", "bins": "best"}  # the paper's naive Bayes


@dataclass(frozen=True)
class MailingMethod:
    """A row.

    Attributes
    ----------
    name : str
        Its name, by which the paper's figures are looked up.
    bins : str
        The discretization: ten equal-frequency intervals, which keep all columns, or MODL, which drops the columns
        that it leaves in a single bin.
    fit : callable
        ``fit(campaign, fitted, n_threads)`` returns a classifier; ``fitted`` has those of the previous rows.
    needs_amounts : bool
        Whether it exists only where gifts, and the columns selected by hand, are known.
    """

    name: str
    bins: str
    fit: Callable[[Campaign, Mapping[str, Any], int], Any]
    needs_amounts: bool = False

    @property
    def key(self) -> str:
        """Name in files."""
        return self.name if self.bins == EQUAL else f"{self.name}, MODL"


def _fit(campaign: Campaign, n_threads: int, benefits: Any = None, **options: Any) -> Any:
    train = campaign.train
    return SelectiveNaiveBayes(n_jobs=n_threads, **options).fit(train.data, train.target, benefits=benefits)


def _by_hand(bins: str) -> Fit:
    def fit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
        columns = list(campaign.hand_selected)
        return _fit(campaign, n_threads, keep=columns, n_features=len(columns), cv=0, discretizer=bins, **_PLAIN)

    return fit


def _forward(bins: str) -> Fit:
    """Select 20 columns by the Brier score of the training rows, as the paper does."""
    options = {"search": "forward", "n_features": 20, "cv": 0, "discretizer": bins, **_PLAIN}
    return lambda campaign, fitted, n_threads: _fit(campaign, n_threads, **options)


def _everything(bins: str) -> Fit:
    options = {"search": "backward", "n_features": "all", "cv": 0, "discretizer": bins, **_PLAIN}
    return lambda campaign, fitted, n_threads: _fit(campaign, n_threads, **options)


def _first(k: int, path: str) -> Fit:
    return lambda campaign, fitted, n_threads: fitted[path].select(min(k, fitted[path].n_features_))


def _folds(**options: Any) -> Fit:
    """Choose the number of columns, at most 20, by five folds."""
    parameters = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN, **options}
    return lambda campaign, fitted, n_threads: _fit(campaign, n_threads, **parameters)


def _benefit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Choose columns and their number by the benefit of decisions, with the gifts that the regression predicts."""
    assert campaign.train.expected is not None
    benefits = mailing_benefits(campaign.train.expected, campaign.cost)
    parameters = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN}
    return _fit(campaign, n_threads, benefits=benefits, criterion="benefit", **parameters)


def boost(method: str, bins: str, n_columns: int) -> Fit:
    """Boost some columns, with the probabilities of the boosted model."""

    def fit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
        selector = BoostSelector(method, n_features=n_columns, cv=0, scoring=None, discretizer=bins, n_jobs=n_threads)
        return selector.fit(campaign.train.data, campaign.train.target)

    return fit


def _boosted(bins: str) -> Fit:
    """Fit naive Bayes on the first five columns of the paper's boosting."""

    def fit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
        columns = list(boost("confidence", bins, 5)(campaign, fitted, n_threads).path_.order)
        return _fit(campaign, n_threads, keep=columns, n_features=len(columns), cv=0, discretizer=bins, **_PLAIN)

    return fit


def _of_the_paper(bins: str) -> tuple[MailingMethod, ...]:
    """Return the six rows of table 3."""
    path = MailingMethod("20 forward", bins, _forward(bins))
    return (
        path,
        MailingMethod("10 forward", bins, _first(10, path.key)),
        MailingMethod("5 forward", bins, _first(5, path.key)),
        MailingMethod("7 hand-selected", bins, _by_hand(bins), needs_amounts=True),
        MailingMethod("all columns", bins, _everything(bins)),
        MailingMethod("5 boosted", bins, _boosted(bins)),
    )


PATH: Final = "20 forward"
METHODS: Final = (
    *_of_the_paper(EQUAL),
    *_of_the_paper(MODL),
    *(
        MailingMethod(f"5 boosted, {method}", MODL, boost(method, MODL, 5))
        for method in ("confidence", "real", "logit", "brier")
    ),
    MailingMethod("forward, size by folds", MODL, _folds(calibration=None)),
    MailingMethod("forward, size by folds, calibrated", MODL, _folds()),
    MailingMethod("benefit, size by folds, calibrated", MODL, _benefit, needs_amounts=True),
    MailingMethod("SelectiveNaiveBayes", MODL, lambda campaign, fitted, n_threads: _fit(campaign, n_threads)),
)
