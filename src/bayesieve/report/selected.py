# SPDX-License-Identifier: BSD-3-Clause
"""The selected columns: what each bin adds, as steps over the values or as bars per group, with a table of bins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins import Intervals, short_description
from bayesieve.data import Column, Scale, Table, read_table
from bayesieve.exact import in_nats
from bayesieve.explain.scorecard_table import binning_columns
from bayesieve.fit.memory_learning import sampled_rows
from bayesieve.models import Scorecard, ScoreTable, VoteModel, simplify_table
from bayesieve.models.intervals import has_errors
from bayesieve.models.scorecard import contrast_errors
from bayesieve.report.all_columns import Columns
from bayesieve.report.chart import Steps, step_plot
from bayesieve.report.context import Setting
from bayesieve.report.formats import count, percent, plural, rounded, signed
from bayesieve.report.markup import Cell, Markup, heat_cell, join, scrollable, table, tag, within
from bayesieve.report.model_type import ModelType
from bayesieve.report.shared_facts import SharedFact, shared_fact_sentences

__all__ = ["ColumnBins", "bin_label", "describe_bins", "draw_selected", "has_integers"]

_MOST_COLUMNS = 100
_MOST_BINS = 16
_FEW_BINS = 5
_SAMPLE = 20_000  # rows for intervals
_WIDE = 1.959964
_MOST_MARKUP = 150_000  # characters of all columns of a page
_MOST_LINES = 6  # classes of a step plot; with more, a heat map
_MOST_TOOLTIPS = 40


@dataclass(frozen=True)
class Measure:
    """What is shown of a bin: its title, its meaning for a class, and the value of a bin without effect."""

    title: str
    meaning: str
    neutral: float = 0.0


_POINTS = Measure("points", "what the bin adds to the log-odds of {label}")
_VOTES = Measure("vote", "the probability that the bin votes for {label}", 0.5)
_EVIDENCE = Measure("WoE", "the logarithm of P(bin | {label}) / P(bin | not {label})")


@dataclass(frozen=True)
class ColumnBins:
    """The bins of a column; what it does not have is None, and not in the JSON file.

    Attributes
    ----------
    column : int
        The column.
    labels : list of str
        What each bin holds.
    counts : list of lists of float
        Rows per bin and class.
    bounds, scale, bound_labels : list of float, str, list of str
        The bounds of intervals, what they are, and how they are written if they are not numbers.
    value_range : list of two floats
        The smallest and the largest value.
    are_integers : bool
        Whether all values are integers.
    rate, weight_of_evidence : lists of float
        Of the positive one of two classes, per bin.
    votes : list of float
        The probability that a bin votes for the positive class.
    points, standard_error : lists
        What a bin adds to the log-odds of the positive one of two classes, with its standard error; of more classes, to
        the score of each class relative to the mean over classes, with standard errors where the model has them.
    """

    column: int
    labels: list[str]
    counts: list[list[float]]
    bounds: list[float] | None = None
    scale: str | None = None
    bound_labels: list[str] | None = None
    value_range: list[float] | None = None
    are_integers: bool | None = None
    rate: list[float | None] | None = None
    weight_of_evidence: list[float] | None = None
    votes: list[float] | None = None
    points: list[Any] | None = None
    standard_error: list[Any] | None = None

    @property
    def measure(self) -> Measure | None:
        """What is shown of each bin; None for several classes of a model whose scores do not add up."""
        if self.points is not None:
            return _POINTS
        if self.votes is not None:
            return _VOTES
        return None if self.weight_of_evidence is None else _EVIDENCE

    @property
    def values(self) -> list[Any]:
        """The measure per bin; without one, the rows per class."""
        return next(
            each for each in (self.points, self.votes, self.weight_of_evidence, self.counts) if each is not None
        )

    @property
    def n_rows(self) -> list[float]:
        """Rows per bin."""
        return [sum(row) for row in self.counts]


def describe_bins(model: Any, X: Any, positive: int | None, rows_per_observation: float = 1.0) -> list[ColumnBins]:
    """Return the bins of the selected columns, the most important first.

    If the scores of the model add up, the bins are those of the model, and each has the points that it adds. Bins of a
    vote have the probability that they vote for the positive class. In other models, bins are the optimal ones of the
    column.
    """
    place = model.selection_.positions
    shares = model.feature_importances_
    names = sorted(model.scorecard_.names, key=lambda name: (-shares[place[name]], place[name]))[:_MOST_COLUMNS]
    card = model.scorecard_.additive()
    if card is None:
        return [
            replace(_describe(place[name], _shown(model, name), positive), votes=_votes(model, name)) for name in names
        ]
    table = read_table(X)
    information = None if positive is None or has_errors(card) else _Information(card, table, place)
    described = []
    for name in names:
        points = rounded(_points(card, name, positive))
        if information is not None and positive is not None:
            own: Floats | None = information.standard_errors(name, positive)
        else:
            own = _posterior_errors(card[name], positive)
        errors = None if own is None else rounded(own * rows_per_observation**0.5)
        bins = _of_values(_describe(place[name], card[name].partition, positive), table.column(place[name]))
        described.append(replace(bins, points=points, standard_error=errors))
    return described


def _points(card: Scorecard, name: str, positive: int | None) -> Floats:
    table = card[name].table[:-1]
    if positive is not None:
        return np.asarray(in_nats(table[..., positive] - table[..., 1 - positive]))
    points = in_nats(table)
    return np.asarray(points - points.mean(axis=1, keepdims=True))


def _posterior_errors(table: ScoreTable, positive: int | None) -> Floats | None:
    """Return the standard errors of points, of two classes or of each class; None where the model has none."""
    if table.errors is None or positive is not None:
        return None if positive is None else table.contribution_errors(positive)
    return np.stack([contrast_errors(table.errors[:-1], c) for c in range(table.errors.shape[1])], axis=1)


class _Information:
    """The Fisher information of each bin's points, given those of all other columns: the sum of p (1 - p) over rows."""

    def __init__(self, card: Scorecard, table: Table, place: Mapping[str, int]) -> None:
        self.card = card
        self.table = table
        self.place = place
        self.rows = sampled_rows(self.table.n_rows, _SAMPLE)
        codes = [self._codes(each.name, each.partition) for each in card.tables]
        cells = [
            (self._codes(p.names[0], p.partitions[0]), self._codes(p.names[1], p.partitions[1])) for p in card.pairs
        ]
        self.codes = dict(zip(card.names, codes, strict=True))
        self.probabilities = card.probabilities(card.evidence(len(self.rows), codes, cells))

    def _codes(self, name: str, partition: Any) -> Any:
        column = self.table.column(self.place[name])
        return partition.bins_of(column)[column.ids[self.rows]]

    def standard_errors(self, name: str, positive: int) -> Floats:
        """Return the standard error of each bin's points; NaN where no sampled row is in the bin."""
        table = self.card[name]
        codes = self.codes[name]
        p = self.probabilities[positive]
        n_bins = table.partition.n_bins + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.bincount(codes, p * (1 - p), n_bins) / np.bincount(codes, minlength=n_bins)
            errors: Floats = 1.0 / np.sqrt(spread[:-1] * np.asarray(table.bin_mass, dtype=np.float64))
        return errors


