# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows in Dask partitions; no other module imports Dask.

A block is a node of a task graph. Kept blocks stay in the memory of the workers, and Dask recomputes them from the
graph if a worker is lost. Large arguments of a task are nodes too, so that each is sent once to each worker.

Blocks that the steps of a search ask many times are groups in the memory of workers. They are asked by one message to
all workers that have them, outside of the task graph: a task may be run by another worker (work stealing), which has to
be sent the block first, and takes several times as long as a message. Groups of a lost worker are made again by Dask,
elsewhere, and the request is repeated: tasks have no side effects.
"""

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, TimeoutError as StillRunning
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

import numpy as np

from bayesieve.data.blocks.row_blocks import merge_pairs
from bayesieve.exceptions import DataError, WorkersLostError

__all__ = [
    "DaskBlocks",
    "HeldGroups",
    "connect",
    "dask_blocks",
    "example_of",
    "map_partitions",
    "n_threads_of_workers",
    "open_client",
    "own_client",
    "partitions_of",
]


_PATIENCE: Final = 60.0  # seconds without any worker; a nanny restarts one within a few
_POLL: Final = 0.5  # seconds
_LARGE: Final = 1 << 16  # bytes: a larger argument is a node of its own
_CONNECT_TIMEOUT: Final = 10.0  # seconds
_MISSING: Final = "Rows in Dask need the packages dask and distributed: pip install 'bayesieve[dask]'."
_FAN_IN: Final = 8  # results that one task merges; a power of two, so that the order is that of pairs


class DaskBlocks:
    """Blocks as nodes of a graph: delayed ones, or results in the memory of the workers."""

    holds = True

    def __init__(self, blocks: Sequence[Any], client: Any = None) -> None:
        self._blocks = list(blocks)
        self._client = open_client() if client is None else client

    def __len__(self) -> int:
        return len(self._blocks)

    def map(self, task: Callable[..., Any], *args: Any) -> "DaskBlocks":
        """Return the result of a task for each block, computed lazily."""
        from dask.delayed import delayed

        lazy_task = delayed(task, pure=False)
        shared = [delayed(each, traverse=False, pure=False) if _is_large(each) else each for each in args]
        return DaskBlocks([lazy_task(block, *shared) for block in self._blocks], self._client)

    def ask(self, i: int, task: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a task for one block."""
        return DaskBlocks(self._blocks[i : i + 1], self._client).reduce(task, _pair, *args)

    def zip(self, each: Sequence[Any]) -> "DaskBlocks":
        """Return pairs of a block and its own value."""
        from dask.delayed import delayed

        pair = delayed(_pair, pure=False)
        return DaskBlocks([pair(*both) for both in zip(self._blocks, each, strict=True)], self._client)

    def keep(self) -> "DaskBlocks":
        """Return the same blocks, in the memory of the workers."""
        return DaskBlocks(self._made(), self._client)

    def hold(self) -> Any:
        """Keep the blocks, grouped by thread of a worker, so that each request is one message per worker."""
        results = self._made()
        threads, places = self._client.nthreads(), self._client.who_has(results)
        groups: dict[str, list[Any]] = {}
        for block in results:
            groups.setdefault(min(places.get(block.key, ()), default=""), []).append(block)
        held = []
        for worker, blocks in sorted(groups.items()):
            n = max(1, min(threads.get(worker, 1), len(blocks)))
            place = {"workers": worker, "allow_other_workers": True} if worker else {}
            held += [self._client.submit(_group, *blocks[k::n], pure=False, **place) for k in range(n)]
        held_blocks = DaskBlocks(held, self._client)
        return HeldGroups(held, self._client, held_blocks._made, self._check_workers)

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *args: Any) -> Any:
        """Return the merged results, which workers merge in a tree."""
        if not self._are_held:
            return self.map(task, *args)._held().reduce(_same, merge)
        shared = [self._client.submit(_same, each, pure=False) if _is_large(each) else each for each in args]
        results = [self._client.submit(task, block, *shared, pure=False) for block in self._blocks]
        return self._wait(self._tree(partial(_merge, merge), results))

    @property
    def _are_held(self) -> bool:
        return not any(hasattr(block, "__dask_graph__") for block in self._blocks)

    def _held(self) -> "DaskBlocks":
        return DaskBlocks(self._compute(), self._client)

    def _made(self) -> list[Any]:
        """Wait for all blocks and return them as results, without moving them."""
        from distributed import TimeoutError as NotYet, wait

        held, idle_since = self._compute(), None
        while True:
            try:
                wait(held, timeout=_POLL)
            except NotYet:
                idle_since = self._check_workers(idle_since)
                continue
            for failed in (each for each in held if each.status != "finished"):
                self._wait(failed)
            return list(held)

    def _compute(self) -> Any:
        with warnings.catch_warnings():
            # The bins of many columns take some megabytes, and are sent once.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self._client.compute(self._blocks)

    def _tree(self, merge: Callable[..., Any], results: Sequence[Any]) -> Any:
        """Return a node that merges all results, `_FAN_IN` at a time."""
        while len(results) > 1:
            groups = [results[i : i + _FAN_IN] for i in range(0, len(results), _FAN_IN)]
            results = [self._client.submit(merge, *group, pure=False) for group in groups]
        return results[0]

    def _wait(self, future: Any) -> Any:
        """Wait for a result as long as there are workers."""
        from distributed import TimeoutError as NotYet, wait
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        idle_since: float | None = None
        try:
            while True:
                try:
                    wait(future, timeout=_POLL)
                    return future.result(timeout=_PATIENCE)  # a large one takes longer than from one look to the next
                except (NotYet, UnboundLocalError):  # the latter from distributed, if it ended as the time was over
                    idle_since = self._check_workers(idle_since)
        except (KilledWorker, FutureCancelledError) as error:
            raise WorkersLostError(f"Dask gave up after losing workers: {error}") from error
        except BaseException:
            future.cancel()
            raise

    def _check_workers(self, since: float | None) -> float | None:
        """Return since when there has been no worker, None if there is one; raise after `_PATIENCE` seconds."""
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except OSError as error:
            raise WorkersLostError(f"The Dask scheduler cannot be reached: {error}") from error
        if workers and self._client.status != "closed":
            return None
        now = time.monotonic()
        if since is not None and now - since > _PATIENCE:
            raise WorkersLostError(
                f"No Dask worker has been available for {_PATIENCE:.0f} seconds; with checkpoint=..., the search "
                "continues where it stopped once there are workers, here or on another cluster."
            )
        return now if since is None else since


