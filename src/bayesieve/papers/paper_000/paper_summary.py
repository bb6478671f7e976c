# SPDX-License-Identifier: BSD-3-Clause
"""The summary of records as plain data, next to the figures of the paper."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.claim import Claim, measure
from bayesieve.papers.paper_000.curve_counts import correlations, count_curves, gap_growths
from bayesieve.papers.paper_000.paper_claims import OURS, THEIRS
from bayesieve.papers.paper_000.paper_methods import METHODS, MailingMethod
from bayesieve.papers.paper_000.printed import EVERYONE, PRINTED, WINNER
from bayesieve.papers.paper_000.replicate import DONOR, REAL
from bayesieve.papers.standard_error import standard_error

__all__ = ["summarize"]

Record = dict[str, Any]

_CONSTANTS: Final = ("prior", "half")  # rows that stand for numbers
_NAMES: Final = ("kind", "campaign", "n_rows")
_QUANTITIES: Final = (
    "n_columns", "mse_train", "mse_test", "calibration", "profit_train", "profit_test", "true_profit", "mailed",
    "gap_closed", "seconds",
)  # fmt: skip


def summarize(records: Sequence[Record]) -> Record:
    """Return tables of the real campaign, the donor table and the simulated campaigns, as far as they are finished."""
    jobs: dict[str, dict[str, list[Record]]] = {
        kind: {name: [] for name in ("real", "donor", "simulated")}
        for kind in ("targets", "table", "paths", "scorecard")
    }
    for record in records:
        jobs[record["kind"]][_kind(record["campaign"])].append(record)
    targets = jobs["targets"]["real"]
    return {
        "paper": "000",
        "printed": {
            "everyone": EVERYONE,
            "winner": WINNER,
            "rows": {name: asdict(row) for name, row in PRINTED.items()},
        },
        "targets": {key: value for key, value in targets[0].items() if key not in _NAMES} if targets else None,
        **{kind: _campaigns(each, kind) if each else None for kind, each in jobs["table"].items()},
        "paths": {kind: _paths(each) for kind, each in jobs["paths"].items() if each},
        "scorecard": {kind: _scorecard(each) for kind, each in jobs["scorecard"].items() if each},
    }


def _kind(campaign: int | str) -> str:
    return "real" if campaign == REAL else "donor" if str(campaign).startswith(DONOR) else "simulated"


def _campaigns(records: Sequence[Record], kind: str) -> Record:
    policies = records[0]["policies"]
    has_gifts = policies.get("everyone") is not None
    table = {
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
        "counts": {
            "forward": count_curves(records, "curve", -1),
            "boosted": count_curves(records, "boosted_curve", 1),
        },
        **{
            name: [measure(claim, lambda *of: _values(records, *of)) for claim in _with_data(claims, records)]
            for name, claims in (("claims", THEIRS), ("our_claims", OURS))
        },
    }
    if has_gifts:
        values = correlations(records)
        table["counts"]["correlations"] = {"lowest": min(values), "highest": max(values), "n": len(values)}
    return table


def _with_data(claims: Sequence[Claim], records: Sequence[Record]) -> list[Claim]:
    """Return the claims with those of their differences whose rows have the quantity."""

    def known(quantity: str, row: str) -> bool:
        exists = row in _CONSTANTS or row in records[0]["rows"]
        return exists and bool(np.isfinite(_values(records, quantity, row)).all())

    reduced = [
        Claim(each.sentence, tuple((of, a, b) for of, a, b in each.differences if known(of, a) and known(of, b)))
        for each in claims
    ]
    # Where the seven columns are missing, a claim about them is one about all columns alone.
    return [
        Claim(each.sentence.replace(" and the seven", ""), each.differences)
        if len(each.differences) < len(whole.differences)
        else each
        for each, whole in zip(reduced, claims, strict=True)
        if each.differences
    ]


def _paths(records: Sequence[Record]) -> Record:
    """Return values per campaign: growths of the gap, rankings, and rows of SelectiveNaiveBayes of other sizes."""
    sizes: Record = {}
    for size in sorted({size for record in records for size in record["sizes"]}, key=int):
        rows = [record for record in records if size in record["sizes"]]
        sizes[size] = {
            name: [record["sizes"][size][name] for record in rows]
            for name in ("mse_test", "true_profit")
            if rows[0]["sizes"][size].get(name) is not None
        } | {"forward_mse": [record["curve"][int(size) - 1]["mse_test"] for record in rows]}
    return {
        "gap_growths": gap_growths(records),
        "rankings": {
            name: {key: [record["rankings"][name][key] for record in records] for key in ("auc", "error", "mse")}
            for name in records[0]["rankings"]
        },
        "sizes": sizes,
    }


def _scorecard(records: Sequence[Record]) -> Record:
    """Return means and standard errors of the scorecard's rows."""
    rows: Record = {
        "campaigns": [record["campaign"] for record in records],
        "mse_test_values": [record["row"]["mse_test"] for record in records],
    }
    for quantity in _QUANTITIES:
        values = (
            [_gap_closed(record, record["row"]) for record in records]
            if quantity == "gap_closed"
            else [record["row"].get(quantity) for record in records]
        )
        if all(each is not None and np.isfinite(each) for each in values):
            rows[quantity], rows[f"{quantity}_standard_error"] = mean(values), standard_error(values)
    return rows


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
        return np.array([_gap_closed(record, record["rows"][key]) for record in records])
    return np.array([record["rows"][key].get(quantity) for record in records], dtype=np.float64)


def _gap_closed(record: Record, row: Record) -> float:
    """Return the proportion of the gap between a letter to everyone and the best policy that a row closes."""
    policies = record["policies"]
    if policies.get("true_best") is None:
        return float("nan")
    gap = policies["true_best"] - policies["true_everyone"]
    return float((row["true_profit"] - policies["true_everyone"]) / gap)


def _mean_curve(records: Sequence[Record], curve: str) -> list[Record]:
    width = min(len(record[curve]) for record in records)
    return [
        {name: mean(record[curve][k][name] for record in records) for name in ("n_columns", "mse_train", "mse_test")}
        for k in range(width)
    ]