def _votes(model: Any, name: str) -> list[float] | None:
    """Return the vote of each bin of a vote model, None of others."""
    card = model.scorecard_
    votes: list[float] | None = rounded(card.votes(card[name])[:-1]) if isinstance(card, VoteModel) else None
    return votes


def _shown(model: Any, name: str) -> Any:
    """Return the optimal bins of a column; if there is one, or too many to look at, those of the model are merged."""
    if isinstance(model.scorecard_, VoteModel):
        return model.scorecard_[name].partition
    best = model.partitions_[name]
    if 1 < best.n_bins <= _MOST_BINS + best.missing:
        return best
    return simplify_table(model.scorecard_[name], _FEW_BINS if best.n_bins == 1 else _MOST_BINS).partition


def _describe(j: int, partition: Any, positive: int | None) -> ColumnBins:
    counts = np.asarray(partition.counts)
    bins = ColumnBins(
        j,
        [bin_label(partition, code) for code in range(partition.n_bins)],
        [[rounded(each) for each in row] for row in counts.tolist()],
    )
    if isinstance(partition, Intervals) and len(partition.bounds):
        written = [partition.scale.words(bound) for bound in partition.bounds.tolist()]
        bins = replace(
            bins,
            bounds=rounded(partition.bounds, 10),
            scale=partition.scale.value,
            bound_labels=None if partition.scale is Scale.numeric else written,
        )
    if positive is None:
        return bins
    inside = counts[:, positive]
    against = replace(partition, counts=np.column_stack([counts.sum(axis=1) - inside, inside]))
    columns = binning_columns(against, ["others", "positive"])
    evidence = rounded(np.array(columns["weight of evidence"]))
    return replace(bins, rate=rounded(np.array(columns["rate"])), weight_of_evidence=evidence)


