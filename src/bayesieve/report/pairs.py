# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of columns: rows, class frequencies and contributions of their cells as heat maps; the terms of the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesieve.models import PairTable, term_importances
from bayesieve.report.context import Setting
from bayesieve.report.formats import count, decimal, percent, rounded, signed
from bayesieve.report.markup import Cell, Markup, heat_cell, scrollable, table, tag, within
from bayesieve.report.selected import bin_label

__all__ = ["ModelTerm", "PairCells", "describe_pairs", "describe_terms", "draw_pairs"]

_MOST_PAIRS = 50
_MOST_CLASSES = 8  # classes that have a heat map of their own
_MOST_TERMS = 40
_MOST_MARKUP = 250_000  # characters of all heat maps of a page
_LONG = 8  # characters of a word that is wider than a cell
_MOST_WIDE = 6  # bins of a row in large type
_MOST_DENSE = 8  # bins of a row whose cells have numbers
_TO = " – "  # between the ends of an interval
_MOST_LABELS = 6  # of a row or a column whose cells are small
_TERMS = (
    "Log Bayes factor: evidence for the pair against none; above 0, for it. Gain: improvement of the out-of-fold log "
    "loss per row by the pair."
)


@dataclass(frozen=True)
class ModelTerm:
    """A column, or a pair of columns with its log Bayes factor and its gain."""

    columns: list[int]
    importance: float
    log_bayes_factor: float | None
    gain: float | None


@dataclass(frozen=True)
class ClassCells:
    """The contribution of each cell to the log-odds of a class, and the share of the class in its rows.

    With more than two classes, the contribution is relative to the mean over classes. ``standard_error`` is that of the
    contribution, None where the model has none.
    """

    class_: int
    contribution: list[list[float]]
    rate: list[list[float | None]]
    standard_error: list[list[float]] | None = None


@dataclass(frozen=True)
class PairCells:
    """A pair of columns: the labels of their bins, the rows per cell, and the cells of each class that is shown."""

    columns: list[int]
    labels: list[list[str]]
    counts: list[list[float]]
    classes: list[ClassCells]


def describe_terms(model: Any) -> list[ModelTerm]:
    """Return the terms of a model that has pairs, the most important first; otherwise columns are its terms."""
    card = model.scorecard_
    place = model.selection_.positions
    if not card.pairs:
        return []
    shares = term_importances(card.tables, card.pairs).tolist()
    terms = [((each.name,), None, None) for each in card.tables]
    terms += [(pair.names, pair.log_bayes_factor, pair.gain) for pair in card.pairs]
    described = [
        ModelTerm([place[name] for name in names], rounded(share), rounded(factor), rounded(gain))
        for (names, factor, gain), share in zip(terms, shares, strict=True)
    ]
    return sorted(described, key=lambda term: -term.importance)


def describe_pairs(model: Any, classes: Sequence[int]) -> list[PairCells]:
    """Return the cells of each pair for these classes, the most important pair first."""
    card = model.scorecard_
    place = model.selection_.positions
    shares = term_importances((), card.pairs).tolist()
    order = sorted(range(len(card.pairs)), key=lambda i: -shares[i])[:_MOST_PAIRS]
    return [_describe(card.pairs[i], place, classes[:_MOST_CLASSES]) for i in order]


def _describe(pair: PairTable, place: dict[str, int], classes: Sequence[int]) -> PairCells:
    counts = np.asarray(pair.counts, dtype=np.float64)
    mass = pair.cell_mass
    rates = np.divide(counts, mass[..., None], out=np.full(counts.shape, np.nan), where=mass[..., None] > 0)
    return PairCells(
        [place[name] for name in pair.names],
        [[bin_label(each, code) for code in range(each.n_bins)] for each in pair.partitions],
        rounded(mass),
        [
            ClassCells(c, rounded(pair.contributions(c)), rounded(rates[..., c]), rounded(pair.contribution_errors(c)))
            for c in classes
        ],
    )


