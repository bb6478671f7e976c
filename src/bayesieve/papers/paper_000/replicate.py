# SPDX-License-Identifier: BSD-3-Clause
"""One campaign: fit every method, decide whom to mail, and return errors and profits as plain data.

Smaller jobs of a campaign are the scorecard by itself, and paths: errors by the number of columns, and how much worse
all columns rank. One more job is about the published targets of KDD Cup 1998.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data import pick_columns, read_table
from bayesieve.datasets import load_kdd98_targets
from bayesieve.decisions import brier_split
from bayesieve.exceptions import ClippedSelectionWarning, IdleColumnWarning, NothingSelectedWarning
from bayesieve.papers.paper_000.campaign import (
    COST,
    Campaign,
    Mailing,
    donor_campaign,
    real_campaign,
    simulated_campaign,
)
from bayesieve.papers.paper_000.paper_methods import EQUAL, METHODS, PATH, boost

__all__ = ["DONOR", "JOBS", "REAL", "run_campaign", "run_job"]

REAL = "kdd98"
DONOR = "donor"  # followed by the seed of its halves
_LONGEST = 20  # boosted columns
_GROUPS = 100  # of similar probabilities, for the split of the Brier score
_EQUAL_SIZES = (5, 20)  # columns of the paper's rows, to which SelectiveNaiveBayes is cut


def run_job(
    name: tuple[str, int | str], *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run one job: its kind, and a campaign, which is the seed of a simulated one, "kdd98" or "donor SEED"."""
    kind, campaign = name
    record = JOBS[kind](campaign, n_rows=n_rows, n_threads=n_threads, on_step=on_step)
    return {**record, "kind": kind, "campaign": campaign, "n_rows": n_rows}


def run_campaign(
    name: int | str, *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run every method on one campaign.

    Parameters
    ----------
    name : int, "kdd98" or "donor SEED"
        The seed of a simulated campaign, the real one, or halves of the donor table.
    n_rows : int
        Number of people of a simulated mailing.
    n_threads : int
        The result does not depend on it.
    on_step : callable
        Called after the campaign is loaded, and after each method.

    Returns
    -------
    record : dict
        ``rows``, for each method its number of columns, errors and profits; ``policies``, profits of mailing everyone
        and, if simulated, of the best policy; ``curve`` and ``boosted_curve``, errors along the forward and the boosted
        path; serializes to JSON.
    """
    campaign = _open(name, n_rows)
    on_step()
    fitted: dict[str, Any] = {}
    rows = {}
    for method in METHODS:
        if not method.needs_amounts or campaign.train.amounts is not None:
            began = time.perf_counter()
            with warnings.catch_warnings():
                for kind in (ClippedSelectionWarning, IdleColumnWarning, NothingSelectedWarning):
                    warnings.simplefilter("ignore", kind)  # MODL leaves few columns of small tables
                fitted[method.key] = method.fit(campaign, fitted, n_threads)
            seconds = time.perf_counter() - began
            rows[method.key] = {**_row(fitted[method.key], campaign), "seconds": round(seconds, 3)}
        on_step()
    return {
        "n_test": len(campaign.test.target),
        "rows": rows,
        "policies": _policies(campaign),
        "curve": _curve(fitted[PATH], campaign),
        "boosted_curve": _boosted_curve(campaign, n_threads),
    }


def _run_scorecard(
    name: int | str, *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return the row of a scorecard of automatic size."""
    campaign = _open(name, n_rows)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingSelectedWarning)
        model = ScorecardClassifier(n_jobs=n_threads).fit(campaign.train.data, campaign.train.target)
    seconds = time.process_time() - began
    row = {**_row(model, campaign), "seconds": round(seconds, 3)}
    return {"n_test": len(campaign.test.target), "row": row, "policies": _policies(campaign)}


