# SPDX-License-Identifier: BSD-3-Clause
"""A fit of Parquet files that are many times larger than the limit of memory.

The process runs in a memory cgroup of 2 GiB if one can be created; otherwise its anonymous memory is limited to that.
``--full`` makes 50 million rows x 100 float32 columns (20 GB); otherwise there are 2 million.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data import open_parquet
from bayesieve.estimators.rows import read_training_rows
from bayesieve.fit.solve import prepare, solve
from benchmarks.report import Row, Section

__all__ = ["run"]

_COLUMNS, _INFORMATIVE = 100, 40
_GROUPS = Path("/sys/fs/cgroup/memory")
_LIMIT = 2 * 2**30
_CLASSIFIERS = {"SelectiveNaiveBayes": SelectiveNaiveBayes, "ScorecardClassifier": ScorecardClassifier}


def run(full: bool) -> Section:
    """Measure fits of both classifiers, each in its own process."""
    n_rows, n_files = (50_000_000, 20) if full else (2_000_000, 2)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BAYESIEVE_SCRATCH")) as folder:
        begin = time.perf_counter()
        for k in range(n_files):
            _write(Path(folder) / f"{k}.parquet", k, n_rows // n_files)
        written = time.perf_counter() - begin
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        measured = {name: _fit_apart(folder, name) for name in _CLASSIFIERS}
    rows, notes = [], [f"{size / 1e9:.1f} GB of Parquet, written in {written:.0f} s"]
    for name, own in measured.items():
        rows += [
            Row(f"{name}: largest anonymous memory, to 2 GiB", own["anonymous"] / 2**30, 2.0, "GiB", 1.0),
            Row(f"{name}: seconds, to reading the files once", own["seconds"], own["reading"], "s"),
            Row(f"{name}: seconds, to reading and coding", own["seconds"], own["coding"], "s", 2.0),
        ]
        each = own["seconds"] / n_rows / _COLUMNS * 1e9
        notes.append(
            f"{name}: {own['n_selected']} columns selected, {each:.0f} ns per cell over all passes; limited by "
            f"{own['limit']}"
        )
    title = f"Out of core: {n_rows:,} rows x {_COLUMNS} float32 columns in {n_files} files"
    return Section(title, "yardstick", rows, notes)


def _write(path: Path, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    table = {}
    for j in range(_COLUMNS):
        table[f"x{j}"] = rng.random(n, dtype=np.float32)
        if j < _INFORMATIVE:
            table[f"x{j}"] += np.float32(0.4 / (1 + j)) * y
    table["y"] = y.astype(np.int8)
    polars.DataFrame(table).write_parquet(path, compression="uncompressed", row_group_size=1 << 18)


def _fit_apart(folder: str, name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.out_of_core", folder, name]
    here = Path(__file__).resolve().parents[1]
    return json.loads(subprocess.run(command, cwd=here, capture_output=True, text=True, check=True).stdout)


def _limit() -> str:
    """Limit the memory of this process."""
    try:
        group = _GROUPS / f"bayesieve-{os.getpid()}"
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(_LIMIT))
        (group / "cgroup.procs").write_text(str(os.getpid()))
        return "a memory cgroup of 2 GiB, the page cache included"
    except OSError:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_LIMIT, _LIMIT))
        return "RLIMIT_DATA of 2 GiB"


def _anonymous() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


class _MemorySampler:
    """Samples the memory of this process five times per second."""

    def __init__(self) -> None:
        import threading

        self.largest, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._stop.wait(0.2):
            self.largest = max(self.largest, _anonymous())

    def stop(self) -> int:
        self._stop.set()
        self._thread.join()
        return self.largest


def _fit(folder: str, name: str) -> dict[str, object]:
    limit, watch = _limit(), _MemorySampler()
    frame = open_parquet(sorted(Path(folder).glob("*.parquet")), memory=_LIMIT)
    begin = time.perf_counter()
    for read in frame.readers(_COLUMNS + 1):
        read()
    reading = time.perf_counter() - begin
    model = _CLASSIFIERS[name](n_jobs=-1)
    begin = time.perf_counter()
    rows = read_training_rows(model, frame.drop("y"), frame["y"], None)
    task = prepare(rows, model._options(rows))
    coding = time.perf_counter() - begin
    selection = solve(task, [])
    seconds = time.perf_counter() - begin
    return {
        "seconds": seconds,
        "coding": coding,
        "reading": reading,
        "anonymous": watch.stop(),
        "limit": limit,
        "n_selected": len(selection.best.columns),
    }


if __name__ == "__main__":
    print(json.dumps(_fit(*sys.argv[1:])))