def _of_values(bins: ColumnBins, column: Column) -> ColumnBins:
    """Return the bins with what is known of the values; those of a column of 0 and 1 are these two values."""
    values = np.asarray(column.labels) if column.ordered else np.empty(0)
    if bins.bounds is None or not len(values):
        return bins
    if column.scale is Scale.numeric and values.tolist() == [0.0, 1.0] and len(bins.bounds) == 1:
        return replace(bins, labels=["0", "1", *bins.labels[2:]], bounds=None, scale=None)
    return replace(bins, value_range=rounded(values[[0, -1]], 10), are_integers=has_integers(column))


def has_integers(column: Column) -> bool:
    """Return whether all values of a column are integers."""
    return column.ordered and column.scale is Scale.numeric and bool((np.asarray(column.labels) % 1 == 0).all())


def bin_label(partition: Any, code: int) -> str:
    """Return a short description of a bin."""
    if isinstance(partition, Intervals) and 0 < code < len(partition.bounds):
        low, high = (partition.scale.words(bound) for bound in partition.bounds[code - 1 : code + 1].tolist())
        return f"{low} – {high}" + (" or missing" if code == partition.joined else "")
    return short_description(partition, code).replace("<=", "≤")


def draw_selected(
    setting: Setting, columns: Columns, bins: Sequence[ColumnBins], model: ModelType, facts: Sequence[SharedFact] = ()
) -> Markup:
    """Return the section."""
    shown = within(_MOST_MARKUP, (_card(setting, columns, each, model) for each in bins))
    many = setting.positive is None and len(setting.labels) <= _MOST_LINES
    rest = len(bins) - len(shown)
    keys = [tag("span", tag("i", class_=f"key k{c}"), label) for c, label in enumerate(setting.labels)]
    return tag(
        "section",
        tag("h2", "Selected columns"),
        tag("p", _lead(setting, bins, model), class_="lead", id="selected-lead"),
        *(tag("p", sentence, class_="lead") for sentence in shared_fact_sentences(facts)),
        tag("p", *keys, class_="legend") if many and shown else None,
        tag("div", *shown, class_="cards", id="bins"),
        tag("p", f"The bins of {rest} more columns are in the JSON file of this report.", class_="quiet")
        if rest
        else None,
        id="selected",
    )


def _lead(setting: Setting, bins: Sequence[ColumnBins], model: ModelType) -> str:
    if not bins:
        return "No column was selected."
    importance = model.importance[0].lower() + model.importance[1:]
    weight = " Weight 1 is plain naive Bayes." if model.weighted else ""
    measure = bins[0].measure
    if setting.positive is None or measure is None:
        has_lines = len(setting.labels) <= _MOST_LINES and any(each.bounds is not None for each in bins)
        spread = f" Shaded: {_interval_words(model)}." if bins[0].standard_error and has_lines else ""
        return (
            f"Points: what a bin adds to the score of each class, relative to the mean over classes.{spread} "
            f"Importance: {importance}.{weight}"
        )
    meaning = f"{measure.title}: {measure.meaning.format(label=setting.positive_class)}"
    spread = f" Shaded: {_interval_words(model)}." if bins[0].standard_error else ""
    strip = " The strip below a chart is darker where more rows are."
    return f"{meaning[0].upper()}{meaning[1:]}.{spread}{strip} Importance: {importance}.{weight}"


