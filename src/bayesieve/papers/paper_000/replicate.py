# SPDX-License-Identifier: BSD-3-Clause
"""One campaign: fit every method, decide whom to mail, and return errors and profits as plain data."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve import SelectiveNaiveBayes
from bayesieve.data import pick_columns, read_table
from bayesieve.decisions import brier_split
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning
from bayesieve.papers.paper_000.campaign import (
    Campaign,
    Mailing,
    donor_campaign,
    real_campaign,
    simulated_campaign,
)
from bayesieve.papers.paper_000.paper_methods import EQUAL, METHODS, PATH, boost

__all__ = ["DONOR", "REAL", "run_campaign"]

REAL = "kdd98"
DONOR = "donor"  # followed by the seed of its halves
_LONGEST = 20  # boosted columns
_GROUPS = 100  # of similar probabilities, for the split of the Brier score


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
                for kind in (ClippedSelectionWarning, NothingSelectedWarning):
                    warnings.simplefilter("ignore", kind)  # MODL leaves few columns of small tables
                fitted[method.key] = method.fit(campaign, fitted, n_threads)
            seconds = time.perf_counter() - began
            rows[method.key] = {**_row(fitted[method.key], campaign), "seconds": round(seconds, 3)}
        on_step()
    return {
        "campaign": name,
        "n_rows": n_rows,
        "n_test": len(campaign.test.target),
        "rows": rows,
        "policies": _policies(campaign),
        "curve": _curve(fitted[PATH], campaign),
        "boosted_curve": _boosted_curve(campaign, n_threads),
    }


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
