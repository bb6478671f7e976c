"""What a column's codes mean: intervals of numbers, or groups of values.

The codes of a partition with B parts are 0 .. B-1 (the missing part, if training had missing values, is the last).
Code B means *never seen in training*: a new value, or a missing value where training had none. It carries no evidence.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, is_number
from bayesieve.exceptions import DataError

__all__ = ["Groups", "Intervals", "Partition", "as_ordered"]


class Partition(Protocol):
    """The parts of one column, and the way from values to codes."""

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        ...

    def parts(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each label of a column, and last the code of a missing value.

        ``parts[column.ids]`` are the codes of the rows.
        """
        ...

    def describe(self, code: int) -> str:
        """Return a part in words."""
        ...


@dataclass(frozen=True)
class Intervals:
    """Intervals (-inf, b1], (b1, b2], ..., (bm, inf) of an ordered column."""

    bounds: NDArray[np.float64]
    missing: bool

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        return len(self.bounds) + 1 + self.missing

    def parts(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        return np.append(np.searchsorted(self.bounds, as_ordered(column)), self.n_parts - self.missing)

    def describe(self, code: int) -> str:
        """Return a part in words."""
        if code >= self.n_parts:
            return "unseen"
        if self.missing and code == self.n_parts - 1:
            return "missing"
        low = f"> {self.bounds[code - 1]:g}" if code else ""
        high = f"<= {self.bounds[code]:g}" if code < len(self.bounds) else ""
        return " and ".join(part for part in (low, high) if part) or "any value"


@dataclass(frozen=True)
class Groups:
    """Groups of values of a column, ordered or nominal."""

    groups: tuple[tuple[Any, ...], ...]
    missing: bool

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        return len(self.groups) + self.missing

    def parts(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value; other values are *unseen*."""
        part_of = {value: g for g, group in enumerate(self.groups) for value in group}
        labels = column.labels.tolist() if isinstance(column.labels, np.ndarray) else column.labels
        if column.ordered:
            self._refuse_new_numbers(column.name, bool(labels))
        else:
            self._refuse_new_text(column)
        unseen = self.n_parts
        return np.array([*(part_of.get(label, unseen) for label in labels), unseen - self.missing], dtype=np.intp)

    def _refuse_new_numbers(self, name: str, has_numbers: bool) -> None:
        known = next((value for group in self.groups for value in group), None)
        if has_numbers and known is not None and not _numeric(known):
            raise DataError(f"Column {name!r} had labels such as {known!r} in training and now holds numbers.")

    def _refuse_new_text(self, column: Column) -> None:
        """Refuse text where training had none: that is another column, not a new value."""
        text = next((label for label in column.labels if isinstance(label, str)), None)
        known = [value for group in self.groups for value in group]
        if text is not None and known and all(_numeric(value) for value in known):
            raise DataError(
                f"Column {column.name!r} was numeric in training and now holds {text!r}; numbers are expected."
            )

    def describe(self, code: int) -> str:
        """Return a part in words."""
        if code >= self.n_parts:
            return "unseen"
        if self.missing and code == self.n_parts - 1:
            return "missing"
        return ", ".join(str(value) for value in self.groups[code])


def as_ordered(column: Column) -> NDArray[np.float64]:
    """Read a column's labels as numbers; booleans are 0 and 1."""
    if isinstance(column.labels, np.ndarray):
        return column.labels
    if (label := next((label for label in column.labels if not _numeric(label)), None)) is not None:
        raise DataError(
            f"Column {column.name!r} was numeric in training and now holds {label!r}; numbers are expected."
        )
    return np.array(column.labels, dtype=np.float64)


def _numeric(value: Any) -> bool:
    return type(value) in (float, int, bool) or is_number(value) or isinstance(value, np.bool_)