def _merge(merge: Callable[[Any, Any], Any], *results: Any) -> Any:
    return merge_pairs(results, merge)


def _group(*blocks: Any) -> tuple[Any, ...]:
    return blocks


def _same(result: Any) -> Any:
    return result


def _is_large(argument: Any) -> bool:
    from dask.sizeof import sizeof

    return bool(sizeof(argument) > _LARGE)


def _pair(block: Any, value: Any) -> tuple[Any, Any]:
    return block, value


def _run(rows: Any, task: Callable[[Any], Any]) -> Any:
    return task(rows)


_OWN_CLIENTS: ContextVar[list[Any] | None] = ContextVar("own clients", default=None)
_LOOPBACK: Final = "127.0.0.1:0"  # by default, schedulers and workers answer on all interfaces, at fixed ports


@contextmanager
def own_client() -> Iterator[None]:
    """Close the client that work inside has to start, because the process has none, and with it its scheduler."""
    clients: list[Any] = []
    token = _OWN_CLIENTS.set(clients if _OWN_CLIENTS.get() is None else _OWN_CLIENTS.get())
    try:
        yield
    finally:
        _OWN_CLIENTS.reset(token)
        for client in clients:
            client.close()


def open_client() -> Any:
    """Return the client of this process, or start one with threads in this process that only this machine reaches."""
    try:
        from distributed import Client, default_client
    except ModuleNotFoundError:
        raise DataError(_MISSING) from None
    try:
        return default_client()
    except ValueError:
        clients = _OWN_CLIENTS.get()
        if not clients:
            addresses = {"dashboard_address": _LOOPBACK, "worker_dashboard_address": _LOOPBACK}
            client = Client(processes=False, **addresses)
            if clients is None:
                return client
            clients.append(client)
        return clients[0]


