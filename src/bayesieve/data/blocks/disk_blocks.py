"""Rows in files: blocks are read when they are asked for, and what is kept are bytes that the system maps into memory.

A kept block is written once, its arrays in one file each after the other; to read it costs nothing until its bytes are
looked at, and the system may forget them whenever it needs room. So a fit holds a few blocks and never the table.
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

_ALIGNED: Final = 64  # bytes at which an array begins


class DiskBlocks:
    """Blocks that ``load()`` functions bring; tasks run in as many threads as are given.

    Parameters
    ----------
    loaders : sequence of callables
        Each returns a block.
    folder : path
        Where kept blocks are written; it goes when the last of them does.
    n_threads : int
        How many blocks are in memory at a time.
    """

    holds = False

    def __init__(self, loaders: Sequence[Callable[[], Any]], folder: "KeptFiles", n_threads: int) -> None:
        self._loaders, self._folder, self._n_threads = list(loaders), folder, n_threads

    def __len__(self) -> int:
        return len(self._loaders)

    def ask(self, i: int, task: Callable[..., Any], *told: Any) -> Any:
        """Return what a task says of one block."""
        return task(self._loaders[i](), *told)

    def map(self, task: Callable[..., Any], *told: Any) -> "DiskBlocks":
        """Return what a task makes of each block, when it is asked for."""
        return self._with([_Task(load, task, told) for load in self._loaders])

    def zip(self, each: Sequence[Any]) -> "DiskBlocks":
        """Return pairs of a block and what it alone is given."""
        return self._with([_Task(load, _pair, (one,)) for load, one in zip(self._loaders, each, strict=True)])

    def keep(self) -> "DiskBlocks":
        """Return the same blocks, in files."""
        paths = [self._folder.next() for _ in self._loaders]
        written = [_Task(load, write_kept, (path,)) for load, path in zip(self._loaders, paths, strict=True)]
        for _ in self._with(written)._answers():
            pass
        return self._with([partial(read_kept, path) for path in paths])

    def hold(self) -> "DiskBlocks":
        """Return itself: there is no memory for all blocks."""
        return self

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *told: Any) -> Any:
        """Return the answers, merged as they come: in the order of `merge_pairs`, with few of them in memory."""
        waiting: list[tuple[int, Any]] = []  # sizes are different powers of two
        for answer in self.map(task, *told)._answers():
            size = 1
            while waiting and waiting[-1][0] == size:
                answer = merge(waiting.pop()[1], answer)
                size *= 2
            waiting.append((size, answer))
        _, merged = waiting.pop()
        while waiting:
            merged = merge(waiting.pop()[1], merged)
        return merged

    def _with(self, loaders: Sequence[Callable[[], Any]]) -> "DiskBlocks":
        return DiskBlocks(loaders, self._folder, self._n_threads)

    def _answers(self) -> Iterator[Any]:
        """Yield what each block gives, in order; no more are under way than there are threads."""
        if self._n_threads == 1:
            yield from (load() for load in self._loaders)
            return
        with ThreadPoolExecutor(self._n_threads) as pool:
            under_way: list[Future[Any]] = []
            try:
                for load in self._loaders:
                    if len(under_way) == self._n_threads:
                        yield under_way.pop(0).result()
                    under_way.append(pool.submit(load))
                while under_way:
                    yield under_way.pop(0).result()
            finally:
                for future in under_way:
                    future.cancel()


class _Task:
    """Brings a block and does something with it."""

    def __init__(self, load: Callable[[], Any], task: Callable[..., Any], told: Sequence[Any]) -> None:
        self._load, self._task, self._told = load, task, told

    def __call__(self) -> Any:
        return self._task(self._load(), *self._told)


class KeptFiles:
    """A folder of its own for kept blocks, which is removed when nobody needs it."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bayesieve-", dir=parent))
        self._n = 0
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def next(self) -> Path:
        """Return the path of a file that is not there yet."""
        self._n += 1
        return self.path / f"{self._n}.block"


def write_kept(block: Any, path: Path) -> None:
    """Write an object: its arrays aligned one after the other, then a pickle that has room for them, then its place."""
    with path.open("wb") as file:
        places: list[tuple[int, int]] = []

        def put(buffer: pickle.PickleBuffer) -> None:
            file.write(b"\0" * (-file.tell() % _ALIGNED))
            view = buffer.raw()
            places.append((file.tell(), view.nbytes))
            file.write(view)

        shell = pickle.dumps(block, protocol=5, buffer_callback=put)
        begin = file.tell()
        file.write(pickle.dumps((shell, places)))
        file.write(begin.to_bytes(8, "little"))


def read_kept(path: Path) -> Any:
    """Return a written object, whose arrays are the bytes of the file."""
    # Only files of this process are read: the folder is its own.
    with path.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        end = file.tell()
        begin = int.from_bytes(file.read(8), "little")
        file.seek(begin)
        shell, places = pickle.loads(file.read(end - begin))
    whole = np.memmap(path, dtype=np.uint8, mode="r") if any(size for _, size in places) else np.empty(0, np.uint8)
    return pickle.loads(shell, buffers=[whole[a : a + size] for a, size in places])


def _pair(block: Any, given: Any) -> tuple[Any, Any]:
    return block, given
