"""Rows in the partitions of Dask: the only file that knows it.

A block is a node of a task graph. What is kept stays in the memory of the workers, and Dask makes it again from the
graph if its worker is lost. What all blocks are told is a node too, so that it travels once to each worker.
"""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np

from bayesieve.data.blocks.row_blocks import merge_pairs
from bayesieve.exceptions import DataError, WorkersLostError

__all__ = [
    "DaskBlocks",
    "connect",
    "dask_blocks",
    "example_of",
    "is_dask",
    "map_partitions",
    "n_threads_of_workers",
    "open_client",
    "parts_of",
]

_PATIENCE: Final = 60.0  # seconds without any worker: a nanny starts another one in a few
_LOOK: Final = 0.5
_LARGE: Final = 1 << 16  # bytes: such a thing is a node of its own
_ANSWERS_WITHIN: Final = 10.0  # seconds, a scheduler
_MISSING: Final = "Rows in Dask need the packages dask and distributed: pip install 'bayesieve[dask]'."
_FAN_IN: Final = 8  # answers that one task merges; a power of two, so that the order is that of pairs


class DaskBlocks:
    """Blocks as nodes of a graph: delayed ones, or results that workers hold."""

    holds = True

    def __init__(self, blocks: Sequence[Any], client: Any = None, *, in_groups: bool = False) -> None:
        self._blocks, self._in_groups = list(blocks), in_groups
        self._client = open_client() if client is None else client

    def __len__(self) -> int:
        return len(self._blocks)

    def map(self, task: Callable[..., Any], *told: Any) -> "DaskBlocks":
        """Return what a task makes of each block, when it is asked for."""
        from dask.delayed import delayed

        made = delayed(task, pure=False)
        shared = [delayed(each, traverse=False, pure=False) if _is_large(each) else each for each in told]
        return DaskBlocks([made(block, *shared) for block in self._blocks], self._client)

    def ask(self, i: int, task: Callable[..., Any], *told: Any) -> Any:
        """Return what a task says of one block."""
        return DaskBlocks(self._blocks[i : i + 1], self._client).reduce(task, _pair, *told)

    def zip(self, each: Sequence[Any]) -> "DaskBlocks":
        """Return pairs of a block and what it alone is given."""
        from dask.delayed import delayed

        pair = delayed(_pair, pure=False)
        return DaskBlocks([pair(*both) for both in zip(self._blocks, each, strict=True)], self._client)

    def keep(self) -> "DaskBlocks":
        """Return the same blocks, in the memory of the workers."""
        return DaskBlocks(self._made(), self._client)

    def hold(self) -> "DaskBlocks":
        """Keep the blocks, those of one thread of a worker as one: each question then is a message to each thread."""
        made = self._made()
        threads, places = self._client.nthreads(), self._client.who_has(made)
        groups: dict[str, list[Any]] = {}
        for block in made:
            groups.setdefault(min(places.get(block.key, ()), default=""), []).append(block)
        held = []
        for worker, blocks in sorted(groups.items()):
            n = max(1, min(threads.get(worker, 1), len(blocks)))
            place = {"workers": worker, "allow_other_workers": True} if worker else {}
            held += [self._client.submit(_group, *blocks[k::n], pure=False, **place) for k in range(n)]
        return DaskBlocks(held, self._client, in_groups=True)

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *told: Any) -> Any:
        """Return the merged answers; workers merge them among each other."""
        if not self._are_held:
            return self.map(task, *told)._held().reduce(_same, merge)
        shared = [self._client.submit(_same, each, pure=False) if _is_large(each) else each for each in told]
        task = partial(_ask_all, task, merge) if self._in_groups else task
        answers = [self._client.submit(task, block, *shared, pure=False) for block in self._blocks]
        return self._wait(self._tree(partial(_merge, merge), answers))

    @property
    def _are_held(self) -> bool:
        return not any(hasattr(block, "__dask_graph__") for block in self._blocks)

    def _held(self) -> "DaskBlocks":
        return DaskBlocks(self._compute(), self._client)

    def _made(self) -> list[Any]:
        """Return the blocks as results, when all are there; none of them moves."""
        from distributed import TimeoutError as NotYet
        from distributed import wait

        held, alone_since = self._compute(), None
        while True:
            try:
                wait(held, timeout=_LOOK)
            except NotYet:
                alone_since = self._lonely(alone_since)
                continue
            for failed in (each for each in held if each.status != "finished"):
                self._wait(failed)
            return list(held)

    def _compute(self) -> Any:
        with warnings.catch_warnings():
            # Bins of many columns are some megabytes, sent once.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self._client.compute(self._blocks)

    def _tree(self, merge: Callable[..., Any], answers: Sequence[Any]) -> Any:
        """Return a node that merges all answers, some at a time."""
        while len(answers) > 1:
            groups = [answers[i : i + _FAN_IN] for i in range(0, len(answers), _FAN_IN)]
            answers = [self._client.submit(merge, *group, pure=False) for group in groups]
        return answers[0]

    def _wait(self, future: Any) -> Any:
        """Wait for an answer as long as there is a worker that could give it."""
        from distributed import TimeoutError as NotYet
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        alone_since: float | None = None
        try:
            while True:
                try:
                    return future.result(timeout=_LOOK)
                except NotYet:
                    alone_since = self._lonely(alone_since)
        except (KilledWorker, FutureCancelledError) as error:
            raise WorkersLostError(f"Dask gave up after losing workers: {error}") from error
        except BaseException:
            future.cancel()
            raise

    def _lonely(self, since: float | None) -> float | None:
        """Return since when there is no worker; raise if that has lasted too long."""
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except OSError as error:
            raise WorkersLostError(f"The Dask scheduler cannot be reached: {error}") from error
        if workers and self._client.status != "closed":
            return None
        now = time.monotonic()
        if since is not None and now - since > _PATIENCE:
            raise WorkersLostError(
                f"No Dask worker has been there for {_PATIENCE:.0f} seconds; with checkpoint=... given, the search "
                "goes on where it was once there are workers again, here or on another cluster."
            )
        return now if since is None else since


