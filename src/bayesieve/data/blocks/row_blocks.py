# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows that are not moved: tasks run on each block, and results are merged; samples of rows of all blocks.

All work on more rows than fit one memory has this form. A task is a function of one block and of arguments that all
blocks share; it has no side effects, so that a lost block or result can be computed again anywhere.

Sampled rows are spread evenly over a table, at places that follow no period of it: one of each stretch of rows. The
place within a stretch is a hash of the number of the stretch, so it depends neither on blocks nor on the machine.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.exact import scrambled

__all__ = ["MemoryBlocks", "RowBlocks", "are_held_out", "merge_pairs", "spread_rows"]


Block = TypeVar("Block")
Held = TypeVar("Held", covariant=True)
Result = TypeVar("Result")

Merge = Callable[[Any, Any], Any]


class RowBlocks(Protocol[Held]):
    """Blocks of rows in a fixed order; some may be empty."""

    @property
    def holds(self) -> bool:
        """Whether there is memory for all blocks."""
        ...

    def __len__(self) -> int:
        """Return the number of blocks."""
        ...

    def map(self, task: Callable[..., Any], *args: Any) -> "RowBlocks[Any]":
        """Return ``task(block, *args)`` for each block, possibly computed lazily."""
        ...

    def ask(self, i: int, task: Callable[..., Any], *args: Any) -> Any:
        """Return ``task(block, *args)`` for one block."""
        ...

    def zip(self, each: Sequence[Any]) -> "RowBlocks[Any]":
        """Return pairs of a block and its own value."""
        ...

    def keep(self) -> "RowBlocks[Held]":
        """Return the same blocks, computed once and stored."""
        ...

    def hold(self) -> "RowBlocks[Held]":
        """Return the same blocks, stored if there is memory for all of them (``holds``), otherwise computed on demand.

        Only ``reduce`` may be called on the result, and it may merge in another order.
        """
        ...

    def reduce(self, task: Callable[..., Result], merge: Callable[[Result, Result], Result], *args: Any) -> Result:
        """Return ``task(block, *args)`` for all blocks, merged by `merge_pairs`."""
        ...


class MemoryBlocks(Generic[Block]):
    """Blocks in a list: the reference implementation."""

    holds = True

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = list(blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    def map(self, task: Callable[..., Result], *args: Any) -> "MemoryBlocks[Result]":
        """Return the result of a task for each block."""
        return MemoryBlocks([task(block, *args) for block in self._blocks])

    def ask(self, i: int, task: Callable[..., Result], *args: Any) -> Result:
        """Return the result of a task for one block."""
        return task(self._blocks[i], *args)

    def zip(self, each: Sequence[Any]) -> "MemoryBlocks[tuple[Block, Any]]":
        """Return pairs of a block and its own value."""
        return MemoryBlocks(list(zip(self._blocks, each, strict=True)))

    def keep(self) -> "MemoryBlocks[Block]":
        """Return self."""
        return self

    def hold(self) -> "MemoryBlocks[Block]":
        """Return self."""
        return self

    def reduce(self, task: Callable[..., Result], merge: Callable[[Result, Result], Result], *args: Any) -> Result:
        """Return the merged results."""
        merged: Result = merge_pairs([task(block, *args) for block in self._blocks], merge)
        return merged


def merge_pairs(results: Sequence[Any], merge: Merge) -> Any:
    """Merge neighbors in pairs until one is left: the order depends only on the number of blocks.

    >>> merge_pairs(list("abcde"), lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    while len(results) > 1:
        pairs = [results[i : i + 2] for i in range(0, len(results), 2)]
        results = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return results[0]


_SAMPLE: Final = 1 << 40  # numbers of stretches from here on, so that samples and held-out rows are unrelated


def are_held_out(first: int, n: int, every: int) -> NDArray[np.bool_]:
    """Return which of n rows are held out: one of each ``every`` rows.

    >>> [int(row) for row in np.flatnonzero(are_held_out(0, 30, 10))]
    [5, 10, 29]
    """
    held_out = np.zeros(n, dtype=bool)
    held_out[_places(first, n, every, 0)] = True
    return held_out


def spread_rows(first: int, n: int, every: int) -> NDArray[np.int64]:
    """Return rows of a sample among n rows, given the number of the first: one of each ``every`` rows of the table.

    >>> spread_rows(0, 30, 10), spread_rows(20, 10, 10)
    (array([ 2, 12, 26]), array([6]))
    """
    return _places(first, n, every, _SAMPLE)


def _places(first: int, n: int, every: int, salt: int) -> NDArray[np.int64]:
    stretches = np.arange(first // every, (first + n - 1) // every + 1, dtype=np.uint64)
    places = (stretches * np.uint64(every) + scrambled(stretches + np.uint64(salt)) % np.uint64(every)).astype(np.int64)
    inside: NDArray[np.int64] = places[(places >= first) & (places < first + n)] - first
    return inside
