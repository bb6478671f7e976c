# SPDX-License-Identifier: BSD-3-Clause
"""The summary of records as plain data, beside the paper's figures."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.claim import check
from bayesieve.experiments.contrast import standard_error
from bayesieve.experiments.paper_000.paper_claims import CLAIMS
from bayesieve.experiments.paper_000.paper_methods import METHODS
from bayesieve.experiments.paper_000.printed import EVERYONE, PRINTED, WINNER
from bayesieve.experiments.paper_000.replicate import REAL

__all__ = ["summarize"]

Record = dict[str, Any]

_QUANTITIES: Final = (
    "n_columns", "mse_train", "mse_test", "calibration", "profit_train", "profit_test", "true_profit", "mailed",
    "gap_closed", "seconds",
)  # fmt: skip


def summarize(records: Sequence[Record]) -> Record:
    """Return tables of the real campaign, if there is one, and of the simulated ones, and the verdicts."""
    real = [record for record in records if record["campaign"] == REAL]
    simulated = [record for record in records if record["campaign"] != REAL]
    return {
        "printed": {"everyone": EVERYONE, "winner": WINNER},
        "real": _campaigns(real) if real else None,
        "simulated": _campaigns(simulated) if simulated else None,
        "verdicts": [check(claim, lambda *names: _values(simulated, *names)) for claim in CLAIMS] if simulated else [],
    }


def _campaigns(records: Sequence[Record]) -> Record:
    computed = [row.key for row in METHODS]
    keys = [*PRINTED, *(key for key in computed if key not in PRINTED)]
    policies = records[0]["policies"]
    return {
        "campaigns": [record["campaign"] for record in records],
        "n_rows": records[0]["n_rows"],
        "policies": {
            name: mean(record["policies"][name] for record in records)
            for name in policies
            if policies[name] is not None
        },
        "rows": [_row(records, key, is_computed=key in computed) for key in keys],
        "curve": _mean_curve(records),
    }


def _row(records: Sequence[Record], key: str, *, is_computed: bool) -> Record:
    """Return the paper's figures, and means and standard errors if the row is computed here."""
    row: Record = {"method": key, "printed": asdict(PRINTED[key]) if key in PRINTED else None}
    if is_computed:
        for quantity in _QUANTITIES:
            values = _values(records, quantity, key).tolist()
            if not np.isnan(values).any():
                row[quantity], row[f"{quantity}_standard_error"] = mean(values), standard_error(values)
    return row


def _values(records: Sequence[Record], quantity: str, key: str) -> NDArray[np.float64]:
    """Return a quantity of a row for each campaign, NaN if it is undefined."""
    if key == "half":
        return np.full(len(records), 0.5)
    if quantity == "gap_closed":
        return np.array([_gap_closed(record, key) for record in records])
    return np.array([record["rows"][key][quantity] for record in records], dtype=np.float64)


def _gap_closed(record: Record, key: str) -> float:
    """Return the proportion of the gap between a letter to everyone and the best policy that a row closes."""
    policies = record["policies"]
    if policies.get("true_best") is None:
        return float("nan")
    gap = policies["true_best"] - policies["true_everyone"]
    return float((record["rows"][key]["true_profit"] - policies["true_everyone"]) / gap)


def _mean_curve(records: Sequence[Record]) -> list[Record]:
    width = min(len(record["curve"]) for record in records)
    return [
        {name: mean(record["curve"][k][name] for record in records) for name in ("n_columns", "mse_train", "mse_test")}
        for k in range(width)
    ]