def draw_pairs(setting: Setting, pairs: Sequence[PairCells], terms: Sequence[ModelTerm]) -> Markup | None:
    """Return the section, if the model has pairs."""
    if not pairs:
        return None
    shown = within(_MOST_MARKUP, (_card(setting, pair, terms) for pair in pairs))
    options = [tag("option", setting.labels[each.class_], value=k) for k, each in enumerate(pairs[0].classes)]
    rest = len(pairs) - len(shown)
    return tag(
        "section",
        tag("h2", "Pairs of columns"),
        tag("p", _lead(setting, pairs[: len(shown)]), class_="lead", id="pairs-lead"),
        tag("div", tag("label", "Class ", tag("select", *options, id="pairs-class")), class_="row js")
        if len(options) > 1
        else None,
        tag("div", *shown, class_="cards", id="heat-maps"),
        tag("p", f"The cells of {rest} more pairs are in the JSON file of this report.", class_="quiet")
        if rest
        else None,
        tag("h3", "Terms of the model", class_="after"),
        tag("p", _TERMS, class_="lead", id="terms-lead"),
        tag("div", _term_table(setting, terms), class_="card", id="terms"),
        id="pairs",
    )


def _lead(setting: Setting, pairs: Sequence[PairCells]) -> str:
    of = (
        "the score of the class, relative to the mean over classes,"
        if setting.positive is None
        else f"the log-odds of {setting.positive_class}"
    )
    return (
        f"What the values of two columns add to {of} together, beyond what each adds alone. Red cells make the class "
        f"more probable, blue cells less. {_numbers({_is_fine(pair) for pair in pairs})}"
    )


def _is_fine(pair: PairCells) -> bool:
    """Return whether the cells of a pair are too small for numbers."""
    return max(map(len, pair.labels)) > _MOST_DENSE


def _numbers(kinds: set[bool]) -> str:
    """Return where points and rows of a cell are, for pairs of small cells, of large ones, or of both."""
    of_small = "a pointer on a cell shows its points and training rows"
    if kinds == {True}:
        return f"{of_small[0].upper()}{of_small[1:]}."
    return "The small number is the number of training rows" + (
        f"; of small cells, {of_small}." if True in kinds else "."
    )


def _card(setting: Setting, pair: PairCells, terms: Sequence[ModelTerm]) -> Markup:
    term = next((each for each in terms if each.columns == pair.columns), None)
    tags = []
    if term is not None:
        tags.append(f"importance {percent(term.importance, 0)}")
        if term.log_bayes_factor is not None:
            tags.append(f"log Bayes factor {term.log_bayes_factor:.1f}")
    title = setting.names(pair.columns)
    heading = tag("h3", tag("span", title), tag("span", ", ".join(tags), class_="tags"), class_="titled")
    maps = []
    for k, cells in enumerate(pair.classes):
        largest = max(max(abs(value) for row in cells.contribution for value in row), 0.01)
        heat_map = _heat_map(setting, pair, cells, largest)
        maps.append(tag("div", heat_map, _legend(largest), data_class=k, hidden=k > 0))
    return tag("article", heading, *maps, class_="card")


def _width(labels: Sequence[str]) -> int:
    """Return the width of columns with these labels, in characters."""
    return sum(max([_LONG, *map(len, label.split())]) for label in labels)


def _heat_map(setting: Setting, pair: PairCells, shown: ClassCells, largest: float) -> Markup:
    """Return a table whose rows are the bins of the column that would be wider.

    With many bins, cells are too small for numbers, which tooltips hold, and several bins in a row have one label.
    """
    upright = _width(pair.labels[1]) <= _width(pair.labels[0])
    first, second = (0, 1) if upright else (1, 0)
    names = [setting.name(pair.columns[each]) for each in (first, second)]
    labels, others = pair.labels[first], pair.labels[second]
    is_fine = _is_fine(pair)
    top = tag(
        "tr", tag("td", class_="corner"), tag("th", names[1], scope="colgroup", colspan=len(others), class_="over")
    )
    heads = [tag("th", label, scope="col", colspan=n) for label, n in _labels(others, is_fine) if n]
    head = tag("tr", tag("th", names[0], scope="col", class_="corner"), *heads)
    rows = []
    for i, (label, n) in enumerate(_labels(labels, is_fine)):
        cells = [tag("th", label, scope="row", rowspan=n)] if n else []
        for k in range(len(others)):
            place = (i, k) if upright else (k, i)
            texts = f"{names[0]}: {labels[i]}\n{names[1]}: {others[k]}"
            cells.append(_heat_cell(setting, pair, shown, place, largest, None if is_fine else texts))
        rows.append(tag("tr", *cells))
    title = f"{names[0]} × {names[1]}"
    dense = "heat-map dense" if len(others) > _MOST_WIDE else "heat-map"
    kind = "heat-map dense fine" if is_fine else dense
    return scrollable(tag("table", tag("thead", top, head), tag("tbody", *rows), class_=kind, data_file=title), title)