def _merge(merge: Callable[[Any, Any], Any], *answers: Any) -> Any:
    return merge_pairs(answers, merge)


def _group(*blocks: Any) -> tuple[Any, ...]:
    return blocks


def _ask_all(task: Callable[..., Any], merge: Callable[[Any, Any], Any], group: Sequence[Any], *told: Any) -> Any:
    return merge_pairs([task(block, *told) for block in group], merge)


def _same(answer: Any) -> Any:
    return answer


def _is_large(told: Any) -> bool:
    from dask.sizeof import sizeof

    return bool(sizeof(told) > _LARGE)


def _pair(block: Any, given: Any) -> tuple[Any, Any]:
    return block, given


def _tell(part: Any, task: Callable[[Any], Any]) -> Any:
    return task(part)


def open_client() -> Any:
    """Return the client of this process, or one of threads in this process."""
    try:
        from distributed import Client, default_client
    except ModuleNotFoundError:
        raise DataError(_MISSING) from None
    try:
        return default_client()
    except ValueError:
        return Client(processes=False, dashboard_address=":0")  # without one, it would be at a fixed port


@contextmanager
def connect(address: str) -> Iterator[None]:
    """Let work inside be done by the workers of a scheduler, or of a cluster that is started here and ends with it.

    ``address`` is that of a scheduler, or "local": one worker process of one thread for each processor.
    """
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise DataError(_MISSING) from None
    if address == "local":
        size = {"n_workers": os.cpu_count() or 1, "threads_per_worker": 1, "processes": True}
        # Blocks are even; a worker that takes over a question would have to be sent the block first.
        quiet = config.set({"distributed.scheduler.work-stealing": False})
        with quiet, LocalCluster(**size, dashboard_address=":0") as cluster, Client(cluster):
            yield
        return
    try:
        client = Client(address, timeout=_ANSWERS_WITHIN)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise DataError(
            f"No Dask scheduler answers at {address!r} ({reason}); give tcp://host:port, or local."
        ) from None
    with client:
        yield


def dask_blocks(make: Callable[..., Any], *parts: Sequence[Any]) -> DaskBlocks:
    """Return blocks, each made of a part of every collection."""
    from dask.delayed import Delayed, delayed

    def node(part: Any) -> Any:
        return part if part is None or isinstance(part, Delayed) else delayed(part, traverse=False, pure=False)

    made = delayed(make, pure=False)
    return DaskBlocks([made(*map(node, each)) for each in zip(*parts, strict=True)])


def n_threads_of_workers() -> int:
    """Return how many tasks run at a time."""
    return max(1, int(sum(open_client().nthreads().values())))


def is_dask(X: Any) -> bool:
    """Tell whether something is a collection of Dask, without importing it."""
    return callable(getattr(X, "__dask_graph__", None)) and hasattr(X, "to_delayed")


def example_of(X: Any) -> Any:
    """Return a collection without rows: an empty data frame or array."""
    return np.empty((0, *X.shape[1:])) if hasattr(X, "chunks") else X._meta


def parts_of(X: Any) -> list[Any]:
    """Return the partitions of a Dask data frame, series, or array that is whole in its columns."""
    if hasattr(X, "chunks") and getattr(X, "ndim", 1) == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    delayed_parts = X.to_delayed()
    return list(delayed_parts.ravel()) if hasattr(delayed_parts, "ravel") else list(delayed_parts)


def map_partitions(X: Any, task: Callable[[Any], Any], example: Any) -> Any:
    """Return what a task says of the rows of each partition, as an array of Dask; ``example`` is an empty answer."""
    import dask.array as da
    from dask.delayed import delayed

    # The task is a node of its own, so that a fitted model travels once to each worker.
    told, shared = delayed(_tell, pure=False), delayed(task, traverse=False, pure=False)
    shapes = [(float("nan"), *example.shape[1:])] * len(parts_of(X))
    if hasattr(X, "chunks"):
        shapes = [(n, *example.shape[1:]) for n in X.chunks[0]]
    parts = [
        da.from_delayed(told(part, shared), shape=shape, meta=example)
        for part, shape in zip(parts_of(X), shapes, strict=True)
    ]
    return da.concatenate(parts, axis=0, allow_unknown_chunksizes=True)
