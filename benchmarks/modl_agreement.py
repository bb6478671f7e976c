# SPDX-License-Identifier: BSD-3-Clause
"""Bins of published data sets against those of Khiops: the same, or of equal, lower or higher cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve import MODLDiscretizer
from bayesieve.exceptions import DownloadError
from benchmarks.khiops import KHIOPS, KhiopsBins, run_khiops
from benchmarks.labeled_table import TABLES, LabeledTable, load_table
from benchmarks.modl_cost import cost_of_groups, cost_of_intervals
from benchmarks.report import Row, Section

__all__ = ["Comparison", "compare", "run"]

Ints = NDArray[np.int64]

_TITLE = "Bins against Khiops's, of columns that are informative to either"
_DIFFERENT, _EXCESS = 0.05, 0.01  # largest proportion of columns with different bins, and largest excess in nats
_DIGITS = 1e-5  # relative precision of printed costs
_EQUAL = 1e-6  # nats: closer costs are a tie, to both searches


@dataclass(frozen=True)
class Comparison:
    """One column: whether the counts are equal, both costs in nats, and Khiops's printed cost."""

    column: str
    same: bool
    ours: float
    khiops: float
    printed: float | None

    @property
    def excess(self) -> float:
        """Our cost minus Khiops's."""
        return self.ours - self.khiops


def run(full: bool) -> Section:
    """Compare each data set; counts are compared, since Khiops rounds its bounds to readable numbers."""
    if not KHIOPS.exists:
        return Section(_TITLE, "of", [], [KHIOPS.recipe])
    rows: list[Row] = []
    notes: list[str] = []
    everything: list[Comparison] = []
    for name in TABLES:
        try:
            table = load_table(name, full)
        except DownloadError as error:
            notes.append(f"{name} was skipped: {error}")
            continue
        compared = compare(table)
        everything += compared
        rows += _rows(name, compared, None)
        notes.append(_describe(table, compared))
    return Section(_TITLE, "of", [*_rows("all", everything, _DIFFERENT), *rows], [*notes, _misprints(everything)])


def compare(table: LabeledTable) -> list[Comparison]:
    """Return one comparison per column that is informative to either."""
    khiops = run_khiops(table).columns
    ours = MODLDiscretizer(missing="lowest", n_jobs=2).fit(table.frame, table.target).partitions_
    informative = [name for name in table.frame if name in khiops or ours[name].n_bins > 1]
    return [_compare_column(table, name, ours[name], khiops.get(name)) for name in informative]


def _compare_column(table: LabeledTable, name: str, ours: Any, theirs: KhiopsBins | None) -> Comparison:
    labels, values = table.tally(name)
    single_bin = values.sum(axis=0, keepdims=True)
    n_columns = table.frame.shape[1]
    if table.is_ordered(name):
        # The bin of missing values is our last and Khiops's first.
        bins = np.roll(ours.counts, 1, axis=0) if ours.missing else ours.counts
        other = single_bin if theirs is None else theirs.counts
        same = np.array_equal(bins, other)
        costs = [cost_of_intervals(values, each, n_columns) for each in (bins, other)]
    else:
        groups = _our_groups(labels, ours), _khiops_groups(labels, theirs)
        bins, other = (_sums(values, each) for each in groups)
        if theirs is not None and not np.array_equal(_sorted(other), _sorted(theirs.counts)):
            raise AssertionError("Khiops's groups were misread.")
        same = np.array_equal(_sorted(bins), _sorted(other))
        costs = [cost_of_groups(values, each, n_columns) for each in groups]
    return Comparison(name, same, *costs, None if theirs is None else theirs.cost)


def _our_groups(labels: list[object], ours: Any) -> NDArray[np.intp]:
    """Return the group of each label; the label "" stands for missing values."""
    group_of = {value: g for g, group in enumerate(ours.groups) for value in group}
    group_of[""] = len(ours.groups) if ours.missing else ours.joined
    return np.array([group_of[label] for label in labels], dtype=np.intp)


def _khiops_groups(labels: list[object], theirs: KhiopsBins | None) -> NDArray[np.intp]:
    if theirs is None or theirs.groups is None:
        return np.zeros(len(labels), dtype=np.intp)
    group_of = {value: g for g, group in enumerate(theirs.groups) for value in group}
    return np.array([group_of.get(label, theirs.default) for label in labels], dtype=np.intp)


def _sums(values: Ints, groups: NDArray[np.intp]) -> Ints:
    sums = np.zeros((int(groups.max()) + 1, values.shape[1]), dtype=np.int64)
    np.add.at(sums, groups, values)
    return sums


def _sorted(counts: Ints) -> Ints:
    return counts[np.lexsort(counts.T)]


def _rows(name: str, compared: list[Comparison], share: float | None) -> list[Row]:
    if not compared:
        return []
    n_other = sum(not each.same for each in compared)
    excess = max(each.excess for each in compared)
    return [
        Row(f"{name}: columns with different bins", n_other, len(compared), "columns", share),
        Row(f"{name}: largest excess of our cost", max(0.0, excess), 1.0, "nats", _EXCESS),
    ]


def _describe(table: LabeledTable, compared: list[Comparison]) -> str:
    others = [each for each in compared if not each.same]
    lower = [-each.excess for each in others if each.excess < -_EQUAL]
    higher = [each for each in others if each.excess > _EQUAL]
    notes = [f"{len(others) - len(lower) - len(higher)} of equal cost"]
    notes += [f"{len(lower)} lower by up to {max(lower):.3g} nats"] if lower else []
    notes += [f"{each.column} higher by {each.excess:.3g} nats" for each in higher]
    differences = f"; different bins: {', '.join(notes)}" if others else ""
    return (
        f"{table.name} ({len(table.frame)} x {table.frame.shape[1]}): {len(compared)} columns informative{differences}"
    )


def _misprints(compared: list[Comparison]) -> str:
    """Compare Khiops's printed costs, of six digits, with those computed here.

    The one reason of differences is a grouping that Khiops restates at a coarser granularity, with the number of values
    of the finer one in its cost.
    """
    printed = [(each.column, each.printed, each.khiops) for each in compared if each.printed is not None]
    gaps = [f"{name} by {cost - ours:.3g}" for name, cost, ours in printed if abs(cost - ours) > _DIGITS * ours]
    agree = f"Khiops prints the cost that is computed here for {len(printed) - len(gaps)} of {len(printed)} columns"
    return f"{agree}; it prints a higher cost of the same bins for {', '.join(gaps)}" if gaps else agree
