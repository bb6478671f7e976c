# SPDX-License-Identifier: BSD-3-Clause
"""The scan of all candidates against one float32 division per row and candidate."""

from collections.abc import Callable

from bayesieve.search.engine import MemoryEngine, Moves, Segment
from benchmarks.division import division_timer
from benchmarks.problems import Shape, additions, engine, make_segment, removals
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_APPLIED = 5  # enough to spread the scores
_REPEATS = 20

_SHAPES = (Shape(2, 2, 6000, 814), Shape(2, 8, 100_000, 200), Shape(4, 2, 6000, 814))
# Upper limits in divisions per row and candidate, for each shape.
_TARGETS = {"error_probability": (1.2, 1.5, 2.4), "brier": (1.6, 1.8, 3.6), "error": (1.05, 1.1, 2.0)}


def run(full: bool) -> Section:
    """Measure scans of additions, of removals and with row weights."""
    division = division_timer()
    rows = []
    for i, shape in enumerate(_SHAPES):
        targets = {name: each[i] for name, each in _TARGETS.items()}
        rows += _one_shape(shape, targets, division)
    return Section("Scan: ns per (row, candidate), one thread", "yardstick", rows)


def _one_shape(shape: Shape, targets: dict[str, float], division: Callable[[], float]) -> list[Row]:
    plain, weighted = make_segment(shape), make_segment(shape, weighted=True)
    added, half = shape.n_columns - _APPLIED, shape.n_columns // 2
    tasks = {
        **{name: _scan(plain, name, additions(_APPLIED, shape.n_columns)) for name in (*targets, "log_loss")},
        "with weights": _scan(weighted, "brier", additions(_APPLIED, shape.n_columns)),
        "division": division,
        **_both_ways(engine(plain, "brier", half), half),
    }
    cells = dict.fromkeys(tasks, shape.n_rows * added) | {"division": 1}
    cells |= dict.fromkeys(("additions", "removals"), shape.n_rows * half)
    best = minima(tasks, _REPEATS)
    ns = {name: nanoseconds(time, cells[name]) for name, time in best.items()}
    return [
        *(
            Row(f"{name}, {shape}, to a division", ns[name], ns["division"], "ns", most)
            for name, most in targets.items()
        ),
        Row(f"log_loss, {shape}, to brier", ns["log_loss"], ns["brier"], "ns", 2.0),
        Row(f"brier with row weights, {shape}, to without", ns["with weights"], ns["brier"], "ns", 1.3),
        Row(f"brier removals, {shape}, to additions", ns["removals"], ns["additions"], "ns", 1.1),
        Row(f"brier after {half} columns, {shape}, to after {_APPLIED}", ns["additions"], ns["brier"], "ns"),
    ]


def _scan(segment: Segment, criterion: str, batch: Moves) -> Callable[[], float]:
    return _estimate(engine(segment, criterion, _APPLIED), batch)


def _both_ways(halfway: MemoryEngine, half: int) -> dict[str, Callable[[], float]]:
    """Time the same number of additions and removals in one state."""
    return {
        "additions": _estimate(halfway, additions(half, 2 * half)),
        "removals": _estimate(halfway, removals(0, half)),
    }


def _estimate(scanned: MemoryEngine, batch: Moves) -> Callable[[], float]:
    return seconds(lambda: scanned._rows.estimate(*batch.arrays, effort=0))