def _interval_words(model: ModelType) -> str:
    if model.has_errors:
        return "95% credible intervals of the points, each the standard error times 1.96 on both sides"
    return "approximate 95% intervals, given the points of the other columns"


def _card(setting: Setting, columns: Columns, bins: ColumnBins, model: ModelType) -> Markup:
    tags = f"importance {percent(columns.importance[bins.column], 0)}"
    if model.weighted:
        tags += f", weight {columns.weight[bins.column]:.2f}"
    name = setting.name(bins.column)
    heading = tag("h3", tag("span", name), tag("span", tags, class_="tags"), class_="titled")
    return tag("article", heading, _figure(setting, bins), _details(setting, bins, model), class_="card")


def _figure(setting: Setting, bins: ColumnBins) -> Markup:
    """Return the contributions of a column as a figure."""
    measure = bins.measure
    many = len(setting.labels) > _MOST_LINES
    if measure is None or (setting.positive is None and (many or bins.bounds is None)):
        return _class_table(setting, bins)
    if bins.bounds is None:
        return _bars(setting, bins, measure)
    values = bins.values
    lines = [values] if setting.positive is not None else list(zip(*values, strict=True))
    n_rows = bins.n_rows
    tooltips = [_tooltip(setting, bins, i) for i in range(len(n_rows))] if len(n_rows) <= _MOST_TOOLTIPS else []
    errors = bins.standard_error
    if errors is not None:
        errors = [errors] if setting.positive is not None else list(zip(*errors, strict=True))
    steps = Steps(bins.bounds, lines, errors, n_rows, bins.labels, tooltips, bins.bound_labels)
    steps = replace(steps, value_range=bins.value_range, are_integers=bool(bins.are_integers))
    return step_plot(steps, setting.name(bins.column), measure.title)


def _tooltip(setting: Setting, bins: ColumnBins, i: int) -> str:
    text = f"{bins.labels[i]}\n{count(bins.n_rows[i])} rows"
    if bins.measure is not None and bins.rate is not None:
        text += f", rate of {setting.positive_label} {percent(bins.rate[i])}"
        text += f", {bins.measure.title} {signed(bins.values[i])}"
    return text


def _bars(setting: Setting, bins: ColumnBins, measure: Measure) -> Markup:
    """Return a bar per group of values, with its interval."""
    assert bins.rate is not None
    values = bins.values
    errors = bins.standard_error or [None] * len(bins.labels)
    largest = min(max(max(abs(value - measure.neutral) for value in values) * 1.25, 0.05), 4.0)
    heads = ("values", "rows", f"rate of {setting.positive_label}", measure.title)
    cells = [tag("span", head, class_="head" + (" number" if 0 < i < 3 else "")) for i, head in enumerate(heads)]
    for i, label in enumerate(bins.labels):
        drawn = _bar((values[i] - measure.neutral) / largest, _WIDE * (errors[i] or 0.0) / largest)
        shown = percent(values[i]) if measure is _VOTES else signed(values[i])
        cells += [
            tag("span", label, class_="words"),
            tag("span", count(bins.n_rows[i]), class_="number"),
            tag("span", percent(bins.rate[i]), class_="number"),
            tag("span", drawn, tag("small", shown, class_="quiet"), class_="with-number"),
        ]
    return tag("div", *cells, class_="bins")


