# SPDX-License-Identifier: BSD-3-Clause
"""The summary of records as plain data, next to the figures of the paper."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.claim import check
from bayesieve.papers.contrast import standard_error
from bayesieve.papers.paper_000.curve_claims import judge_curves, judge_profits
from bayesieve.papers.paper_000.paper_claims import CLAIMS
from bayesieve.papers.paper_000.paper_methods import METHODS, MailingMethod
from bayesieve.papers.paper_000.printed import EVERYONE, PRINTED, WINNER
from bayesieve.papers.paper_000.replicate import DONOR, REAL

__all__ = ["summarize"]

Record = dict[str, Any]

_QUANTITIES: Final = (
    "n_columns", "mse_train", "mse_test", "calibration", "profit_train", "profit_test", "true_profit", "mailed",
    "gap_closed", "seconds",
)  # fmt: skip


def summarize(records: Sequence[Record]) -> Record:
    """Return tables of the real campaign, the donor table and the simulated campaigns, as far as they are finished."""
    kinds: dict[str, list[Record]] = {"real": [], "donor": [], "simulated": []}
    for record in records:
        kinds[_kind(record["campaign"])].append(record)
    summary: Record = {
        "paper": "000",
        "printed": {
            "everyone": EVERYONE,
            "winner": WINNER,
            "rows": {name: asdict(row) for name, row in PRINTED.items()},
        },
        **{kind: _campaigns(each) if each else None for kind, each in kinds.items()},
    }
    for kind in ("real", "simulated"):
        if kinds[kind]:
            summary[kind]["claims"] += judge_profits(kinds[kind], is_real=kind == "real")
    simulated = kinds["simulated"]
    summary["verdicts"] = (
        [check(claim, lambda *names: _values(simulated, *names)) for claim in CLAIMS] if simulated else []
    )
    return summary


def _kind(campaign: int | str) -> str:
    return "real" if campaign == REAL else "donor" if str(campaign).startswith(DONOR) else "simulated"


def _campaigns(records: Sequence[Record]) -> Record:
    policies = records[0]["policies"]
    return {
        "campaigns": [record["campaign"] for record in records],
        "n_rows": records[0]["n_rows"],
        "n_test": records[0]["n_test"],
        "policies": {
            name: mean(record["policies"][name] for record in records)
            for name in policies
            if policies[name] is not None
        },
        "rows": [_row(records, method) for method in METHODS if method.key in records[0]["rows"]],
        "curve": _mean_curve(records, "curve"),
        "boosted_curve": _mean_curve(records, "boosted_curve"),
        "claims": judge_curves(records),
    }


def _row(records: Sequence[Record], method: MailingMethod) -> Record:
    """Return means and standard errors."""
    row: Record = {"method": method.name, "bins": method.bins}
    for quantity in _QUANTITIES:
        values = _values(records, quantity, method.key).tolist()
        if not np.isnan(values).any():
            row[quantity], row[f"{quantity}_standard_error"] = mean(values), standard_error(values)
    row["mse_test_values"] = _values(records, "mse_test", method.key).tolist()
    return row


def _values(records: Sequence[Record], quantity: str, key: str) -> NDArray[np.float64]:
    """Return a quantity of a row for each campaign, NaN if it is undefined."""
    if key == "half":
        return np.full(len(records), 0.5)
    if key == "prior":
        return np.array([record["policies"]["mse_prior"] for record in records])
    if quantity == "gap_closed":
        return np.array([_gap_closed(record, key) for record in records])
    return np.array([record["rows"][key].get(quantity) for record in records], dtype=np.float64)


def _gap_closed(record: Record, key: str) -> float:
    """Return the proportion of the gap between a letter to everyone and the best policy that a row closes."""
    policies = record["policies"]
    if policies.get("true_best") is None:
        return float("nan")
    gap = policies["true_best"] - policies["true_everyone"]
    return float((record["rows"][key]["true_profit"] - policies["true_everyone"]) / gap)


def _mean_curve(records: Sequence[Record], curve: str) -> list[Record]:
    width = min(len(record[curve]) for record in records)
    return [
        {name: mean(record[curve][k][name] for record in records) for name in ("n_columns", "mse_train", "mse_test")}
        for k in range(width)
    ]