@contextmanager
def connect(address: str) -> Iterator[None]:
    """Run the work inside on the workers of a scheduler, or of a local cluster that ends with the context.

    ``address`` is the address of a scheduler, or "local": one worker process with one thread per processor.
    """
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise DataError(_MISSING) from None
    if address == "local":
        size = {"n_workers": os.cpu_count() or 1, "threads_per_worker": 1, "processes": True}
        # Blocks have equal sizes, and another worker would have to receive the block first.
        quiet = config.set({"distributed.scheduler.work-stealing": False})
        addresses = {"dashboard_address": _LOOPBACK, "worker_dashboard_address": _LOOPBACK}
        with quiet, LocalCluster(**size, **addresses) as cluster, Client(cluster):
            yield
        return
    try:
        client = Client(address, timeout=_CONNECT_TIMEOUT)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise DataError(
            f"No Dask scheduler is reachable at {address!r} ({reason}); tcp://host:port or local is expected."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_TIMEOUT)
        except TimeoutError:
            raise WorkersLostError(
                f"The Dask scheduler at {address!r} has no worker; start one with: dask worker {address}."
            ) from None
        yield


def dask_blocks(make: Callable[..., Any], *partitions: Sequence[Any]) -> DaskBlocks:
    """Return blocks, each made of one partition of every collection."""
    from dask.delayed import Delayed, delayed

    def node(rows: Any) -> Any:
        return rows if rows is None or isinstance(rows, Delayed) else delayed(rows, traverse=False, pure=False)

    lazy_make = delayed(make, pure=False)
    return DaskBlocks([lazy_make(*map(node, each)) for each in zip(*partitions, strict=True)])


def n_threads_of_workers() -> int:
    """Return how many tasks the workers run at a time."""
    return max(1, int(sum(open_client().nthreads().values())))


def example_of(X: Any) -> Any:
    """Return an empty data frame or array with the columns of a collection."""
    return np.empty((0, *X.shape[1:])) if hasattr(X, "chunks") else X._meta


def partitions_of(X: Any) -> list[Any]:
    """Return the partitions of a Dask data frame, series or array; each has all columns."""
    if hasattr(X, "chunks") and getattr(X, "ndim", 1) == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    partitions = X.to_delayed()
    return list(partitions.ravel()) if hasattr(partitions, "ravel") else list(partitions)


def map_partitions(X: Any, task: Callable[[Any], Any], example: Any) -> Any:
    """Return the results of a task for each partition as a Dask array; ``example`` is an empty result."""
    import dask.array as da
    from dask.delayed import delayed

    # The task is a node of its own, so that a fitted model is sent once to each worker.
    run, shared = delayed(_run, pure=False), delayed(task, traverse=False, pure=False)
    shapes = [(float("nan"), *example.shape[1:])] * len(partitions_of(X))
    if hasattr(X, "chunks"):
        shapes = [(n, *example.shape[1:]) for n in X.chunks[0]]
    arrays = [
        da.from_delayed(run(rows, shared), shape=shape, meta=example)
        for rows, shape in zip(partitions_of(X), shapes, strict=True)
    ]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)


_MOST_LOSSES: Final = 20  # of workers during one request


