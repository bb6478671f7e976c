# SPDX-License-Identifier: BSD-3-Clause
"""The table over seeds as plain data: means, standard errors, paired differences and verdicts."""

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.claim import check
from bayesieve.papers.contrast import standard_error
from bayesieve.papers.paper_004.paper_claims import CLAIMS
from bayesieve.papers.paper_004.paper_methods import METHODS, IndicatorMethod

__all__ = ["summarize"]

Record = dict[str, Any]


def summarize(records: Sequence[Record]) -> dict[str, Any]:
    """Return the table, the verdicts and the times over seeds."""

    def values(quantity: str, key: str) -> NDArray[np.float64]:
        if quantity == "size":
            return np.array([float(record["rows"][key]["size"]) for record in records])
        return np.array([record["rows"][key]["wrong_test"] / record["n_test"] for record in records])

    return {
        "paper": "004",
        "seeds": [record["seed"] for record in records],
        "n_series": records[0]["n_series"],
        "rows": [
            _row(method, values("size", method.key), values("error", method.key))
            | {"curve": _mean_curve(records, method.key)}
            for method in METHODS
        ],
        "all_indicators": mean(record["everything"] / record["n_test"] for record in records),
        "verdicts": [check(claim, values) for claim in CLAIMS],
        "processor_seconds": mean(record["processor_seconds"] for record in records),
    }


def _mean_curve(records: Sequence[Record], key: str) -> list[tuple[int, float]]:
    """Return the mean test error at sizes that were visited in every seed, fewer of the large ones."""
    curves = [record["rows"][key]["curve"] for record in records]
    width = min(map(len, curves))
    errors = np.array(
        [
            [np.nan if wrong is None else wrong / record["n_test"] for wrong in each[:width]]
            for each, record in zip(curves, records, strict=True)
        ]
    )
    everywhere = np.flatnonzero(~np.isnan(errors).any(axis=0))
    thinned = {int(size) for size in np.geomspace(1, max(width, 2), 60)}
    return [(size, float(errors[:, size].mean())) for size in everywhere.tolist() if size in thinned]


def _row(method: IndicatorMethod, sizes: NDArray[np.float64], errors: NDArray[np.float64]) -> Record:
    size_error, error_error = standard_error(sizes.tolist()), standard_error(errors.tolist())
    return {
        "method": method.title,
        "key": method.key,
        "size": float(sizes.mean()),
        "size_standard_error": size_error,
        "error": float(errors.mean()),
        "errors": errors.tolist(),
        "error_standard_error": error_error,
        "error_deviation": stdev(errors.tolist()) if len(errors) > 1 else None,
        "printed_size": method.printed.size if method.printed else None,
        "printed_error": method.printed.error if method.printed else None,
    }
