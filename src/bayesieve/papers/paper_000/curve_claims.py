# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of the paper about figures 1 and 2 and about profits, judged on the campaigns of one kind."""

from collections.abc import Sequence
from math import sqrt
from statistics import mean, stdev
from typing import Any, Final

import numpy as np

from bayesieve.papers.paper_000.printed import PRINTED, WINNER

__all__ = ["judge_curves", "judge_profits"]

Record = dict[str, Any]
_EARLY: Final = 10  # a minimum at more columns than that is not early


def judge_curves(records: Sequence[Record]) -> list[Record]:
    """Return verdicts about the errors along both paths."""
    return [
        _steady(records, "curve", "falls", "The training MSE falls with every forward column (figure 1)."),
        _minimum(records, "curve", 4, "The test MSE of forward selection has an early minimum (figure 1)."),
        _steady(records, "boosted_curve", "rises", "The training MSE rises with every boosted column (figure 2)."),
        _minimum(records, "boosted_curve", 5, "The test MSE of boosting falls at first (figure 2)."),
        _overfitting(records),
    ]


def judge_profits(records: Sequence[Record], *, is_real: bool) -> list[Record]:
    """Return verdicts about profits."""
    pairs = [(PRINTED[name].mse_test, PRINTED[name].profit_test) for name in PRINTED]
    printed = float(np.corrcoef(np.log([mse for mse, _ in pairs]), [profit for _, profit in pairs])[0, 1])
    values = [_correlation(record) for record in records]
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    holds = mean(values) + 2 * error < 0 and min(values) > -1
    correlation = {
        "claim": "A lower MSE goes with a higher profit, but not perfectly.",
        "verdict": "holds" if holds else "does not hold",
        "figures": f"correlation of log MSE and profit over the six rows, test: {mean(values):+.2f}, from "
        f"{min(values):+.2f} to {max(values):+.2f}; in the paper's table {printed:+.2f}",
    }
    return [correlation, _winner(records) if is_real else _no_winner()]


def _winner(records: Sequence[Record]) -> Record:
    profit = mean(record["rows"]["10 forward"]["profit_test"] for record in records)
    return {
        "claim": "Ten forward columns earn about as much as the winner of the competition.",
        "verdict": "holds" if profit >= 0.95 * WINNER else "does not hold",
        "figures": f"${profit:,.0f} against ${WINNER:,.0f}",
    }


def _no_winner() -> Record:
    return {
        "claim": "Ten forward columns earn about as much as the winner of the competition.",
        "verdict": "undecided",
        "figures": "needs the files of KDD Cup 1998",
    }


def _steady(records: Sequence[Record], curve: str, direction: str, claim: str) -> Record:
    sign = -1 if direction == "falls" else 1
    steps = [
        sign * (after["mse_train"] - before["mse_train"]) > 0
        for record in records
        for before, after in zip(record[curve], record[curve][1:], strict=False)
    ]
    ends = [record[curve][-1]["mse_train"] - record[curve][0]["mse_train"] for record in records]
    verdict = "holds on the whole, not in every step" if min(sign * each for each in ends) > 0 else "does not hold"
    return {
        "claim": claim,
        "verdict": "holds" if all(steps) else verdict,
        "figures": f"it {direction} in {sum(steps)} of {len(steps)} steps; from the first to the last column "
        f"{mean(ends):+.5f}",
    }


def _minimum(records: Sequence[Record], curve: str, printed: int, claim: str) -> Record:
    """Judge whether the mean test error has its minimum after the first column and not late."""
    means = np.mean([[point["mse_test"] for point in record[curve]] for record in _same_length(records, curve)], axis=0)
    place = int(np.argmin(means)) + 1
    columns = "column" if place == 1 else "columns"
    places = [int(np.argmin([point["mse_test"] for point in record[curve]])) + 1 for record in records]
    return {
        "claim": claim,
        "verdict": "holds" if 1 < place <= _EARLY else "does not hold",
        "figures": f"minimum at {place} {columns} ({means[place - 1]:.5f}), of single campaigns at {min(places)} to "
        f"{max(places)}; in the paper at {printed}",
    }


def _overfitting(records: Sequence[Record]) -> Record:
    """Judge whether test and training error stay equally far apart from the first to the last forward column."""
    gaps = [[end["mse_test"] - end["mse_train"] for end in (each["curve"][0], each["curve"][-1])] for each in records]
    growth = [last - first for first, last in gaps]
    error = stdev(growth) / sqrt(len(growth)) if len(growth) > 1 else 0.0
    n_columns = max(len(each["curve"]) for each in records)
    return {
        "claim": "Naive Bayes does not overfit: its performance on the training set reflects that on new examples.",
        "verdict": "does not hold" if mean(growth) > 2 * error else "holds",
        "figures": f"test MSE less training MSE: {mean(first for first, _ in gaps):+.5f} with one forward column, "
        f"{mean(last for _, last in gaps):+.5f} with {n_columns}",
    }


def _same_length(records: Sequence[Record], curve: str) -> list[Record]:
    width = min(len(record[curve]) for record in records)
    return [{curve: record[curve][:width]} for record in records]


def _correlation(record: Record) -> float:
    rows = [record["rows"][name] for name in PRINTED]
    errors, profits = (np.array([row[name] for row in rows]) for name in ("mse_test", "profit_test"))
    return float(np.corrcoef(np.log(errors), profits)[0, 1])
