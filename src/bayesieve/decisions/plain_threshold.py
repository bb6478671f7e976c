# SPDX-License-Identifier: BSD-3-Clause
"""Serialization of thresholds to plain data for JSON, and back."""

from math import isnan
from typing import Any

from bayesieve.data.document import Entry
from bayesieve.data.labels import label_from_plain, label_to_plain
from bayesieve.decisions.threshold import Threshold, read_threshold
from bayesieve.exceptions import ModelFileError, ParameterError

__all__ = ["threshold_from_plain", "threshold_to_plain"]


def threshold_to_plain(threshold: Threshold) -> dict[str, Any]:
    """Return a threshold as numbers, strings, lists and dicts."""
    return {
        "cut": label_to_plain(threshold.cut, "threshold"),
        "name": threshold.rule.name,
        "level": threshold.rule.level,
        "recall": threshold.recall,
        "precision": threshold.precision,
        "interval": None if threshold.interval is None else list(threshold.interval),
    }


def threshold_from_plain(entry: Entry) -> Threshold:
    """Return the threshold at an entry of a document."""
    fields = entry.fields("cut", "name", "level", "recall", "precision", "interval")
    name, level = fields["name"].text(), fields["level"].optional(Entry.number)
    parameter: Any = (name, level)
    if level is None:
        parameter = name
    elif name == "probability":
        parameter = level
    try:
        rule = read_threshold(parameter)
    except ParameterError:
        raise ModelFileError(
            f"{entry.place} has the name {name!r:.60} and the level {level!r}, which are not those of a threshold."
        ) from None
    return Threshold(
        _read_cut(fields["cut"]),
        rule,
        fields["recall"].optional(Entry.number),
        fields["precision"].optional(Entry.number),
        fields["interval"].optional(_read_interval),
    )


def _read_cut(entry: Entry) -> int | float:
    if type(entry.value) is int:
        return entry.whole()
    cut = label_from_plain(entry)
    if type(cut) is not float or isnan(cut):
        entry.refuse("a number")
    return cut


def _read_interval(entry: Entry) -> tuple[float, float]:
    bounds = entry.numbers().tolist()
    if len(bounds) != 2:
        entry.refuse("a list of two numbers")
    return bounds[0], bounds[1]
