# SPDX-License-Identifier: BSD-3-Clause
"""The bins of a column as tests in order: a row is in the bin of the first test that it passes."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bayesieve.bins import Groups, Intervals
from bayesieve.data import is_number
from bayesieve.exceptions import ExportError

__all__ = ["BinTest", "bin_tests", "kind_of_values"]


@dataclass(frozen=True)
class BinTest:
    """A test of a value.

    Attributes
    ----------
    kind : {"missing", "equal", "at most", "rest"}
        What is asked of the value; every value passes "rest".
    code : int
        The bin of a row that passes.
    values : tuple
        The numbers or labels one of which the value equals, or the one bound that it does not exceed.
    """

    kind: Literal["missing", "equal", "at most", "rest"]
    code: int
    values: tuple[Any, ...] = ()


def bin_tests(name: str, partition: Any, contents: Sequence[Hashable], form: str) -> list[BinTest]:
    """Return the tests of a column: missing values first, what remains last.

    Parameters
    ----------
    name : str
        Name of the column.
    partition : Intervals or Groups
        The bins of the column.
    contents : sequence
        What each bin stands for, and last values that are unseen in training: a bound between equal contents is left
        out.
    form : str
        What is exported, for the refusal.
    """
    unseen = partition.n_bins
    absent = unseen if partition.joined is None else partition.joined
    missing = BinTest("missing", unseen - 1 if partition.missing else absent)
    if isinstance(partition, Intervals):
        return [missing, *_interval_tests(partition, contents)]
    if isinstance(partition, Groups):
        equal = [BinTest("equal", g, tuple(group)) for g, group in enumerate(partition.groups) if group]
        return [missing, *equal, BinTest("rest", unseen if partition.other is None else partition.other)]
    raise ExportError(f"Column {name!r} has bins of type {type(partition).__name__}, which {form} cannot express.")


def kind_of_values(name: str, partition: Groups, form: str) -> str:
    """Return the one type of a column's categories: "text", "numbers" or a name; refuse a column that has several."""
    kinds = {_kind(value) for group in partition.groups for value in group} or {"text"}
    if len(kinds) > 1:
        raise ExportError(
            f"Column {name!r} has values of several types ({', '.join(sorted(kinds))}), which {form} cannot have; "
            "make them strings before fit."
        )
    return kinds.pop()


def _interval_tests(partition: Intervals, contents: Sequence[Hashable]) -> list[BinTest]:
    n_bounds = len(partition.bounds)
    special = [BinTest("equal", n_bounds + 1 + k, (value,)) for k, value in enumerate(partition.special)]
    bounds = [
        BinTest("at most", k, (bound,))
        for k, bound in enumerate(partition.bounds.tolist())
        if contents[k] != contents[k + 1]
    ]
    return [*special, *bounds, BinTest("rest", n_bounds)]


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "numbers" if is_number(value) else type(value).__name__
