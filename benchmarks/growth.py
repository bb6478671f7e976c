# SPDX-License-Identifier: BSD-3-Clause
"""Time of a step per row and candidate as the problem grows; constant means proportional growth."""

from collections.abc import Callable

from benchmarks.problems import Shape, additions, engine, make_segment
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_APPLIED = 5
_CRITERION = "brier"
_SERIES = {
    "rows": [Shape(2, 8, n_rows, 100) for n_rows in (1_000, 10_000, 100_000, 1_000_000)],
    "columns": [Shape(2, 8, 5_000, n_columns) for n_columns in (100, 1_000, 10_000)],
    "classes": [Shape(n_classes, 8, 20_000, 200) for n_classes in (2, 3, 4, 6, 8)],
    "codes": [Shape(2, n_codes, 20_000, 200) for n_codes in (2, 8, 16, 17, 64, 255, 300)],
}


def run(full: bool) -> Section:
    """Measure steps, exact confirmation included; each to the first of its series."""
    rows = []
    for varied, shapes in _SERIES.items():
        tasks = {str(shape): _step(shape) for shape in shapes}
        best = minima(tasks, repeats=5)
        ns = [nanoseconds(best[str(shape)], shape.n_rows, shape.n_columns - _APPLIED) for shape in shapes]
        rows += [Row(f"{varied}: {shape}", each, ns[0], "ns") for shape, each in zip(shapes, ns, strict=True)]
    return Section(f"Growth: ns per (row, candidate) of a {_CRITERION} step, one thread", "first", rows)


def _step(shape: Shape) -> Callable[[], float]:
    ours, batch = engine(make_segment(shape), _CRITERION, _APPLIED), additions(_APPLIED, shape.n_columns)
    return seconds(lambda: ours.score(batch))
