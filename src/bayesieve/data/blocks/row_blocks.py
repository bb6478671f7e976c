"""Rows in blocks that stay where they are: what is asked of all of them, and how their answers meet.

Whoever needs more rows than fit one place asks in this form only. A task is a function of one block and of what all
blocks are told; it has no effect, so that a block, or an answer, can be made again wherever it was lost.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["MemoryBlocks", "RowBlocks", "merge_pairs"]

Block = TypeVar("Block")
Held = TypeVar("Held", covariant=True)
Answer = TypeVar("Answer")

Merge = Callable[[Any, Any], Any]


class RowBlocks(Protocol[Held]):
    """Blocks of rows in a fixed order; some may be empty."""

    @property
    def holds(self) -> bool:
        """Whether there is memory for what all blocks hold."""
        ...

    def __len__(self) -> int:
        """Return the number of blocks."""
        ...

    def map(self, task: Callable[..., Any], *told: Any) -> "RowBlocks[Any]":
        """Return what ``task(block, *told)`` makes of each block; it may be made when it is asked for."""
        ...

    def ask(self, i: int, task: Callable[..., Any], *told: Any) -> Any:
        """Return ``task(block, *told)`` of one block."""
        ...

    def zip(self, each: Sequence[Any]) -> "RowBlocks[Any]":
        """Return pairs of a block and what it alone is given."""
        ...

    def keep(self) -> "RowBlocks[Held]":
        """Return the same blocks, made once and kept where they are."""
        ...

    def hold(self) -> "RowBlocks[Held]":
        """Return the same blocks, kept if there is memory for all of them (``holds``), or else made when asked for.

        Only to ``reduce``: what is held may be merged in another order.
        """
        ...

    def reduce(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *told: Any) -> Answer:
        """Return ``task(block, *told)`` of all blocks, merged as `merge_pairs` does."""
        ...


class MemoryBlocks(Generic[Block]):
    """Blocks in a list: the specification of the others."""

    holds = True

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = list(blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    def map(self, task: Callable[..., Answer], *told: Any) -> "MemoryBlocks[Answer]":
        """Return what a task makes of each block."""
        return MemoryBlocks([task(block, *told) for block in self._blocks])

    def ask(self, i: int, task: Callable[..., Answer], *told: Any) -> Answer:
        """Return what a task says of one block."""
        return task(self._blocks[i], *told)

    def zip(self, each: Sequence[Any]) -> "MemoryBlocks[tuple[Block, Any]]":
        """Return pairs of a block and what it alone is given."""
        return MemoryBlocks(list(zip(self._blocks, each, strict=True)))

    def keep(self) -> "MemoryBlocks[Block]":
        """Return itself."""
        return self

    def hold(self) -> "MemoryBlocks[Block]":
        """Return itself."""
        return self

    def reduce(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *told: Any) -> Answer:
        """Return the merged answers."""
        merged: Answer = merge_pairs([task(block, *told) for block in self._blocks], merge)
        return merged


def merge_pairs(answers: Sequence[Any], merge: Merge) -> Any:
    """Merge neighbours two by two until one is left: the order depends on the number of blocks only.

    >>> merge_pairs(list("abcde"), lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    while len(answers) > 1:
        pairs = [answers[i : i + 2] for i in range(0, len(answers), 2)]
        answers = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return answers[0]
