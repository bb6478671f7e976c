# SPDX-License-Identifier: BSD-3-Clause
"""The table over seeds as plain data: means, standard errors, and the differences that claims are about."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.paper_004.paper_claims import measure_claims
from bayesieve.papers.paper_004.paper_methods import METHODS, IndicatorMethod
from bayesieve.papers.standard_error import standard_error

__all__ = ["summarize"]

Record = dict[str, Any]
Records = Mapping[int, Record]


def summarize(records: Sequence[Record]) -> Record:
    """Return the table, the other guide, costs and the scorecard, as far as their jobs are finished."""
    by_kind: dict[str, dict[int, Record]] = {"table": {}, "guided": {}, "cost": {}, "scorecard": {}}
    for record in records:
        kind, seed = record["job"]
        by_kind[kind][seed] = record
    table, guided = by_kind["table"], by_kind["guided"]
    both = sorted(table.keys() & guided.keys())
    summary: Record = {
        "paper": "004",
        "seeds": sorted(table),
        "n_series": records[0]["n_series"],
        "rows": [_row(method, table) | {"curve": _mean_curve(table, method.key)} for method in METHODS if table],
        "guided": [_row(method, guided) for method in METHODS if method.is_search_of_the_paper and guided],
        "costs": _costs(list(by_kind["cost"].values())),
        "scorecard": _scorecard(by_kind["scorecard"]),
    }
    if table:
        everything = [record["everything"] / record["n_test"] for record in table.values()]
        summary["all_indicators"] = {"error": mean(everything), "error_standard_error": standard_error(everything)}
        searches = {method.key for method in METHODS if method.is_search_of_the_paper}
        summary |= measure_claims(
            lambda quantity, key: _values(table, sorted(table), quantity, key),
            lambda quantity, key: _values(guided if key in searches else table, both, quantity, key),
            has_both=bool(both),
        )
    return summary


def _values(records: Records, seeds: Sequence[int], quantity: str, key: str) -> NDArray[np.float64]:
    """Return a quantity of a row for each seed."""
    rows = [records[seed] for seed in seeds]
    if quantity != "error":
        return np.array([record["rows"][key][quantity] for record in rows], dtype=np.float64)
    wrong = [record["everything"] if key == "all" else record["rows"][key]["wrong_test"] for record in rows]
    return np.array([each / record["n_test"] for each, record in zip(wrong, rows, strict=True)])


def _row(method: IndicatorMethod, records: Records) -> Record:
    """Return means and standard errors of the seeds that have the row."""
    seeds = sorted(records)
    sizes, errors = (_values(records, seeds, quantity, method.key).tolist() for quantity in ("size", "error"))
    own = [records[seed]["rows"][method.key] for seed in seeds]
    row = {
        "method": method.title,
        "key": method.key,
        "size": mean(sizes),
        "size_standard_error": standard_error(sizes),
        "error": mean(errors),
        "errors": errors,
        "error_standard_error": standard_error(errors),
        "printed_size": method.printed.size if method.printed else None,
        "printed_error": method.printed.error if method.printed else None,
    }
    return row | {name: mean(each[name] for each in own) for name in ("redundancy", "tied") if name in own[0]}


def _mean_curve(records: Records, key: str) -> list[tuple[int, float]]:
    """Return the mean test error at sizes that were visited in every seed, fewer of the large ones."""
    curves = [(record["rows"][key]["curve"], record["n_test"]) for record in records.values()]
    width = min(len(each) for each, _ in curves)
    errors = np.array(
        [[np.nan if wrong is None else wrong / n_test for wrong in each[:width]] for each, n_test in curves]
    )
    everywhere = np.flatnonzero(~np.isnan(errors).any(axis=0))
    thinned = {int(size) for size in np.geomspace(1, max(width, 2), 60)}
    return [(size, float(errors[:, size].mean())) for size in everywhere.tolist() if size in thinned]


def _costs(records: Sequence[Record]) -> Record | None:
    """Return processor seconds of each method, one per seed."""
    if not records:
        return None
    seconds = {key: [record["seconds"][key] for record in records] for key in records[0]["seconds"]}
    return {"n_columns": max(record["n_columns"] for record in records), "seconds": seconds}


def _scorecard(records: Records) -> Record | None:
    if not records:
        return None
    sizes = [record["size"] for record in records.values()]
    errors = [records[seed]["wrong_test"] / records[seed]["n_test"] for seed in sorted(records)]
    return {
        "size": mean(sizes),
        "size_standard_error": standard_error(sizes),
        "error": mean(errors),
        "errors": errors,
        "error_standard_error": standard_error(errors),
        "seconds": mean(record["seconds"] for record in records.values()),
    }
