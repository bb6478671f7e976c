# SPDX-License-Identifier: BSD-3-Clause
"""Groups of blocks in the memory of Dask workers, which the steps of a search ask many times.

They are asked by one message to all workers that have them, outside of the task graph: a task may be run by another
worker (work stealing), which has to be sent the block first, and takes several times as long as a message. Groups of a
lost worker are made again by Dask, elsewhere, and the request is repeated: tasks have no side effects.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, TimeoutError as StillRunning
from functools import partial
from typing import Any, Final

from bayesieve.data.blocks.row_blocks import merge_pairs
from bayesieve.exceptions import WorkersLostError

__all__ = ["HeldGroups"]

_POLL: Final = 0.5  # seconds
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
