# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory of a fit beyond its input, in bytes per cell; each fit has its own process."""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

from bayesieve import NaiveBayesSelector
from benchmarks.report import Row, Section

__all__ = ["peak", "run"]

_N_ROWS, _N_COLUMNS = 50_000, 400
_BYTES_PER_CELL = 3.0  # of the test rows


def run(full: bool) -> Section:
    """Measure fits without and with folds."""
    cells = _N_ROWS * _N_COLUMNS / 1e6
    rows = [
        Row(
            f"cv={folds}, {_N_ROWS:,} x {_N_COLUMNS} floats",
            _fit_apart(folds),
            cells,
            "MB",
            _BYTES_PER_CELL,
        )
        for folds in (0, 5)
    ]
    notes = ["the test rows of five folds together are the rows of the table"]
    return Section("Peak memory of a fit beyond its input: bytes per cell", "one byte per cell", rows, notes)


def _fit_apart(folds: int) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", str(folds)]
    here = Path(__file__).resolve().parents[1]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, cwd=here).stdout)


def _fit_here(folds: int) -> float:
    """Return the megabytes by which a fit raises the peak of this process."""
    rng = np.random.default_rng(0)
    X = np.empty((_N_ROWS, _N_COLUMNS))
    rng.standard_normal(out=X)
    y = rng.integers(0, 2, _N_ROWS)
    X[:, :10] += 0.3 * y[:, None]
    selector = NaiveBayesSelector(n_features=3, cv=folds, n_jobs=1)
    selector.fit(X[:200, :4], y[:200])  # libraries are loaded at first use
    before = peak()
    selector.fit(X, y)
    return (peak() - before) / 1e6


def peak() -> float:
    """Return this process's peak memory in bytes.

    From ``/proc`` on Linux, since a process inherits the value of ``getrusage`` from its parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(kilobytes) * 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0)


if __name__ == "__main__":
    print(_fit_here(int(sys.argv[1])))
