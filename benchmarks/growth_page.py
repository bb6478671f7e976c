# SPDX-License-Identifier: BSD-3-Clause
"""Saved figures of growth as pictures and as the tables of a page.

python -m benchmarks growth --json research/growth.json && python -m benchmarks.growth_page
"""

import json
from collections.abc import Mapping
from math import log
from pathlib import Path
from typing import Any, Final

from bayesieve.papers.chart import Chart, Panel, Series
from benchmarks.quality_page import with_tables
from benchmarks.report import markdown_table

__all__ = ["FOLDER", "GrowthFigures", "main"]

FOLDER: Final = Path(__file__).resolve().parents[1] / "research"
"""The folder of the figures, the pictures and the page."""

Points = dict[int, float]

_OURS = "bayesieve"
_CANDIDATES = 95
_STEP_PANELS = ("columns", "classes", "codes", "blocks")
_WORKER_LINES = ("threads", "workers", "threads by the clock", "workers by the clock")
_HOUR = 3600.0


def main() -> None:
    """Draw the pictures of the saved figures, and write the tables of the page."""
    figures = GrowthFigures(json.loads((FOLDER / "growth.json").read_text(encoding="utf-8")))
    (FOLDER / "growth.svg").write_text(figures.step_picture(), encoding="utf-8")
    (FOLDER / "growth_jobs.svg").write_text(figures.job_picture(), encoding="utf-8")
    page = FOLDER / "scale.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8"), figures.tables()), encoding="utf-8")


class GrowthFigures:
    """The lines of a run of ``python -m benchmarks growth``, by what varies.

    Parameters
    ----------
    figures : dict
        The content of its JSON file.
    """

    def __init__(self, figures: Mapping[str, Any]) -> None:
        self._machine = figures["machine"]
        self._steps: dict[str, Points] = {}
        self._jobs: dict[tuple[str, str], dict[str, Points]] = {}  # (job, axis): library: seconds by size
        for row in figures["sections"]["growth"]["rows"]:
            varied, n = row["name"].rsplit(" ", 1)
            job, _, rest = varied.partition(": ")
            if rest:
                library, axis = rest.rsplit(", ", 1)
                points = self._jobs.setdefault((job, axis), {}).setdefault(library, {})
            else:
                points = self._steps.setdefault(varied, {})
            points[int(n)] = row["ours"]

    def step_picture(self) -> str:
        """Return the picture of a step: seconds against rows, and time per row and candidate against the rest."""
        names = {"rows": _OURS, "simulated rows": f"{_OURS}, simulated rows"}
        steps = [
            _series(name, {n: 1e-9 * _CANDIDATES * n * ns for n, ns in self._steps[varied].items()})
            for varied, name in names.items()
        ]
        title = f"A step of {_CANDIDATES} candidates"
        panels = [Panel(title, "rows", "processor seconds", steps, log_x=True, log_y=True)]
        unit = "ns per row and candidate"
        panels += [
            Panel(f"By {varied}", varied, unit, [_series(_OURS, self._steps[varied])], log_x=True)
            for varied in _STEP_PANELS
        ]
        both = [_series(name, self._steps[name]) for name in _WORKER_LINES]
        panels.append(Panel("By threads, and by workers", "threads or workers", unit, both))
        return Chart("Time of a step as a problem grows", panels).svg()

    def job_picture(self) -> str:
        """Return the picture of whole jobs of several libraries: rows to the left, columns to the right."""
        panels = []
        for (job, axis), libraries in self._jobs.items():
            series = [_series(library, points) for library, points in libraries.items()]
            panels.append(Panel(f"{job}, by {axis}", axis, "processor seconds", series, log_x=True, log_y=True))
        return Chart("Processor seconds of jobs as a table grows", panels).svg()

    def tables(self) -> dict[str, str]:
        """Return the tables of the page by name."""
        return {"growth of a step": self._step_table(), "growth of jobs": self._job_table()}

    def _step_table(self) -> str:
        """Return how the time of a step changes from the first to the last size of each series."""
        rows = []
        for varied, points in self._steps.items():
            if len(points) > 1:
                sizes = [min(points), max(points)]
                ns = [points[n] for n in sizes]
                rows.append([varied, *(f"{n:,}" for n in sizes), *(f"{each:.3g}" for each in ns), _ratio(*ns)])
        header = ["", "from", "to", "ns per row and candidate there", "and there", "ratio"]
        reading, step = self._steps["read"][1], self._steps["rows"][max(self._steps["rows"])]
        note = (
            f"Reading a code from memory alone takes one thread {reading:.2g} ns, {_ratio(reading, step)} times less "
            f"than a step takes per row and candidate. Measured on {self._machine['cores']} cores; the load average at "
            f"the start was {self._machine['load']}, and times by the clock are of use only where it is near 0."
        )
        return "\n".join([*markdown_table(header, rows), "", note])

    def _job_table(self) -> str:
        """Return where each line ends, how it grows there, and what an hour would be enough for."""
        rows = []
        for (job, axis), libraries in self._jobs.items():
            for library, points in libraries.items():
                last = max(points)
                ours = libraries[_OURS].get(last)
                ratio = "" if ours is None or library.startswith(_OURS) else _ratio(ours, points[last])
                power = "" if len(points) == 1 else f"{_power(points):.1f}"
                cells = [f"{last:,}", f"{points[last]:.3g}", ratio, power, _power_of_ten(_in_an_hour(points))]
                rows.append([f"{job}, {axis}", library, *cells])
        header = ["job", "library", "line ends at", "seconds there", "to bayesieve", "power", "in an hour"]
        return "\n".join(markdown_table(header, rows))


def _series(name: str, points: Points) -> Series:
    return Series(name, list(points), list(points.values()))


def _power_of_ten(size: float) -> str:
    digits, exponent = f"{size:.0e}".split("e")
    return f"{digits} × 10^{int(exponent)}"


def _ratio(first: float, last: float) -> str:
    ratio = last / first
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _power(points: Points) -> float:
    """Return the power of the size with which the time grows over the last decade of a line."""
    last = max(points)
    first = min(n for n in points if n >= last / 10)
    return log(points[last] / points[first]) / log(last / first)


def _in_an_hour(points: Points) -> float:
    """Return the size that an hour is enough for.

    A line that grows faster than in proportion goes on with its power. Another one has fixed costs, and goes on as the
    straight line through its last two points; of one point, in proportion.
    """
    *_, last = sorted(points)
    if len(points) == 1:
        return last * _HOUR / points[last]
    if (power := _power(points)) > 1:
        return last * (_HOUR / points[last]) ** (1 / power)
    before = sorted(points)[-2]
    slope = (points[last] - points[before]) / (last - before)
    return last + (_HOUR - points[last]) / slope


if __name__ == "__main__":
    main()
