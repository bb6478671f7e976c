# SPDX-License-Identifier: BSD-3-Clause
"""The form in which a reader enters values: the model as plain data, from which the page computes probabilities.

The script writes the content of the form, as nothing of it works without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import Groups, Intervals, Partition
from bayesieve.data import read_table
from bayesieve.decisions.calibration import Beta, Calibration
from bayesieve.exact import in_nats
from bayesieve.explain.not_given import NotGiven
from bayesieve.models import PairTable, Scorecard
from bayesieve.report.markup import Markup, tag
from bayesieve.report.selected import bin_label, has_integers

__all__ = ["NoForm", "WhatIf", "describe_what_if", "draw_what_if"]

_DIGITS = 9  # decimal places of scores


@dataclass(frozen=True)
class IntervalCodes:
    """What gives the code of a number: bounds, special values, and the code of a missing value."""

    labels: list[str]
    scale: str
    missing: int | None
    bounds: list[float]
    special: list[float]


@dataclass(frozen=True)
class GroupCodes:
    """What gives the code of a category: the groups, and the codes of a missing value and of one that is in none."""

    labels: list[str]
    scale: str
    missing: int | None
    groups: list[Any]
    other: int | None


@dataclass(frozen=True)
class ColumnScores:
    """The bins of a column, their scores, and those where no value is given; None for a column of pairs only."""

    name: str
    are_integers: bool
    bins: IntervalCodes | GroupCodes
    scores: list[list[float]] | None
    not_given: list[float] | None


@dataclass(frozen=True)
class PairScores:
    """The bins of two columns and the scores of their cells; of each bin of a column where the other is not given."""

    columns: list[int]
    bins: list[IntervalCodes | GroupCodes]
    scores: list[list[list[float]]]
    not_given: list[float]
    one_given: list[list[list[float]]]


@dataclass(frozen=True)
class BetaMap:
    """Beta calibration of a class."""

    a: float
    b: float
    c: float


@dataclass(frozen=True)
class StepMap:
    """Isotonic calibration of a class."""

    log_odds: list[float]
    probabilities: list[float]


@dataclass(frozen=True)
class WhatIf:
    """Start, bins and scores of a model whose scores add up, with all its categories.

    Scores are in nats, one per class. The last entry of a table, of values that training did not have, is 0 and is left
    out. Of two classes ``mapped`` has the calibration. The threshold is that of the positive class, None if each row
    has its own. ``base_rates`` are what the form shows where nothing is given.
    """

    positive: int | None
    threshold: float | None
    start: list[float]
    shift: list[float]
    mass: float
    smooth: bool
    calibration: list[BetaMap | StepMap] | None
    base_rates: list[float]
    mapped: int
    columns: list[ColumnScores]
    pairs: list[PairScores]


@dataclass(frozen=True)
class NoForm:
    """Why there is no form."""

    left_out: str


def describe_what_if(model: Any, X: Any, positive: int | None, threshold: float | None) -> WhatIf | NoForm:
    """Return the model of the form, or why there is none: the scores of some models do not add up over columns."""
    card = model.scorecard_.additive()
    if card is None:
        return NoForm(f"There is no form: the scores of this {type(model).__name__} do not add up over columns.")
    shares = model.feature_importances_
    place = model.selection_.positions
    names = sorted(card.columns, key=lambda name: (-shares[place[name]], place[name]))
    shift = np.zeros(len(card.start)) if card.shift is None else in_nats(card.shift)
    unknown, table = NotGiven.of_card(card), read_table(X)
    integers = {name for name in names if has_integers(table.column(place[name]))}
    return WhatIf(
        positive=positive,
        threshold=threshold,
        start=_scores(card.start),
        shift=np.round(shift, _DIGITS).tolist(),
        mass=float(card.mass),
        smooth=bool(card.laplace or card.calibration is not None),
        calibration=None if card.calibration is None else _calibration(card.calibration),
        base_rates=unknown.base_rates.tolist(),
        mapped=1 if card.calibration is None else card.calibration.mapped,
        columns=[_column(card, name, unknown, name in integers) for name in names],
        pairs=[_pair(pair, names, unknown) for pair in card.pairs],
    )


def _scores(table: Any) -> Any:
    return _rounded(in_nats(table))


def _rounded(scores: Floats) -> Any:
    return np.round(scores, _DIGITS).tolist()


def _column(card: Scorecard, name: str, unknown: NotGiven, are_integers: bool) -> ColumnScores:
    """Return the bins and scores of a column; a column of pairs only has bins without scores."""
    if name in card.names:
        table = card[name]
        scores, not_given = _scores(table.table[:-1]), _rounded(unknown.column(table))
        return ColumnScores(name, are_integers, _bins(table.partition), scores, not_given)
    partition = next(pair.partitions[pair.names.index(name)] for pair in card.pairs if name in pair.names)
    return ColumnScores(name, are_integers, _bins(partition), None, None)


def _pair(pair: PairTable, names: Sequence[str], unknown: NotGiven) -> PairScores:
    columns, bins = [names.index(name) for name in pair.names], [_bins(partition) for partition in pair.partitions]
    one_given = [_rounded(unknown.pair(pair, given)) for given in (0, 1)]
    return PairScores(columns, bins, _scores(pair.table[:-1, :-1]), _rounded(unknown.pair(pair)), one_given)


def _bins(partition: Partition) -> IntervalCodes | GroupCodes:
    assert isinstance(partition, Intervals | Groups)
    labels = [bin_label(partition, code) for code in range(partition.n_bins)]
    scale = partition.scale.value
    missing = partition.n_bins - 1 if partition.missing else partition.joined
    if isinstance(partition, Intervals):
        special = [float(x) for x in partition.special]
        return IntervalCodes(labels, scale, missing, partition.bounds.tolist(), special)
    groups = [partition.words(code) for code in range(len(partition.groups))]
    return GroupCodes(labels, scale, missing, groups, partition.other)


def _calibration(calibration: Calibration) -> list[BetaMap | StepMap]:
    """Return the map of each ranked class."""
    return [
        BetaMap(each.a, each.b, each.c)
        if isinstance(each, Beta)
        else StepMap(each.log_odds.tolist(), each.probabilities.tolist())
        for each in calibration.maps
    ]


def draw_what_if(form: WhatIf | NoForm | None) -> Markup | None:
    """Return the section, if a form was asked for."""
    if form is None:
        return None
    if isinstance(form, NoForm):
        return tag("section", tag("h2", "What if"), tag("p", form.left_out, class_="lead"), id="what-if")
    names = [column.name for column in form.columns]
    return tag(
        "section",
        tag("h2", "What if"),
        tag("p", _lead(form), class_="lead"),
        tag("p", "This form needs scripts, which are switched off here.", class_="warning no-js"),
        tag(
            "div",
            tag(
                "div",
                tag("div", id="what-if-fields"),
                tag("button", "Clear", id="what-if-clear", type="button"),
                class_="card",
            ),
            tag("div", tag("div", id="what-if-result", aria_live="polite"), class_="card sticky"),
            class_="pair js",
        ),
        _many_rows(names),
        id="what-if",
    )


def _lead(form: WhatIf) -> str:
    """Return what is shown where nothing, or not everything, is given."""
    rate = "the base rates" if form.positive is None else f"the base rate of {form.base_rates[form.positive]:.1%}"
    return (
        f"Enter the values of a row. With nothing entered the form shows {rate}, and a column that is not given counts "
        "as it does on average. A missing value is another case: it has the points of its bin, or 0 where training had "
        "none."
    )


def _many_rows(names: Sequence[str]) -> Markup:
    """Return the form for a table of rows."""
    example = f"Paste rows with a header line, such as\n{','.join(names[:4])}{',…' if len(names) > 4 else ''}"
    rows = tag("textarea", id="rows-text", rows=4, placeholder=example, aria_label="Rows as CSV", spellcheck="false")
    return tag(
        "div",
        tag("h3", "Many rows"),
        tag(
            "p",
            "Rows stay in this browser. Columns are found by their names; the order does not matter.",
            class_="quiet",
        ),
        rows,
        tag(
            "div",
            tag(
                "label",
                "or a CSV file ",
                tag("input", id="rows-file", type="file", accept=".csv,text/csv,text/plain"),
            ),
            tag("button", "Explain", id="rows-explain", type="button"),
            class_="row",
        ),
        tag("p", id="rows-note", class_="quiet", aria_live="polite"),
        tag("div", id="rows-result"),
        class_="card js",
    )
