# SPDX-License-Identifier: BSD-3-Clause
"""The time of one float32 division, the unit in which scans are measured: ``native/bench/roofline.cpp``."""

import os
import shutil
import subprocess
from pathlib import Path

from bayesieve._native import core

__all__ = ["division_timer"]

_ROOT = Path(__file__).resolve().parents[1]


class DivisionTimer:
    """Runs the compiled loop; each call returns the seconds of one division."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def __call__(self) -> float:
        """Return the time of one division in seconds, the least of several in one process."""
        run = subprocess.run([self._program], check=True, capture_output=True, text=True)
        return float(run.stdout) * 1e-9


def division_timer() -> DivisionTimer:
    """Compile the loop for the vector unit that the core uses."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise RuntimeError("A C++ compiler is needed to time one division; install one or set CXX.")
    program = _ROOT / "build" / "roofline"
    program.parent.mkdir(exist_ok=True)
    vectors = [] if core.vector_build() == "portable" else ["-mavx2"]
    source = _ROOT / "native" / "bench" / "roofline.cpp"
    subprocess.run([*compiler.split(), "-std=c++17", "-O2", *vectors, source, "-o", program], check=True)
    return DivisionTimer(program)
