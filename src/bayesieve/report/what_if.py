# SPDX-License-Identifier: BSD-3-Clause
"""The model as plain data, from which the page computes the probability of a row that a reader enters."""

from typing import Any

import numpy as np

from bayesieve.bins import Groups, Intervals, Partition
from bayesieve.decisions.calibration import Beta, Calibration
from bayesieve.exact import in_nats
from bayesieve.models import PairTable, Scorecard
from bayesieve.report.selected_bins import bin_label

__all__ = ["describe_what_if"]

_DIGITS = 9  # decimal places of scores


def describe_what_if(model: Any, positive: int | None, threshold: float | None) -> dict[str, Any]:
    """Return start, bins and scores of a model whose scores add up; they hold all its categories.

    Scores are in nats, one per class. The last entry of a table, of values that training did not have, is 0 and is left
    out. Of any other model, a sentence is returned as "left_out". The threshold is that of the positive class, None if
    each row has its own.
    """
    card = model.scorecard_.additive()
    if card is None:
        return {"left_out": f"There is no form: the scores of this {type(model).__name__} do not add up over columns."}
    shares, place = model.feature_importances_, model.selection_.positions
    names = sorted(card.columns, key=lambda name: (-shares[place[name]], place[name]))
    shift = np.zeros(len(card.start)) if card.shift is None else in_nats(card.shift)
    return {
        "positive": positive,
        "threshold": threshold,
        "start": _scores(card.start),
        "shift": np.round(shift, _DIGITS).tolist(),
        "mass": float(card.mass),
        "smooth": bool(card.laplace or card.calibration is not None),
        "calibration": None if card.calibration is None else _calibration(card.calibration),
        "columns": [_column(card, name) for name in names],
        "pairs": [_pair(pair, names) for pair in card.pairs],
    }


def _scores(table: Any) -> Any:
    return np.round(in_nats(table), _DIGITS).tolist()


def _column(card: Scorecard, name: str) -> dict[str, Any]:
    """Return the bins and scores of a column; a column of pairs only has bins without scores."""
    if name in card.names:
        table = card[name]
        return {"name": name, "bins": _bins(table.partition), "scores": _scores(table.table[:-1])}
    partition = next(pair.partitions[pair.names.index(name)] for pair in card.pairs if name in pair.names)
    return {"name": name, "bins": _bins(partition), "scores": None}


def _pair(pair: PairTable, names: list[str]) -> dict[str, Any]:
    return {
        "columns": [names.index(name) for name in pair.names],
        "bins": [_bins(partition) for partition in pair.partitions],
        "scores": _scores(pair.table[:-1, :-1]),
    }


def _bins(partition: Partition) -> dict[str, Any]:
    """Return what gives the code of a value."""
    assert isinstance(partition, Intervals | Groups)
    described: dict[str, Any] = {
        "labels": [bin_label(partition, code) for code in range(partition.n_bins)],
        "scale": partition.scale.value,
        "missing": partition.n_bins - 1 if partition.missing else partition.joined,
    }
    if isinstance(partition, Intervals):
        return described | {"bounds": partition.bounds.tolist(), "special": [float(x) for x in partition.special]}
    groups = [partition.words(code) for code in range(len(partition.groups))]
    return described | {"groups": groups, "other": partition.other}


def _calibration(calibration: Calibration) -> list[dict[str, Any]]:
    """Return the map of each ranked class."""
    return [
        {"a": each.a, "b": each.b, "c": each.c}
        if isinstance(each, Beta)
        else {"log_odds": each.log_odds.tolist(), "probabilities": each.probabilities.tolist()}
        for each in calibration.maps
    ]
