# SPDX-License-Identifier: BSD-3-Clause
"""A progress bar that polls how much is done, so that the library does not depend on it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import Progress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(title: str, total: int | None, n_done: Callable[[], int]) -> Iterator[None]:
    """Show progress on the error stream if it is a terminal; without a total, show that the command is running."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with _PollingProgress(title, total, n_done, console):
        yield


class _PollingProgress(Progress):
    def __init__(self, title: str, total: int | None, n_done: Callable[[], int], console: Console) -> None:
        self._n_done = n_done
        super().__init__(console=console, transient=True)
        self.add_task(title, total=total)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Poll, then draw: the thread of the bar calls this several times per second."""
        for task in self.tasks:
            self.update(task.id, completed=self._n_done())
        return super().get_renderables()
