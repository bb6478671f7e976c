# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are not features: the target and its classes, groups, weights, times, and the revenue of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import (
    are_many_numbers,
    is_number,
    list_values,
    nearest_name,
    pick_columns,
    read_table,
    resolve_columns,
    split_target,
)
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import format_label, read_numbers
from bayesieve.report.formats import plural

__all__ = [
    "Amount",
    "RowRoles",
    "check_class_labels",
    "check_known",
    "count_classes",
    "find_positive",
    "mixed_labels_error",
    "read_amount",
    "split_target_column",
]

_MOST_CLASSES: Final = 100


def split_target_column(
    frame: Any, names: Sequence[str], target: str, columns: Sequence[str], dropped: Sequence[str] = ()
) -> tuple[Any, NDArray[Any]]:
    """Return the features and the target of the rows that have a target.

    Features are ``columns``, all but the target if there are none, without those that are dropped.
    """
    (place,) = resolve_columns(target, names, "--target")
    features = resolve_columns(columns, names, "--column") or [j for j in range(len(names)) if j != place]
    if place in features:
        raise ParameterError(f"--column names {target!r}, which is the target; name another column.")
    left_out = set(resolve_columns(dropped, names, "--drop"))
    features = [j for j in features if j not in left_out]
    if not features:
        also = " and those of --drop" if left_out else ""
        raise DataError(f"There is no column besides the target {target!r}{also}.")
    X, y = split_target(pick_columns(frame, [*features, place]), len(features))
    if not len(y):
        raise DataError(f"The target {target!r} is missing in every row; name another column as --target.")
    return X, _dates_as_text(y) if y.dtype.kind == "M" else y


def _dates_as_text(y: NDArray[Any]) -> NDArray[Any]:
    """Return dates and times as people write them: a model file has labels of text and numbers only."""
    days = np.datetime_data(y.dtype)[0] == "D"
    labels = y.tolist() if days else y.astype("datetime64[us]").tolist()  # nanoseconds would be integers
    return np.array([format_label(label) for label in labels])


def count_classes(y: NDArray[Any], target: str, n_folds: int, *, are_classes: bool) -> tuple[list[Any], list[int]]:
    """Return the classes and their numbers of rows; refuse a target without classes, or with too rare a class.

    ``are_classes``: many whole numbers are classes, too.
    """
    try:
        labels, counts = np.unique(y, return_counts=True)
    except TypeError:
        raise mixed_labels_error(target) from None
    classes, sizes = labels.tolist(), counts.tolist()
    check_class_labels(classes, target, are_classes=are_classes)
    rarest = int(counts.argmin())
    if sizes[rarest] < n_folds:
        raise DataError(
            f"Class {format_label(classes[rarest])!r} of the target {target!r} has too few rows ({sizes[rarest]}); at "
            f"least {n_folds} are needed, one per outer fold, so merge or remove this class, or reduce --cv."
        )
    return classes, sizes


def mixed_labels_error(target: str) -> DataError:
    """Return the error for labels that cannot be sorted."""
    return DataError(f"The target {target!r} mixes numbers and text; make it one or the other.")


def check_class_labels(classes: Sequence[Any], target: str, *, are_classes: bool) -> None:
    """Refuse a target with a single class, or with values that cannot be classes, or too many.

    ``are_classes``: many whole numbers are classes, too.
    """
    if len(classes) == 1:
        raise DataError(f"The target {target!r} is {classes[0]!r} in every row; at least two classes are needed.")
    labels = np.asarray(classes)
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        raise DataError(
            f"The target {target!r} has numbers that are not whole, such as {labels[labels != np.rint(labels)][0]:g}; "
            "classes are expected, so name another column as --target, or use ScorecardRegressor in Python."
        )
    if not are_classes and are_many_numbers(labels):
        raise DataError(
            f"The target {target!r} has {len(classes):,} different whole numbers, which may be amounts or counts; add "
            "--task classify if each of them is a class, or name another column as --target."
        )
    if len(classes) > _MOST_CLASSES:
        raise DataError(
            f"The target {target!r} has {len(classes):,} different values; at most {_MOST_CLASSES} classes are "
            "supported, so name another column as --target."
        )


def find_positive(label: str | None, classes: Sequence[Any], counts: Sequence[int]) -> int | None:
    """Return the index of the positive class: the given one, or the less frequent of two, the second on ties."""
    labels = [format_label(each) for each in classes]
    if label is not None:
        if label not in labels:
            raise ParameterError(f"--positive is {label!r}; the classes are {', '.join(labels[:10])}.")
        return labels.index(label)
    return None if len(classes) != 2 else int(counts[0] >= counts[1])


