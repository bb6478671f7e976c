# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows in files: blocks are read on demand, and kept blocks are memory-mapped files.

The arrays of a kept block are written once, into one file. Opening it reads nothing; the system loads pages on access
and may drop them when memory is short. So a fit holds a few blocks in memory and never the table.
"""

import os
import pickle
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

__all__ = ["DiskBlocks", "KeptFiles", "read_kept", "write_kept"]

_ALIGNED: Final = 64  # bytes; arrays begin at multiples


class DiskBlocks:
    """Blocks that are read by ``load()`` functions; tasks run in threads.

    Parameters
    ----------
    loaders : sequence of callables
        Each returns a block.
    folder : KeptFiles
        Where kept blocks are written; it is removed with the last of them.
    n_threads : int
        Number of blocks in memory at a time.
    """

    holds = False

    def __init__(self, loaders: Sequence[Callable[[], Any]], folder: "KeptFiles", n_threads: int) -> None:
        self._loaders, self._folder, self._n_threads = list(loaders), folder, n_threads

    def __len__(self) -> int:
        return len(self._loaders)

    def ask(self, i: int, task: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a task for one block."""
        return task(self._loaders[i](), *args)

    def map(self, task: Callable[..., Any], *args: Any) -> "DiskBlocks":
        """Return the result of a task for each block, computed lazily."""
        return self._with([_Task(load, task, args) for load in self._loaders])

    def zip(self, each: Sequence[Any]) -> "DiskBlocks":
        """Return pairs of a block and its own value."""
        return self._with([_Task(load, _pair, (one,)) for load, one in zip(self._loaders, each, strict=True)])

    def keep(self) -> "DiskBlocks":
        """Return the same blocks, in files."""
        paths = [self._folder.next() for _ in self._loaders]
        written = [_Task(load, write_kept, (path,)) for load, path in zip(self._loaders, paths, strict=True)]
        for _ in self._with(written)._results():
            pass
        return self._with([partial(read_kept, path) for path in paths])

    def hold(self) -> "DiskBlocks":
        """Return self: there is no memory for all blocks."""
        return self

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *args: Any) -> Any:
        """Return the results, merged as they arrive, in the order of `merge_pairs`, with few of them in memory."""
        waiting: list[tuple[int, Any]] = []  # sizes are different powers of two
        for result in self.map(task, *args)._results():
            size = 1
            while waiting and waiting[-1][0] == size:
                result = merge(waiting.pop()[1], result)
                size *= 2
            waiting.append((size, result))
        _, merged = waiting.pop()
        while waiting:
            merged = merge(waiting.pop()[1], merged)
        return merged

    def _with(self, loaders: Sequence[Callable[[], Any]]) -> "DiskBlocks":
        return DiskBlocks(loaders, self._folder, self._n_threads)

    def _results(self) -> Iterator[Any]:
        """Yield the result of each block in order; at most `n_threads` are computed at a time."""
        if self._n_threads == 1:
            yield from (load() for load in self._loaders)
            return
        with ThreadPoolExecutor(self._n_threads) as pool:
            pending: list[Future[Any]] = []
            try:
                for load in self._loaders:
                    if len(pending) == self._n_threads:
                        yield pending.pop(0).result()
                    pending.append(pool.submit(load))
                while pending:
                    yield pending.pop(0).result()
            finally:
                for future in pending:
                    future.cancel()


class _Task:
    """Loads a block and runs a task on it."""

    def __init__(self, load: Callable[[], Any], task: Callable[..., Any], args: Sequence[Any]) -> None:
        self._load, self._task, self._args = load, task, args

    def __call__(self) -> Any:
        return self._task(self._load(), *self._args)


class KeptFiles:
    """A temporary folder for kept blocks, removed when the last reference to it is gone."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bayesieve-", dir=parent))
        self._n = 0
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def next(self) -> Path:
        """Return the path of a new file."""
        self._n += 1
        return self.path / f"{self._n}.block"


def write_kept(block: Any, path: Path) -> None:
    """Write an object: its arrays, aligned, then its pickle without them, then the position of the pickle."""
    with path.open("wb") as file:
        places: list[tuple[int, int]] = []

        def put(buffer: pickle.PickleBuffer) -> None:
            file.write(b"\0" * (-file.tell() % _ALIGNED))
            view = buffer.raw()
            places.append((file.tell(), view.nbytes))
            file.write(view)

        pickled = pickle.dumps(block, protocol=5, buffer_callback=put)
        begin = file.tell()
        file.write(pickle.dumps((pickled, places)))
        file.write(begin.to_bytes(8, "little"))


def read_kept(path: Path) -> Any:
    """Return a written object, whose arrays are memory-mapped."""
    # Unpickling is safe: only files that this process wrote are read.
    with path.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        end = file.tell()
        begin = int.from_bytes(file.read(8), "little")
        file.seek(begin)
        pickled, places = pickle.loads(file.read(end - begin))
    content = np.memmap(path, dtype=np.uint8, mode="r") if any(size for _, size in places) else np.empty(0, np.uint8)
    return pickle.loads(pickled, buffers=[content[a : a + size] for a, size in places])


def _pair(block: Any, value: Any) -> tuple[Any, Any]:
    return block, value
