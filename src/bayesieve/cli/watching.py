"""A bar that looks for itself how far the work is, so that the library need not know of it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import Progress

__all__ = ["watched"]


@contextmanager
def watched(words: str, total: int | None, done: Callable[[], int]) -> Iterator[None]:
    """Show on the error stream how much is done of a total, if it is known; nothing if that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with _Watching(words, total, done, console):
        yield


class _Watching(Progress):
    def __init__(self, words: str, total: int | None, done: Callable[[], int], console: Console) -> None:
        self._done = done
        super().__init__(console=console, transient=True)
        self.add_task(words, total=total)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Ask, then draw: the bar's own thread calls this some times a second."""
        for task in self.tasks:
            self.update(task.id, completed=self._done())
        return super().get_renderables()
