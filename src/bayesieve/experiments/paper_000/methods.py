"""The rows of the table: ways to a classifier that says who will answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bayesieve import BoostSelector, SelectiveNaiveBayes
from bayesieve.decisions import mailing_benefits
from bayesieve.experiments.paper_000.campaign import Campaign

__all__ = ["METHODS", "PATH", "Method"]

_PLAIN: Final = {"weights": "none", "bins": "best"}  # the paper's naive Bayes, on the best bins


@dataclass(frozen=True)
class Method:
    """A row.

    Attributes
    ----------
    key : str
        Its name; the paper's figures are found by it.
    fit : callable
        ``fit(campaign, fitted, n_threads)`` returns a classifier; ``fitted`` are those of the rows before.
    """

    key: str
    fit: Callable[[Campaign, Mapping[str, Any], int], Any]


def _learn(campaign: Campaign, n_threads: int, benefits: Any = None, **wishes: Any) -> Any:
    train = campaign.train
    return SelectiveNaiveBayes(n_jobs=n_threads, **wishes).fit(train.data, train.target, benefits=benefits)


def _by_hand(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    chosen = list(campaign.hand_selected)
    return _learn(campaign, n_threads, keep=chosen, n_features=len(chosen), cv=0, **_PLAIN)


def _forward(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Select 20 columns by the Brier score of the training rows, as the paper does."""
    return _learn(campaign, n_threads, search="forward", n_features=20, cv=0, **_PLAIN)


def _everything(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    return _learn(campaign, n_threads, search="backward", n_features="all", cv=0, **_PLAIN)


def _first(k: int) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    return lambda campaign, fitted, n_threads: fitted[PATH].select(min(k, fitted[PATH].n_features_))


def _folds(**wishes: Any) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    """Let five folds choose the number of columns, at most 20."""
    both = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN, **wishes}
    return lambda campaign, fitted, n_threads: _learn(campaign, n_threads, **both)


def _benefit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Let the benefit of decisions choose columns and their number; of gifts, what the regression expects."""
    benefits = mailing_benefits(campaign.train.expected, campaign.cost)
    both = {"search": "forward", "n_features": (0, 20), "cv": 5, "calibration": "beta", **_PLAIN}
    return _learn(campaign, n_threads, benefits=benefits, criterion="benefit", **both)


def _boosted(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
    """Select five columns by the paper's boosting, and make a naive Bayes of them."""
    chosen = list(_boost("confidence")(campaign, fitted, n_threads).path_.order)
    return _learn(campaign, n_threads, keep=chosen, n_features=len(chosen), cv=0, **_PLAIN)


def _boost(method: str) -> Callable[[Campaign, Mapping[str, Any], int], Any]:
    """Boost five columns, and take the probabilities of the boosted model."""

    def fit(campaign: Campaign, fitted: Mapping[str, Any], n_threads: int) -> Any:
        selector = BoostSelector(method, n_features=5, cv=0, scoring=None, n_jobs=n_threads)
        return selector.fit(campaign.train.data, campaign.train.target)

    return fit


PATH: Final = "20 forward"
METHODS: Final = (
    Method(PATH, _forward),
    Method("10 forward", _first(10)),
    Method("5 forward", _first(5)),
    Method("7 hand-selected", _by_hand),
    Method("all columns", _everything),
    Method("5 boosted", _boosted),
    *(Method(f"5 boosted, {method}", _boost(method)) for method in ("confidence", "real", "logit", "brier")),
    Method("forward, size by folds", _folds(calibration=None)),
    Method("forward, size by folds, calibrated", _folds()),
    Method("benefit, size by folds, calibrated", _benefit),
    Method("SelectiveNaiveBayes", lambda campaign, fitted, n_threads: _learn(campaign, n_threads)),
)