def _bar(value: float, half: float) -> Markup:
    """Return a bar from the middle, -1 to 1 wide, with an interval."""

    def place(x: float) -> float:
        return 100 + 98 * max(-1.0, min(1.0, x))

    left, right = sorted((place(0.0), place(value)))
    shapes = [
        tag(
            "rect",
            class_="plus" if value > 0 else "minus",
            x=f"{left:.1f}",
            y=3,
            width=f"{right - left:.1f}",
            height=14,
        ),
        tag("rect", class_="middle", x="99.5", y=0, width=1, height=20),
    ]
    if half:
        low, high = place(value - half), place(value + half)
        shapes.append(tag("rect", class_="range", x=f"{low:.1f}", y=9, width=f"{high - low:.1f}", height=2))
    return tag("svg", *shapes, viewBox="0 0 200 20", preserveAspectRatio="none", aria_hidden="true")


def _class_table(setting: Setting, bins: ColumnBins) -> Markup:
    """Return bins against classes as a heat map: points, or rows where a model has no points."""
    values = bins.values
    name = setting.name(bins.column)
    largest = max((abs(value) for row in values for value in row), default=0.0) or 1.0
    written = count if bins.measure is None else signed
    head = tag("tr", tag("th", "bin", scope="col"), *(tag("th", label, scope="col") for label in setting.labels))
    rows = []
    for label, row, n_rows in zip(bins.labels, values, bins.n_rows, strict=True):
        cells = [heat_cell("td", value, largest, written(value)) for value in row]
        rows.append(tag("tr", tag("th", label, scope="row", title=f"{count(n_rows)} rows"), *cells))
    made = tag(
        "table",
        tag("thead", head),
        tag("tbody", *rows),
        class_="heat-map dense" if len(setting.labels) > _MOST_LINES else "heat-map",
        data_file=f"points of {name}",
    )
    return scrollable(made, name)


def _details(setting: Setting, bins: ColumnBins, model: ModelType) -> Markup | None:
    """Return the table of bins, folded; a heat map of many classes is a table already."""
    title = tag("summary", f"Table of {plural(len(bins.labels), 'bin')}")
    measure = bins.measure
    if setting.positive is None or measure is None:
        drawn = bins.bounds is not None and measure is not None and len(setting.labels) <= _MOST_LINES
        return tag("details", title, _class_table(setting, bins), class_="printed") if drawn else None
    label = setting.positive_label
    headings = [
        ("bin", "Values of the column"),
        ("rows", "Number of rows"),
        (label, f"Number of rows of class {label}"),
        ("rate", f"Share of class {label}"),
        (measure.title, measure.meaning.format(label=setting.positive_class)),
    ]
    if bins.standard_error:
        words = _interval_words(model)
        headings.append(("95% interval", words[0].upper() + words[1:]))
    rows = [_bin_row(bins, setting.positive, i) for i in range(len(bins.labels))]
    total = [sum(each) for each in zip(*bins.counts, strict=True)]
    share = percent(total[setting.positive] / sum(total)) if sum(total) else ""
    filling: list[Cell] = ["", ""] if bins.standard_error else [""]
    rows.append([("all", "own"), count(sum(total)), count(total[setting.positive]), share, *filling])
    # Bars have their numbers next to them.
    kind = None if bins.bounds is None else "printed"
    return tag("details", title, table(headings, rows, f"bins of {setting.name(bins.column)}"), class_=kind)


def _unbroken(label: str) -> Markup:
    """Return an interval whose ends are not broken, as dates are at their hyphens."""
    first, *rest = (tag("span", end, class_="whole") for end in label.split(" – "))
    return join([first, *(part for end in rest for part in (" – ", end))])


def _bin_row(bins: ColumnBins, positive: int, i: int) -> list[Cell]:
    assert bins.rate is not None
    value = bins.values[i]
    row: list[Cell] = [
        (bins.labels[i] if bins.bounds is None else _unbroken(bins.labels[i]), "words"),
        count(bins.n_rows[i]),
        count(bins.counts[i][positive]),
        percent(bins.rate[i]),
        signed(value, 3),
    ]
    if bins.standard_error:
        error = bins.standard_error[i]
        row.append("" if error is None else f"{signed(value - _WIDE * error)} to {signed(value + _WIDE * error)}")
    return row
