# SPDX-License-Identifier: BSD-3-Clause
"""One campaign: fit every method, decide whom to mail, and return errors and profits as plain data."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.decisions import brier_split
from bayesieve.experiments.paper_000.campaign import Campaign, Mailing, real_campaign, simulated_campaign
from bayesieve.experiments.paper_000.paper_methods import METHODS, PATH

__all__ = ["REAL", "run_campaign"]

REAL = "kdd98"
_GROUPS = 100  # of similar probabilities, for the split of the Brier score


def run_campaign(
    name: int | str, *, n_rows: int, n_threads: int = 1, on_step: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run every method on one campaign.

    Parameters
    ----------
    name : int or "kdd98"
        The seed of a simulated campaign, or the real one.
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
        and, if simulated, of the best policy; ``curve``, errors along the forward path; serializes to JSON.
    """
    campaign = real_campaign() if name == REAL else simulated_campaign(int(name), n_rows)
    on_step()
    fitted: dict[str, Any] = {}
    rows = {}
    for method in METHODS:
        began = time.perf_counter()
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
    }


def _row(model: Any, campaign: Campaign) -> dict[str, Any]:
    mailings = {"train": campaign.train, "test": campaign.test}
    row: dict[str, Any] = {"n_columns": int(model.n_features_)}
    for name, mailing in mailings.items():
        probability = model.predict_proba(mailing.data)[:, 1]
        mailed = probability * mailing.expected > campaign.cost
        row[f"mse_{name}"] = _mse(probability, mailing)
        row[f"profit_{name}"] = mailing.profit(mailed, campaign.cost)
    split = brier_split(probability, mailing.target == 1, n_groups=_GROUPS)
    row |= {"calibration": 2 * split.calibration, "refinement": 2 * split.refinement}
    row |= {"mailed": float(mailed.mean()), "true_profit": mailing.true_profit(mailed, campaign.cost)}
    return row


def _mse(probability: NDArray[np.float64], mailing: Mailing) -> float:
    """Return the paper's mean squared error: both classes are summed."""
    return float(2 * np.mean((probability - mailing.target) ** 2))


def _policies(campaign: Campaign) -> dict[str, Any]:
    """Return the profits of a letter to everyone and, if simulated, of letters by the true values."""
    test, everyone = campaign.test, np.ones(len(campaign.test.target), dtype=bool)
    policies: dict[str, Any] = {
        "everyone": test.profit(everyone, campaign.cost),
        "true_everyone": test.true_profit(everyone, campaign.cost),
        "mse_prior": float(2 * np.mean((campaign.train.target.mean() - test.target) ** 2)),
    }
    if test.true_value is not None:
        policies["true_best"] = test.true_profit(test.true_value > campaign.cost, campaign.cost)
    return policies


def _curve(model: Any, campaign: Campaign) -> list[dict[str, Any]]:
    """Return the errors of the first k columns of the path, for each k (figure 1)."""
    points = []
    for k in range(1, model.n_features_ + 1):
        first_columns = model.select(k)
        mailings = {"train": campaign.train, "test": campaign.test}
        errors = {
            f"mse_{name}": _mse(first_columns.predict_proba(each.data)[:, 1], each) for name, each in mailings.items()
        }
        points.append({"n_columns": k, **errors})
    return points
