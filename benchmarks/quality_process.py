# SPDX-License-Identifier: BSD-3-Clause
"""A fit in its own process, on one processor, with a limit of processor time."""

import contextlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.quality_exchange import Answer, Problem

__all__ = ["FitCutError", "Task", "fit_apart", "run_apart"]

_PATIENCE = 24  # times the limit on the clock: on a shared machine a fit may get a small part of a processor
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Task = Callable[[Path], None] | Sequence[str]


class FitCutError(Exception):
    """The fit took longer than its limit."""


def fit_apart(task: Task, problem: Problem, seconds: int) -> Answer:
    """Run a function, or the script of another environment, and return its answer; see ``run_apart``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problem.write(folder)
        run_apart(task, folder, seconds)
        return Answer.read(folder)


def run_apart(task: Task, folder: Path, seconds: int) -> None:
    """Run a function, or the script of another environment, on a folder.

    Raises FitCutError after so many processor seconds, RuntimeError if it fails.
    """
    status = _run_function(task, folder, seconds) if callable(task) else _run_script(task, folder, seconds)
    if status is None:
        raise FitCutError(f"after {seconds * _PATIENCE} s on the clock")
    if status == -signal.SIGXCPU:
        raise FitCutError(f"after {seconds} s")
    if status != 0:
        raise RuntimeError(_errors(folder) or f"ended with status {status}")


def _errors(folder: Path) -> str:
    """Return what a failed fit has written; a killed one, as for lack of memory, has written nothing."""
    file = folder / "errors.txt"
    return file.read_text(errors="replace").strip() if file.exists() else ""


def _run_function(task: Callable[[Path], None], folder: Path, seconds: int) -> int | None:
    """Return the exit code of a fork, which need not import everything again; None if it did not end."""
    process = multiprocessing.get_context("fork").Process(target=_guarded, args=(task, folder, seconds))
    process.start()
    process.join(seconds * _PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
        return None
    return process.exitcode


def _guarded(task: Callable[[Path], None], folder: Path, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        task(folder)
    except Exception:
        (folder / "errors.txt").write_text(traceback.format_exc())
        sys.exit(1)


def _run_script(command: Sequence[str], folder: Path, seconds: int) -> int | None:
    """Return the exit code of a script; None if it did not end."""
    # Some peers start programs on the path.
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, **dict.fromkeys(_THREADS, "1"), "PATH": path}
    with (folder / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            [*command, str(folder)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            process_group=0,
        )
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        return process.wait(seconds * _PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
        process.wait()
