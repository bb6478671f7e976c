"""What a column's codes mean: intervals of numbers, or groups of values.

The codes of a partition with B parts are 0 .. B-1 (the missing part, if training had missing values, is the last).
Code B means *never seen in training*: a new value, or a missing value where training had none. It carries no evidence.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, NominalColumn, OrderedColumn, is_number
from bayesieve.exceptions import DataError

__all__ = ["Groups", "Intervals", "Partition", "ordered_again"]


class Partition(Protocol):
    """The parts of one column, and the way from values to codes."""

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        ...

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each row."""
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

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each row."""
        values = ordered_again(column).values
        codes = np.searchsorted(self.bounds, values, side="left")
        codes[np.isnan(values)] = self.n_parts - self.missing
        return codes

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

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each row."""
        part_of = {value: g for g, group in enumerate(self.groups) for value in group}
        if isinstance(column, NominalColumn):
            self._refuse_new_text(column)
            by_label = [part_of.get(label, self.n_parts) for label in column.labels]
            # The entry for missing stands last, where index -1 finds it.
            return np.array([*by_label, self._missing_code], dtype=np.intp)[column.ids]
        if not all(_numeric(value) for value in part_of) and not np.isnan(column.values).all():
            raise DataError(
                f"Column {column.name!r} had labels such as {next(iter(part_of))!r} in training and now holds numbers."
            )
        return self._encode_numbers(part_of, column.values)

    def _refuse_new_text(self, column: NominalColumn) -> None:
        """Refuse text where training had none: that is another column, not a new value."""
        text = next((label for label in column.labels if isinstance(label, str)), None)
        known = [value for group in self.groups for value in group]
        if text is not None and known and all(_numeric(value) for value in known):
            raise DataError(
                f"Column {column.name!r} was numeric in training and now holds {text!r}; numbers are expected."
            )

    def _encode_numbers(self, part_of: dict[Any, int], numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        unseen = np.full(len(numbers), self.n_parts, dtype=np.intp)
        unseen[np.isnan(numbers)] = self._missing_code
        if not part_of or np.isnan(numbers).all():
            return unseen
        known = np.array(sorted(part_of), dtype=np.float64)
        parts = np.array([part_of[value] for value in sorted(part_of)], dtype=np.intp)
        place = np.searchsorted(known, numbers).clip(max=len(known) - 1)
        return np.where(known[place] == numbers, parts[place], unseen)

    @property
    def _missing_code(self) -> int:
        return self.n_parts - self.missing

    def describe(self, code: int) -> str:
        """Return a part in words."""
        if code >= self.n_parts:
            return "unseen"
        if self.missing and code == self.n_parts - 1:
            return "missing"
        return ", ".join(str(value) for value in self.groups[code])


def ordered_again(column: Column) -> OrderedColumn:
    """Read labels that are numbers or booleans as numbers; a column without any label is all missing."""
    if isinstance(column, OrderedColumn):
        return column
    if (label := next((label for label in column.labels if not _numeric(label)), None)) is not None:
        raise DataError(
            f"Column {column.name!r} was numeric in training and now holds {label!r}; numbers are expected."
        )
    numbers = np.array([*column.labels, np.nan], dtype=np.float64)
    return OrderedColumn(column.name, numbers[column.ids])


def _numeric(value: Any) -> bool:
    return is_number(value) or isinstance(value, bool | np.bool_)
