"""One campaign: fit every method, decide, and tell errors and profits as plain data."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.decisions import brier_split
from bayesieve.experiments.paper_000.campaign import Campaign, Mailing, real_campaign, simulated_campaign
from bayesieve.experiments.paper_000.methods import METHODS, PATH

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
        The seed of a simulated one, or the real one.
    n_rows : int
        People of a simulated mailing.
    n_threads : int
        The result does not depend on it.
    on_step : callable
        Called once the campaign is there, and after each method.

    Returns
    -------
    record : dict
        ``rows``, for each method its number of columns, errors and profits; ``policies``, profits of mailing everyone
        and, where it is known, by the truth; ``curve``, errors along the forward path; serialises to JSON.
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
    told = {"train": campaign.train, "test": campaign.test}
    row: dict[str, Any] = {"n_columns": int(model.n_features_)}
    for name, mailing in told.items():
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
    """Return the profits of those who know nothing and of those who know everything but who will answer."""
    test, everyone = campaign.test, np.ones(len(campaign.test.target), dtype=bool)
    found: dict[str, Any] = {
        "everyone": test.profit(everyone, campaign.cost),
        "true_everyone": test.true_profit(everyone, campaign.cost),
        "mse_prior": float(2 * np.mean((campaign.train.target.mean() - test.target) ** 2)),
    }
    if test.true_value is not None:
        found["true_best"] = test.true_profit(test.true_value > campaign.cost, campaign.cost)
    return found


def _curve(model: Any, campaign: Campaign) -> list[dict[str, Any]]:
    """Return the errors of the first columns of the path, which is figure 1."""
    points = []
    for k in range(1, model.n_features_ + 1):
        chosen = model.select(k)
        told = {"train": campaign.train, "test": campaign.test}
        errors = {f"mse_{name}": _mse(chosen.predict_proba(each.data)[:, 1], each) for name, each in told.items()}
        points.append({"n_columns": k, **errors})
    return points