class HeldGroups:
    """Blocks in groups, one per thread of a worker.

    Parameters
    ----------
    groups : sequence of futures
        Each is a tuple of blocks.
    client : distributed.Client
        The client of these futures.
    made : callable
        Waits until all groups are made, and returns them.
    check_workers : callable
        Raises if there have been no workers for long, given since when there is none.
    """

    def __init__(
        self,
        groups: Sequence[Any],
        client: Any,
        made: Callable[[], list[Any]],
        check_workers: Callable[[float | None], float | None],
    ) -> None:
        self._groups, self._client, self._made, self._check_workers = list(groups), client, made, check_workers
        self._places: dict[str, list[int]] = {}  # the positions of the groups that each worker has

    def reduce(self, task: Callable[..., Any], merge: Callable[[Any, Any], Any], *args: Any) -> Any:
        """Return the merged results: those of a worker are merged there."""
        for _ in range(_MOST_LOSSES):
            if not self._places or self._are_lost():
                self._places = self._place()
            answers = self._answers(partial(_ask_all, task, merge), args)
            if answers is not None:
                return merge_pairs(answers, merge)
            self._places = {}
        raise WorkersLostError(f"Dask workers did not answer, {_MOST_LOSSES} times in a row.")

    def _are_lost(self) -> bool:
        return any(group.status != "finished" for group in self._groups)

    def _place(self) -> dict[str, list[int]]:
        """Wait until all groups are made, and return where they are."""
        while True:
            has = self._client.who_has(self._made())
            if all(has.get(group.key) for group in self._groups):
                places: dict[str, list[int]] = {}
                for k, group in enumerate(self._groups):
                    places.setdefault(min(has[group.key]), []).append(k)
                return places

    def _answers(self, task: Callable[..., Any], args: Sequence[Any]) -> list[Any] | None:
        """Return the answer of each worker; None if one was lost."""
        keys = {worker: [self._groups[k].key for k in groups] for worker, groups in self._places.items()}
        ask = partial(self._client.run, _ask_groups, keys, task, args, workers=list(keys), on_error="return")
        answers = self._unless_lost(_in_thread(ask))
        if answers is None:
            return None
        for failure in (each for each in answers.values() if isinstance(each, Exception)):
            if not isinstance(failure, OSError):
                raise failure
        lost = any(each is None or isinstance(each, OSError) for each in answers.values())
        return None if lost else [answers[worker][0] for worker in keys]

    def _unless_lost(self, call: "Future[dict[str, Any]]") -> dict[str, Any] | None:
        """Wait for an answer as long as the groups are where they were."""
        while not self._are_lost():
            try:
                return call.result(timeout=_POLL)
            except StillRunning:
                self._check_workers(None)
        return None


async def _ask_groups(
    keys: Mapping[str, Sequence[str]], task: Callable[..., Any], args: Sequence[Any], dask_worker: Any
) -> tuple[Any] | None:
    """Return the merged answer of the groups of one worker, each asked in a thread; None if it has lost them."""
    from asyncio import to_thread  # 30 modules that only programs with Dask need

    try:
        groups = [dask_worker.data[key] for key in keys[dask_worker.address]]
    except KeyError:
        return None
    return (await to_thread(task, groups, *args),)


def _ask_all(
    task: Callable[..., Any], merge: Callable[[Any, Any], Any], groups: Sequence[Sequence[Any]], *args: Any
) -> Any:
    answers = [_in_thread(partial(_ask_group, task, merge, group, *args)) for group in groups[1:]]
    first = _ask_group(task, merge, groups[0], *args)
    return merge_pairs([first, *(answer.result() for answer in answers)], merge)


def _ask_group(task: Callable[..., Any], merge: Callable[[Any, Any], Any], group: Sequence[Any], *args: Any) -> Any:
    return merge_pairs([task(block, *args) for block in group], merge)


def _in_thread(call: Callable[[], Any]) -> "Future[Any]":
    """Start a call that may be given up: it blocks neither this thread nor the end of the process."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