def _run_paths(
    name: int | str, *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return errors along the forward path, the ranking of all columns, and SelectiveNaiveBayes of other sizes."""
    campaign = _open(name, n_rows)
    methods = {method.key: method for method in METHODS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClippedSelectionWarning)
        path, everything, ours = (
            methods[key].fit(campaign, {}, n_threads) for key in (PATH, "all columns", "SelectiveNaiveBayes, MODL")
        )
    rankings = {"10 forward": path.select(10), "all columns": everything}
    sizes = {size: ours.select(size) for size in _EQUAL_SIZES if size <= ours.n_features_}
    return {
        "n_test": len(campaign.test.target),
        "curve": _curve(path, campaign),
        "rankings": {key: _ranking(model, campaign.test) for key, model in rankings.items()},
        "sizes": {str(size): _row(model, campaign) for size, model in sizes.items()},
    }


def _ranking(model: Any, mailing: Mailing) -> dict[str, float]:
    """Return the area under the ROC curve, the error of the more probable class, and the mean squared error."""
    probability = model.predict_proba(mailing.data)[:, 1]
    return {
        "auc": float(roc_auc_score(mailing.target, probability)),
        "error": float(np.mean((probability > 0.5) != (mailing.target == 1))),
        "mse": _mse(probability, mailing),
    }


def _run_targets(
    name: int | str, *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return what the published targets of the test set show without any column."""
    bunch = load_kdd98_targets()
    amounts = np.asarray(bunch.data, dtype=np.float64)[:, bunch.feature_names.index("TARGET_D")]
    gifts = amounts[amounts > 0]
    return {
        "n_people": len(amounts),
        "n_gifts": len(gifts),
        "everyone_cents": round(100 * float(gifts.sum() - COST * len(amounts))),
        "smallest": float(gifts.min()),
        "largest": float(gifts.max()),
        "above_200": int((gifts > 200).sum()),
        "below_1": int((gifts < 1).sum()),
    }


JOBS = {"targets": _run_targets, "table": run_campaign, "paths": _run_paths, "scorecard": _run_scorecard}


def _open(name: int | str, n_rows: int) -> Campaign:
    if name == REAL:
        return real_campaign()
    kind, _, seed = str(name).rpartition(" ")
    return donor_campaign(int(seed)) if kind == DONOR else simulated_campaign(int(seed), n_rows)


def _row(model: Any, campaign: Campaign) -> dict[str, Any]:
    row: dict[str, Any] = {"n_columns": int(model.n_features_)}
    for name, mailing in (("train", campaign.train), ("test", campaign.test)):
        probability = model.predict_proba(mailing.data)[:, 1]
        row[f"mse_{name}"] = _mse(probability, mailing)
        if mailing.expected is not None:
            mailed = probability * mailing.expected > campaign.cost
            row[f"profit_{name}"] = mailing.profit(mailed, campaign.cost)
            row |= {"mailed": float(mailed.mean()), "true_profit": mailing.true_profit(mailed, campaign.cost)}
    split = brier_split(probability, mailing.target == 1, n_groups=_GROUPS)
    return row | {"calibration": 2 * split.calibration, "refinement": 2 * split.refinement}


def _mse(probability: NDArray[np.float64], mailing: Mailing) -> float:
    """Return the paper's mean squared error: both classes are summed."""
    return float(2 * np.mean((probability - mailing.target) ** 2))


def _policies(campaign: Campaign) -> dict[str, Any]:
    """Return the profits of a letter to everyone and, if simulated, of letters by the true values."""
    test, everyone = campaign.test, np.ones(len(campaign.test.target), dtype=bool)
    policies: dict[str, Any] = {"mse_prior": float(2 * np.mean((campaign.train.target.mean() - test.target) ** 2))}
    if test.amounts is not None:
        policies["everyone"] = test.profit(everyone, campaign.cost)
        policies["true_everyone"] = test.true_profit(everyone, campaign.cost)
    if test.true_value is not None:
        policies["true_best"] = test.true_profit(test.true_value > campaign.cost, campaign.cost)
    return policies


def _curve(model: Any, campaign: Campaign) -> list[dict[str, Any]]:
    """Return the errors of the first k columns of the path, for each k (figure 1)."""
    sizes = range(1, model.n_features_ + 1)
    return [_point(k, model.select(k), campaign.train, campaign.test) for k in sizes]


def _boosted_curve(campaign: Campaign, n_threads: int) -> list[dict[str, Any]]:
    """Return the errors of naive Bayes on the first k boosted columns, for each k (figure 2)."""
    boosted = boost("confidence", EQUAL, _LONGEST)(campaign, {}, n_threads)
    names = read_table(campaign.train.data).names
    places = [names.index(name) for name in boosted.path_.order]
    points = []
    for k in range(1, len(places) + 1):
        train, test = (
            replace(each, data=pick_columns(each.data, sorted(places[:k]))) for each in (campaign.train, campaign.test)
        )
        model = SelectiveNaiveBayes(
            search="backward", n_features="all", cv=0, weights="none", bins="best", discretizer=EQUAL, n_jobs=n_threads
        )
        points.append(_point(k, model.fit(train.data, train.target), train, test))
    return points


def _point(k: int, model: Any, train: Mailing, test: Mailing) -> dict[str, Any]:
    mailings = {"train": train, "test": test}
    errors = {f"mse_{name}": _mse(model.predict_proba(each.data)[:, 1], each) for name, each in mailings.items()}
    return {"n_columns": k, **errors}
