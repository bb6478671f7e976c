"""Partitions into groups of values."""

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
    """Groups of values of an ordered or nominal column, then the bin of missing values.

    Attributes
    ----------
    groups : tuple of tuples
        The values of each group.
    missing : bool
        Whether missing values have a bin of their own.
    joined : int or None
        The group of missing values if they have no bin of their own; None if the training rows have none.
    other : int or None
        The group of values that do not occur in the training rows; None if these are *unseen*.
    scale : Scale
        The scale of numbers.
    counts, level, cost
        As in `Intervals`.
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
        """Number of bins, the one of missing values included."""
        return len(self.groups) + self.missing

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value; other values are *unseen*."""
        bin_of = {value: g for g, group in enumerate(self.groups) for value in group}
        labels = column.labels.tolist() if isinstance(column.labels, np.ndarray) else column.labels
        if column.ordered:
            self._refuse_new_numbers(column.name, bool(labels))
        else:
            self._refuse_new_text(column)
        unseen = self.n_bins
        new = unseen if self.other is None else self.other
        absent = unseen if self.joined is None else self.joined
        codes = (bin_of.get(label, new) for label in labels)
        return np.array([*codes, unseen - 1 if self.missing else absent], dtype=np.intp)

    def _refuse_new_numbers(self, name: str, has_numbers: bool) -> None:
        labels = [value for group in self.groups for value in group]
        if has_numbers and labels and not any(is_numeric(value) for value in labels):
            raise DataError(f"Column {name!r} had labels such as {labels[0]!r} in training and now holds numbers.")

    def _refuse_new_text(self, column: Values) -> None:
        """Refuse text in a numeric column: that is another column, not a new value."""
        text = next((label for label in column.labels if isinstance(label, str)), None)
        labels = [value for group in self.groups for value in group]
        if text is not None and labels and all(is_numeric(value) for value in labels):
            raise DataError(
                f"Column {column.name!r} was numeric in training and now holds {text!r}; numbers are expected."
            )

    def words(self, code: int) -> list[str]:
        """Return the formatted values of a group."""
        show = str if self.scale is Scale.numeric else self.scale.words
        return [show(value) for value in self.groups[code]]

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        words = ", ".join(self.words(code))
        return f"{words} or missing" if code == self.joined else words
