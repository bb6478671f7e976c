# SPDX-License-Identifier: BSD-3-Clause
"""The tables as plain data: scores next to the figures of the paper, and differences per set."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.papers.paper_002.folds import KHIOPS_ROW, METHODS, SETS as UCI
from bayesieve.papers.paper_002.paper_scores import balanced_error_spread
from bayesieve.papers.paper_002.printed import SETS
from bayesieve.papers.standard_error import standard_error

__all__ = ["MEASURES", "summarize"]

Record = dict[str, Any]

MEASURES: Final = ("auc", "log_loss", "brier", "ber", "n_columns", "seconds")
_PAIRED: Final = ("auc", "log_loss", "brier", "ber")


def summarize(records: Sequence[Record]) -> Record:
    """Return all tables of some records."""
    tables = (
        "challenge", "later", "readings", "perceptron", "probes", "noise", "ablation", "folds", "scorecard",
        "later_scorecard",
    )  # fmt: skip
    by_table: dict[str, list[Record]] = {table: [] for table in tables}
    for record in records:
        by_table[record["job"][0]].append(record)
    scorecards = by_table["scorecard"]
    uci = [{**each, "job": ["folds", *each["job"][1:]]} for each in scorecards if "method" in each]
    return {
        "paper": "002",
        "challenge": [_challenge(record) for record in by_table["challenge"]],
        "later": [_plain(each) | {"printed_columns": SETS[each["set"]].later_size} for each in by_table["later"]],
        "readings": [_plain(each) for each in by_table["readings"]],
        "perceptron": [_perceptron(record) for record in by_table["perceptron"]],
        "probes": [
            {**_plain(each), "printed_share": SETS[each["set"]].esnb.probes / 100} for each in by_table["probes"]
        ],
        "noise": [_plain(each) for each in by_table["noise"]],
        "ablation": [_ablation(each) for each in by_table["ablation"]],
        "folds": _folds(by_table["folds"]) if by_table["folds"] else None,
        "scorecard": [_plain(each) for each in scorecards if "method" not in each],
        "later_scorecard": [_later_scorecard(each) for each in by_table["later_scorecard"]],
        "scorecard_folds": _means(uci),
    }


def _plain(record: Record) -> Record:
    return {key: value for key, value in record.items() if key != "job"}


def _challenge(record: Record) -> Record:
    """Add the paper's figures to ESNB; the tolerance is two standard errors of the validation rows."""
    row = {key: value for key, value in _plain(record).items() if key != "columns"}
    if record["variant"] != "ESNB":
        return row
    printed = SETS[record["set"]]
    rate = printed.esnb.ber / 100
    tolerance = 2 * balanced_error_spread(rate, record["n_positive"], record["n_negative"])
    return row | {
        "printed_ber": rate,
        "printed_auc": printed.esnb.auc / 100,
        "printed_columns": printed.size,
        "tolerance": tolerance,
        "is_close": abs(record["ber"] - rate) <= tolerance,
    }


def _ablation(record: Record) -> Record:
    """Return means over the folds of a set; a challenge set has one split."""
    folds = record["folds"]
    rows = [
        {
            **{key: each[key] for key in ("bins", "criterion")},
            **{key: float(np.mean([fold[i][key] for fold in folds])) for key in ("n_columns", "auc", "half", "chi2")},
        }
        for i, each in enumerate(folds[0])
    ]
    return {"set": record["set"], "n_splits": len(folds), "rows": rows}


def _later_scorecard(record: Record) -> Record:
    """Return means over the folds of table 25.2."""
    values = {key: [fold[key] for fold in record["folds"]] for key in ("ber", "auc", "n_columns")}
    error = _spread(np.array(values["ber"])) / sqrt(len(values["ber"]))
    return {
        "set": record["set"],
        **{key: float(np.mean(each)) for key, each in values.items()},
        "ber_standard_error": error,
    }


def _means(records: Sequence[Record]) -> Record:
    """Return the mean of each measure over the folds of each set."""
    return {
        record["set"]: {each: float(np.mean([fold[each] for fold in record["folds"]])) for each in MEASURES}
        for record in records
    }


def _perceptron(record: Record) -> Record:
    printed = SETS[record["set"]]
    values = {key: [fold[key] for fold in record["folds"]] for key in ("ber", "auc", "n_columns", "hidden")}
    return {
        "set": record["set"],
        **{key: float(np.mean(values[key])) for key in ("ber", "auc", "n_columns")},
        "ber_standard_error": _spread(np.array(values["ber"])) / sqrt(len(values["ber"])),
        "hidden": values["hidden"],
        "n_table": printed.n_columns,
        "gains": [fold["esnb_ber"] - fold["ber"] for fold in record["folds"] if "esnb_ber" in fold],
        "printed_ber": printed.perceptron.ber / 100,
        "printed_auc": printed.perceptron.auc / 100,
        "printed_columns": printed.later_size,
    }


def _folds(records: Sequence[Record]) -> Record:
    """Compare methods on the folds of each set with Khiops, or with our implementation of its method."""
    by_method: dict[tuple[str, str], list[Record]] = {}
    for record in sorted(records, key=lambda record: int(record["repeat"])):
        by_method.setdefault((record["method"], record["set"]), []).append(record)
    methods = [method for method in METHODS if any(key[0] == method for key in by_method)]
    # If the run was interrupted: the sets and repeats that every method has.
    sets = [name for name in UCI if all((method, name) in by_method for method in methods)]
    n_repeats = {name: min(len(by_method[method, name]) for method in methods) for name in sets}
    reference = next((name for name in (KHIOPS_ROW, "fractional") if name in methods), methods[0])
    values = {
        (method, name): _values([fold for each in by_method[method, name][: n_repeats[name]] for fold in each["folds"]])
        for method in methods
        for name in sets
    }
    n_folds = len(records[0]["folds"])
    return {
        "n_folds": n_folds,
        "n_repeats": min(n_repeats.values(), default=0),
        "sets": sets,
        "reference": reference,
        "rows": [_method(method, reference, sets, values) for method in methods] if sets else [],
    }


def _values(folds: Sequence[Record]) -> dict[str, Floats]:
    return {measure: np.array([fold[measure] for fold in folds], dtype=np.float64) for measure in MEASURES}


def _method(
    method: str, reference: str, sets: Sequence[str], values: dict[tuple[str, str], dict[str, Floats]]
) -> Record:
    row: Record = {"method": method}
    for measure in MEASURES:
        row[measure] = float(np.mean([values[method, name][measure].mean() for name in sets]))
    row["sets"] = {
        name: {measure: float(values[method, name][measure].mean()) for measure in MEASURES} for name in sets
    }
    if method == reference:
        return row
    row["differences"] = {}
    for measure in _PAIRED:
        differences = [row["sets"][name][measure] - float(values[reference, name][measure].mean()) for name in sets]
        # Folds of a set share training rows; sets do not.
        row["differences"][measure] = {
            "mean": float(np.mean(differences)),
            "standard_error": standard_error(differences),
            "sets": dict(zip(sets, differences, strict=True)),
        }
    return row


def _spread(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
