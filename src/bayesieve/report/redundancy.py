# SPDX-License-Identifier: BSD-3-Clause
"""Pairwise redundancy of the selected columns, and how often folds selected each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import read_table
from bayesieve.filters import ClassTables
from bayesieve.filters.univariate import symmetric_uncertainty
from bayesieve.fit.memory_learning import sampled_rows
from bayesieve.report.all_columns import Columns
from bayesieve.report.context import Setting
from bayesieve.report.formats import plural, rounded
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.markup import Markup, heat_cell, scrollable, tag

__all__ = [
    "Redundancy",
    "Stability",
    "describe_redundancy",
    "describe_stability",
    "draw_redundancy",
    "with_largest_redundancy",
]

_MOST_COLUMNS = 14
_MOST_FREQUENCIES = 24
_MOST_WIDE = 10  # columns of a matrix in large type
_MEANING = "Symmetric uncertainty of the bins of two columns. 0: independent; 1: each column determines the other."


@dataclass(frozen=True)
class Redundancy:
    """Symmetric uncertainties of the most important columns: a triangular matrix."""

    columns: list[int]
    matrix: list[list[float]]


@dataclass(frozen=True)
class Stability:
    """How alike the selections of the outer folds are.

    ``jaccard`` is the mean Jaccard index of two folds, ``sizes`` are their numbers of columns. ``notes`` are sentences
    about columns of the model that no fold selected, and about a model without columns.
    """

    n_folds: int
    jaccard: float | None
    sizes: list[int]
    notes: list[str]


def describe_redundancy(model: Any, X: Any) -> Redundancy:
    """Return the symmetric uncertainty of each two of the most important columns, by their optimal bins.

    2 I(a; b) / (H(a) + H(b)) is 0 if two columns are independent, and 1 if each determines the other. A thousand rows,
    evenly spread over the table, are enough for that.
    """
    table = read_table(X)
    place = {name: j for j, name in enumerate(model.column_names_)}
    shares = model.feature_importances_
    names = sorted(model.scorecard_.names, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    rows = sampled_rows(table.n_rows)
    codes = []
    for name in names:
        column = table.column(place[name])
        codes.append(model.partitions_[name].bins_of(column)[column.ids[rows]])
    matrix = [[rounded(_association(a, b)) for b in codes[:i]] for i, a in enumerate(codes)]
    return Redundancy([place[name] for name in names], matrix)


def with_largest_redundancy(columns: Columns, redundancy: Redundancy) -> Columns:
    """Give the columns of the matrix their largest entry there, so that one number is shown for two columns."""
    places = redundancy.columns
    matrix = redundancy.matrix
    values = list(columns.redundancy)
    others = list(columns.redundant_with)
    for i, j in enumerate(places):
        entries = [(matrix[max(i, k)][min(i, k)], -k) for k in range(len(places)) if k != i]
        if entries and values[j] is not None:
            values[j], k = max(entries)
            others[j] = places[-k]
    return replace(columns, redundancy=values, redundant_with=others)


def _association(a: NDArray[np.intp], b: NDArray[np.intp]) -> float:
    counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1), dtype=np.int64)
    np.add.at(counts, (a, b), 1)
    return float(symmetric_uncertainty(ClassTables.stack([counts], counts.sum(axis=0)))[0])


def describe_stability(model: Any, predictions: HeldOutPredictions) -> Stability:
    """Compare the selections of the folds; a single model has none."""
    if predictions.n_train is not None:
        return Stability(0, None, [], [])
    selections = [set(fold.columns) for fold in predictions.folds]
    indices = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(selections, 2)]
    return Stability(
        len(selections),
        rounded(sum(indices) / len(indices)),
        [len(each) for each in selections],
        [*_empty(model, selections), *_unstable(model, set().union(*selections), len(selections))],
    )


def _empty(model: Any, selections: Sequence[set[str]]) -> list[str]:
    """Return a sentence about a model without columns, where folds have columns: the scores are theirs."""
    n_with = sum(map(bool, selections))
    if model.scorecard_.columns or not n_with:
        return []
    return [
        f"The model has no columns, but {n_with} of the {len(selections)} folds selected some: the cross-validated "
        "scores are those of their models. The model predicts class frequencies."
    ]


def _unstable(model: Any, selected_in_folds: set[str], n_folds: int) -> list[str]:
    """Return a sentence for each column of the model that no fold selected, the most important first."""
    shares = {name: model.feature_importances_[model.selection_.positions[name]] for name in model.scorecard_.columns}
    return [
        f"Column {name!r} has {share:.0%} of the importance here, and was selected in none of the {n_folds} folds: "
        "it may be selected by chance, or in place of a similar column."
        for name, share in sorted(shares.items(), key=lambda item: -item[1])
        if name not in selected_in_folds
    ]


def draw_redundancy(setting: Setting, columns: Columns, redundancy: Redundancy, stability: Stability) -> Markup:
    """Return the section."""
    return tag(
        "section",
        tag("h2", "Redundancy and stability"),
        tag(
            "div",
            tag(
                "div",
                tag("h3", "Pairwise redundancy"),
                tag("p", _MEANING, class_="quiet"),
                _matrix(setting, redundancy),
                class_="card",
            ),
            tag(
                "div",
                tag("h3", "Selection frequency"),
                tag("p", _lead(setting, columns, stability), class_="quiet", id="stability-lead"),
                _frequencies(columns, stability),
                class_="card",
            ),
            class_="pair",
        ),
        id="redundancy",
    )


def _matrix(setting: Setting, redundancy: Redundancy) -> Markup:
    columns = redundancy.columns
    matrix = redundancy.matrix
    if len(columns) < 2:
        return tag("p", "Fewer than two columns were selected.", class_="quiet")
    head = tag(
        "tr",
        tag("th", "column", scope="col"),
        *(tag("th", i + 1, scope="col", title=setting.name(j)) for i, j in enumerate(columns[:-1])),
    )
    rows = []
    for i in range(len(columns)):
        name = setting.name(columns[i])
        cells = [
            heat_cell("td", -value, 1.0, _short(value), title=f"{name} and {setting.name(columns[k])}: {value:.2f}")
            for k, value in enumerate(matrix[i][:i])
        ]
        rows.append(tag("tr", tag("th", f"{i + 1} {name}", scope="row"), *cells))
    kind = "heat-map matrix" if len(columns) <= _MOST_WIDE else "heat-map matrix dense"
    made = tag("table", tag("thead", head), tag("tbody", *rows), class_=kind, data_file="redundancy")
    return tag("div", scrollable(made, "redundancy"), id="matrix")


def _short(value: float) -> str:
    return "1" if value >= 0.995 else "0" if value < 0.005 else f"{value:.2f}"[1:]


def _lead(setting: Setting, columns: Columns, stability: Stability) -> str:
    n_folds = stability.n_folds
    sizes = stability.sizes
    if not n_folds:
        return "Unknown: a single model was fitted, without cross-validation."
    fewest, most = min(sizes), max(sizes)
    between = (
        f"Between {fewest} and {most} columns were"
        if fewest < most
        else f"{plural(most, 'column')} {'was' if most == 1 else 'were'}"
    )
    rare = [setting.name(j) for j in columns.rarely_selected(n_folds)]
    unstable = ""
    if rare:
        names = ", ".join(rare[:5]) + (f" and {len(rare) - 5} more" if len(rare) > 5 else "")
        verb = "was" if len(rare) == 1 else "were"
        unstable = (
            f" {names} {verb} selected in less than half of the folds; the table of all columns names similar ones."
        )
    return (
        f"The selection was repeated {n_folds} times, each time leaving out one fold, on which the scores were then "
        f"computed. {between} selected per fold; the mean Jaccard index of two selections is "
        f"{stability.jaccard:.2f} (1: the same columns).{unstable}"
    )


def _frequencies(columns: Columns, stability: Stability) -> Markup | None:
    n_folds = stability.n_folds
    if not n_folds:
        return None
    times = [n or 0 for n in columns.n_folds_selected]
    order = [j for j in range(len(times)) if times[j] or columns.selected[j]]
    order.sort(key=lambda j: (-times[j], -(columns.importance[j] or 0.0), j))
    cells = []
    for j in order[:_MOST_FREQUENCIES]:
        cells += [
            tag("span", columns.name[j] + ("" if columns.selected[j] else " (not selected)"), class_="words"),
            tag(
                "svg",
                tag("rect", class_="bar-back", width=100, height=10),
                tag("rect", class_="cell", width=f"{100 * times[j] / n_folds:.1f}", height=10),
                viewBox="0 0 100 10",
                preserveAspectRatio="none",
                aria_hidden="true",
            ),
            tag("span", f"{times[j]} of {n_folds}", class_="number"),
        ]
    more = len(order) - _MOST_FREQUENCIES
    rest = tag("p", f"and {more} more, in the table below", class_="quiet") if more > 0 else None
    return tag("div", tag("div", *cells, class_="frequencies"), rest, id="stability")