def _labels(labels: Sequence[str], is_fine: bool) -> list[tuple[str, int]]:
    """Return the label of each bin, and how many bins in a row it is for: 0 after the first of several."""
    step = -(-len(labels) // _MOST_LABELS) if is_fine else 1
    spans = [0 if i % step else min(step, len(labels) - i) for i in range(len(labels))]
    return [(_joined(labels[i : i + n]) if n else "", n) for i, n in enumerate(spans)]


def _joined(labels: Sequence[str]) -> str:
    """Return one label for neighboring bins: of intervals, from the start of the first to the end of the last."""
    first, last = labels[0], labels[-1]
    if len(labels) == 1:
        return first
    start, end = first.split(_TO), last.split(_TO)
    if (len(start) == 2 or first.startswith("≤ ")) and len(end) == 2:
        return f"≤ {end[1]}" if len(start) == 1 else f"{start[0]}{_TO}{end[1]}"
    if len(start) == 2 and last.startswith("> "):
        return f"> {start[0]}"
    return f"{first}, …"


def _heat_cell(
    setting: Setting, pair: PairCells, shown: ClassCells, place: tuple[int, int], largest: float, texts: str | None
) -> Markup:
    """Return a cell with its points and rows, or, without texts of its bins, a small one with a short tooltip."""
    a, b = place
    points, n_rows = shown.contribution[a][b], pair.counts[a][b]
    rows = f"{count(n_rows)} {'row' if n_rows == 1 else 'rows'}"
    if texts is None:
        bins = " × ".join((pair.labels[0][a], pair.labels[1][b]))
        return heat_cell("td", points, largest, title=f"{bins}: {signed(points)}, {rows}")
    errors = shown.standard_error
    error = "" if errors is None else f" (standard error {decimal(errors[a][b], 3)})"
    rate = f"rate of {setting.labels[shown.class_]} {percent(shown.rate[a][b])}"
    tooltip = f"{texts}\nlog-odds {signed(points, 3)}{error}, {rows}, {rate}"
    return heat_cell("td", points, largest, tag("b", signed(points)), tag("small", count(n_rows)), title=tooltip)


def _legend(largest: float) -> Markup:
    steps = [heat_cell("span", step * largest, largest, signed(step * largest)) for step in (-1, -0.5, 0, 0.5, 1)]
    return tag("p", tag("span", "less probable"), *steps, tag("span", "more probable"), class_="legend heat-legend")


def _decimal(value: float | None, n_digits: int) -> str:
    return "" if value is None else decimal(value, n_digits)


def _term_table(setting: Setting, terms: Sequence[ModelTerm]) -> Markup:
    headings = [
        ("term", "A column, or a pair of columns"),
        ("importance", "Mean absolute contribution to the log-odds, as a share of the sum over columns and pairs"),
        ("log Bayes factor", "Evidence for the pair against none, in nats"),
        ("gain (log loss)", "Improvement of the out-of-fold log loss per row"),
    ]
    rows: list[list[Cell]] = [
        [
            (setting.names(term.columns), "words"),
            percent(term.importance),
            _decimal(term.log_bayes_factor, 1),
            _decimal(term.gain, 5),
        ]
        for term in terms[:_MOST_TERMS]
    ]
    more = len(terms) - _MOST_TERMS
    note = tag("p", f"and {more} more", class_="quiet") if more > 0 else None
    return tag("div", table(headings, rows, "terms"), note)
