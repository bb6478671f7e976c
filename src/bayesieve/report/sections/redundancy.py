# SPDX-License-Identifier: BSD-3-Clause
"""Pairwise redundancy of the selected columns, and how often each was selected."""

from bayesieve.report.formats import plural
from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.heat import heat_cell
from bayesieve.report.sections.view import View

__all__ = ["draw_redundancy", "rarely_selected"]

_MOST_FREQUENCIES = 24
_MOST_WIDE = 10  # columns of a matrix in large type
_MEANING = "Symmetric uncertainty of the bins of two columns. 0: independent; 1: each column determines the other."


def rarely_selected(view: View) -> list[str]:
    """Return the selected columns that were selected in less than half of the outer folds, the most important first."""
    columns, n_folds = view["columns"], view["stability"]["n_folds"]
    rare = [
        j
        for j, n in enumerate(columns["n_folds_selected"])
        if n is not None and columns["selected"][j] and 2 * n < n_folds
    ]
    return [view.name(j) for j in sorted(rare, key=lambda j: -(columns["importance"][j] or 0.0))]


def draw_redundancy(view: View) -> Markup:
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
                _matrix(view),
                class_="card",
            ),
            tag(
                "div",
                tag("h3", "Selection frequency"),
                tag("p", _stability(view), class_="quiet", id="stability-lead"),
                _frequencies(view),
                class_="card",
            ),
            class_="pair",
        ),
        id="redundancy",
    )


def _matrix(view: View) -> Markup:
    columns, matrix = view["redundancy"]["columns"], view["redundancy"]["matrix"]
    if len(columns) < 2:
        return tag("p", "Fewer than two columns were selected.", class_="quiet")
    head = tag(
        "tr",
        tag("th", "column", scope="col"),
        *(tag("th", i + 1, scope="col", title=view.name(j)) for i, j in enumerate(columns[:-1])),
    )
    rows = []
    for i in range(len(columns)):
        name = view.name(columns[i])
        cells = [
            heat_cell("td", -value, 1.0, _short(value), title=f"{name} and {view.name(columns[k])}: {value:.2f}")
            for k, value in enumerate(matrix[i][:i])
        ]
        rows.append(tag("tr", tag("th", f"{i + 1} {name}", scope="row"), *cells))
    kind = "heat-map matrix" if len(columns) <= _MOST_WIDE else "heat-map matrix dense"
    made = tag("table", tag("thead", head), tag("tbody", *rows), class_=kind, data_file="redundancy")
    return tag(
        "div",
        tag("div", made, class_="scroll", tabindex="0", role="region", aria_label="redundancy"),
        id="matrix",
    )


def _short(value: float) -> str:
    return "1" if value >= 0.995 else "0" if value < 0.005 else f"{value:.2f}"[1:]


def _stability(view: View) -> str:
    stability = view["stability"]
    n_folds, sizes = stability["n_folds"], stability["sizes"]
    if not n_folds:
        return "Unknown: a single model was fitted, without cross-validation."
    fewest, most = min(sizes), max(sizes)
    between = (
        f"Between {fewest} and {most} columns were"
        if fewest < most
        else f"{plural(most, 'column')} {'was' if most == 1 else 'were'}"
    )
    rare = rarely_selected(view)
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
        f"{stability['jaccard']:.2f} (1: the same columns).{unstable}"
    )


def _frequencies(view: View) -> Markup | None:
    n_folds, columns = view["stability"]["n_folds"], view["columns"]
    if not n_folds:
        return None
    times = columns["n_folds_selected"]
    order = [j for j in range(len(times)) if times[j] or columns["selected"][j]]
    order.sort(key=lambda j: (-times[j], -(columns["importance"][j] or 0.0), j))
    cells = []
    for j in order[:_MOST_FREQUENCIES]:
        cells += [
            tag("span", view.name(j) + ("" if columns["selected"][j] else " (not selected)"), class_="words"),
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
