"""Groups of values."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.partition import Counts, is_numeric
from bayesieve.data import Scale, Values
from bayesieve.exceptions import DataError

__all__ = ["Groups"]


@dataclass(frozen=True)
class Groups:
    """Groups of values of a column, ordered or nominal, then the missing part.

    Attributes
    ----------
    groups : tuple of tuples
        The values of each group.
    missing : bool
        Whether missing values have a part of their own.
    joined : int or None
        The group that takes missing values where they have no part of their own; None where training had none.
    other : int or None
        The group that takes values which training never saw; None if they are *unseen*.
    scale : Scale
        What numbers stand for.
    counts, level, cost
        As of `Intervals`.
    """

    groups: tuple[tuple[Any, ...], ...]
    missing: bool
    joined: int | None = None
    other: int | None = None
    scale: Scale = Scale.numeric
    counts: Counts | None = field(default=None, compare=False)
    level: float | None = field(default=None, compare=False)
    cost: Any = field(default=None, compare=False)

    @property
    def n_bins(self) -> int:
        """Number of parts, the missing part included."""
        return len(self.groups) + self.missing

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value; other values are *unseen*."""
        part_of = {value: g for g, group in enumerate(self.groups) for value in group}
        labels = column.labels.tolist() if isinstance(column.labels, np.ndarray) else column.labels
        if column.ordered:
            self._refuse_new_numbers(column.name, bool(labels))
        else:
            self._refuse_new_text(column)
        unseen = self.n_bins
        new = unseen if self.other is None else self.other
        absent = unseen if self.joined is None else self.joined
        codes = (part_of.get(label, new) for label in labels)
        return np.array([*codes, unseen - 1 if self.missing else absent], dtype=np.intp)

    def _refuse_new_numbers(self, name: str, has_numbers: bool) -> None:
        known = [value for group in self.groups for value in group]
        if has_numbers and known and not any(is_numeric(value) for value in known):
            raise DataError(f"Column {name!r} had labels such as {known[0]!r} in training and now holds numbers.")

    def _refuse_new_text(self, column: Values) -> None:
        """Refuse text where training had none: that is another column, not a new value."""
        text = next((label for label in column.labels if isinstance(label, str)), None)
        known = [value for group in self.groups for value in group]
        if text is not None and known and all(is_numeric(value) for value in known):
            raise DataError(
                f"Column {column.name!r} was numeric in training and now holds {text!r}; numbers are expected."
            )

    def words(self, code: int) -> list[str]:
        """Return the values of a group as people write them."""
        show = str if self.scale is Scale.numeric else self.scale.words
        return [show(value) for value in self.groups[code]]

    def describe(self, code: int) -> str:
        """Return a part in words."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        words = ", ".join(self.words(code))
        return f"{words} or missing" if code == self.joined else words
