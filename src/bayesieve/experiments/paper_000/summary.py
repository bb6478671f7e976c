"""Records become a table as plain data, beside the paper's figures."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.claim import check
from bayesieve.experiments.contrast import standard_error
from bayesieve.experiments.paper_000.claims import CLAIMS
from bayesieve.experiments.paper_000.methods import METHODS
from bayesieve.experiments.paper_000.printed import EVERYONE, PRINTED, WINNER
from bayesieve.experiments.paper_000.replicate import REAL

__all__ = ["summarize"]

Record = dict[str, Any]

_SHOWN: Final = (
    "n_columns", "mse_train", "mse_test", "calibration", "profit_train", "profit_test", "true_profit", "mailed",
    "gap_closed", "seconds",
)  # fmt: skip


def summarize(records: Sequence[Record]) -> Record:
    """Return tables of the real campaign, where there is one, and of the simulated ones, and the verdicts."""
    real = [record for record in records if record["campaign"] == REAL]
    simulated = [record for record in records if record["campaign"] != REAL]
    return {
        "printed": {"everyone": EVERYONE, "winner": WINNER},
        "real": _part(real) if real else None,
        "simulated": _part(simulated) if simulated else None,
        "verdicts": [check(claim, lambda *asked: _values(simulated, *asked)) for claim in CLAIMS] if simulated else [],
    }


def _part(records: Sequence[Record]) -> Record:
    known = [row.key for row in METHODS]
    keys = [*PRINTED, *(key for key in known if key not in PRINTED)]
    policies = records[0]["policies"]
    return {
        "campaigns": [record["campaign"] for record in records],
        "n_rows": records[0]["n_rows"],
        "policies": {
            name: mean(record["policies"][name] for record in records) for name in policies if _known(policies[name])
        },
        "rows": [_row(records, key, done=key in known) for key in keys],
        "curve": _mean_curve(records),
    }


def _known(value: Any) -> bool:
    return value is not None


def _row(records: Sequence[Record], key: str, *, done: bool) -> Record:
    """Return means and standard errors; of a row of the paper that is not computed, the paper's figures."""
    row: Record = {"method": key, "printed": asdict(PRINTED[key]) if key in PRINTED else None}
    if done:
        for quantity in _SHOWN:
            values = _values(records, quantity, key).tolist()
            if not np.isnan(values).any():
                row[quantity], row[f"{quantity}_standard_error"] = mean(values), standard_error(values)
    return row


def _values(records: Sequence[Record], quantity: str, key: str) -> NDArray[np.float64]:
    """Return a quantity of a row for each campaign; NaN where it is not known."""
    if key == "half":
        return np.full(len(records), 0.5)
    if quantity == "gap_closed":
        return np.array([_gap_closed(record, key) for record in records])
    return np.array([record["rows"][key][quantity] for record in records], dtype=np.float64)


def _gap_closed(record: Record, key: str) -> float:
    """Return how far a row gets from the profit of a letter to everyone to that of the truth."""
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