@dataclass(frozen=True)
class RowRoles:
    """The columns of groups, weights and times, which are not features, and a file of test rows."""

    group: str | None = None
    weight: str | None = None
    time: str | None = None
    test: Path | None = None

    def check(self) -> None:
        """Refuse options that exclude each other."""
        by = [name for name, value in (("--test", self.test), ("--time", self.time), ("--group", self.group)) if value]
        if len(by) > 1:
            raise ParameterError(f"{by[0]} and {by[1]} hold out rows in different ways; give one of the two.")

    def split(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """Return the table without these columns, and their values: ``groups``, ``sample_weight`` and ``times``."""
        names = read_table(X).names
        readers = (("group", "groups", _groups), ("weight", "sample_weight", _weights), ("time", "times", _times))
        places: list[int] = []
        values: dict[str, Any] = {}
        for role, argument, read in readers:
            if (name := getattr(self, role)) is not None:
                (place,) = resolve_columns(name, names, f"--{role}")
                places.append(place)
                values[argument] = read(X, place, name)
        if not places:
            return X, {}
        rest = [j for j in range(len(names)) if j not in places]
        if not rest:
            raise ParameterError("No column is left as a feature besides those of --group, --weight and --time.")
        return pick_columns(X, rest), values

    def without_roles(self, columns: Sequence[str]) -> list[str]:
        """Return columns without those that are not features anyway."""
        return [name for name in columns if name not in (self.group, self.weight, self.time)]


def _groups(X: Any, place: int, name: str) -> NDArray[Any]:
    """Return the number of each row's group; a row without one is a group of its own."""
    values = list_values(X, place)
    number: dict[Any, int] = {}
    return np.array(
        [number.setdefault(("row", i) if value is None else value, len(number)) for i, value in enumerate(values)]
    )


def _weights(X: Any, place: int, name: str) -> NDArray[np.float64]:
    values = list_values(X, place)
    for row, value in enumerate(values, 1):
        if value is None or not is_number(value) or not 0 <= float(value) < float("inf"):
            raise ParameterError(
                f"--weight names {name!r}; its row {row} has {value!r}, a number of 0 or more expected."
            )
    return np.array(values, dtype=np.float64)


def _times(X: Any, place: int, name: str) -> NDArray[np.float64]:
    column = read_table(X).column(place)
    if not column.ordered:
        raise ParameterError(f"--time names {name!r}, which is text; a column of numbers, dates or times is expected.")
    times = column.values
    if np.isnan(times).any():
        raise ParameterError(f"--time names {name!r}, which is missing in {int(np.isnan(times).sum()):,} rows.")
    return times


class Amount(NamedTuple):
    """The mean revenue of a positive row, the revenue of each row, and the column that has it.

    Without a column, all rows have the same revenue.
    """

    mean: float | None = None
    values: NDArray[np.float64] | None = None
    column: str = ""


def read_amount(amount: str | None, X: Any, names: Sequence[str], positive: NDArray[np.bool_]) -> Amount:
    """Return the revenue of positive rows: a number, or the column of this name; a missing value in it counts as 0."""
    if amount is None:
        return Amount()
    if amount not in names:
        try:
            return Amount(float(amount))
        except ValueError:
            near = nearest_name(amount, names)
            end = "." if near is None else f"; did you mean {near!r}?"
            raise ParameterError(f"--amount must be a number or a column, got {amount!r}{end}") from None
    amounts = read_numbers(X, names.index(amount), amount)
    return Amount(float(amounts[positive].mean()), amounts, amount)


def check_known(amount: Amount, X: Any, known: bool, is_feature: bool) -> None:
    """Refuse options of amounts that are known where there is no column of them, or where it has missing values."""
    if is_feature and not known:
        raise ParameterError(
            "--amount-feature is for --amount-known: an amount that only positive rows have gives their class away."
        )
    if not known:
        return
    if not amount.column:
        raise ParameterError("--amount-known is for --amount COLUMN, a column that has the amount of every row.")
    missing = [value is None for value in list_values(X, read_table(X).names.index(amount.column))]
    if any(missing):
        raise ParameterError(
            f"--amount-known: the column {amount.column!r} is missing in {plural(sum(missing), 'row')}, "
            f"first in row {missing.index(True) + 1}; fill them in; without --amount-known, "
            "amounts are estimated from the positive rows."
        )
