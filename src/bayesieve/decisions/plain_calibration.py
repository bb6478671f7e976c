# SPDX-License-Identifier: BSD-3-Clause
"""Serialization of calibrations to plain data for JSON, and back."""

from typing import Any

import numpy as np

from bayesieve.data.document import Entry
from bayesieve.decisions.calibration import Beta, Calibration, CalibrationMap, Isotonic

__all__ = ["calibration_from_plain", "calibration_to_plain"]


def calibration_to_plain(calibration: Calibration) -> list[dict[str, Any]]:
    """Return a calibration as numbers, strings, lists and dicts."""
    return [_map_to_plain(each) for each in calibration.maps]


def calibration_from_plain(entry: Entry, n_classes: int) -> Calibration:
    """Return the calibration at an entry of a document."""
    maps = tuple(_map_from_plain(item) for item in entry.items())
    n_maps = 1 if n_classes == 2 else n_classes
    if len(maps) != n_maps:
        entry.refuse(f"a list of {n_maps}")
    return Calibration(maps)


def _map_to_plain(each: CalibrationMap) -> dict[str, Any]:
    if isinstance(each, Beta):
        return {"kind": "beta", "numbers": [each.a, each.b, each.c]}
    return {"kind": "isotonic", "numbers": [*each.log_odds.tolist(), *each.probabilities.tolist()]}


def _map_from_plain(entry: Entry) -> CalibrationMap:
    fields = entry.fields("kind", "numbers")
    kind, numbers = fields["kind"].choice("isotonic", "beta"), fields["numbers"].numbers()
    if kind == "beta":
        if len(numbers) != 3 or (numbers[:2] < 0).any():
            fields["numbers"].refuse("three numbers, the first two of them not negative")
        return Beta(*numbers.tolist())
    knots, values = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
    is_increasing = (np.diff(knots) > 0).all() and (np.diff(values) >= 0).all()
    if not len(knots) or len(values) != len(knots) or not is_increasing or values[0] < 0 or values[-1] > 1:
        fields["numbers"].refuse("increasing knots, and as many probabilities that do not decrease")
    return Isotonic(knots, values)
