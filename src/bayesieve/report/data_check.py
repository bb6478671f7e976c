# SPDX-License-Identifier: BSD-3-Clause
"""Check of the data: what it found before the fit, and warnings of identifiers and of columns that leak the target."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve.data import ColumnProfile
from bayesieve.exact import in_nats
from bayesieve.quality import DataCheck, Finding, leaks_target
from bayesieve.report.formats import format_label, plural, signed
from bayesieve.report.markup import Markup, tag

__all__ = ["DataFindings", "describe_findings", "draw_data_check", "find_warnings", "relevant_findings"]

_MOST_FINDINGS = 100
_EXTREME: Final = 0.5  # fewer points change odds by less than two thirds: then it does not matter that no bin has more
_NO_POINTS: Final = 0.0005  # log-odds, 0 with the digits that are shown
_SAME: Final = 0.999  # symmetric uncertainty of two columns that determine each other


@dataclass(frozen=True)
class ShownFinding:
    """A finding as a sentence."""

    kind: str
    text: str
    advice: str


@dataclass(frozen=True)
class DataFindings:
    """The findings of a data check, as many as are shown."""

    n_findings: int
    shown: list[ShownFinding]


def find_warnings(model: Any, profiles: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return a sentence for each column that a person should check.

    A column leaks the target if nearly all rows of each of its optimal bins have one class. A column that is known
    before the target does not do that in a table of more than a few rows.
    """
    warnings = {
        each.name: "Every row has a different value; is it an identifier?" for each in profiles if each.is_identifier
    }
    leaks = [name for name, partition in model.partitions_.items() if leaks_target(partition.counts)]
    warnings |= dict.fromkeys(leaks, "It predicts the target almost perfectly; is it known before the target?")
    for name, entry in model.why_.items():
        if name not in warnings and entry["redundant_with"] in leaks and (entry["redundancy"] or 0.0) >= _SAME:
            warnings[name] = (
                f"It is redundant with {entry['redundant_with']!r}, which predicts the target almost perfectly."
            )
    for name, text in [*_extreme_missing(model), *_without_points(model)]:
        warnings[name] = f"{warnings[name]} {text}" if name in warnings else text
    return warnings


def _extreme_missing(model: Any) -> Iterator[tuple[str, str]]:
    """Yield columns with points of missing values beyond those of all other bins, and a sentence about them."""
    card = model.scorecard_.additive()
    for table in () if card is None else card.tables:
        if not getattr(table.partition, "missing", False) or table.partition.n_bins < 3:
            continue
        points = in_nats(table.table[: table.partition.n_bins])
        shown = [model.positive_index_] if points.shape[1] == 2 else range(points.shape[1])
        points = points - (points[:, ::-1] if points.shape[1] == 2 else points.mean(axis=1, keepdims=True))
        low, high, own = points[:-1].min(axis=0), points[:-1].max(axis=0), points[-1]
        beyond = [abs(own[c]) if not low[c] <= own[c] <= high[c] else 0.0 for c in shown]
        if max(beyond) < _EXTREME:
            continue
        c = shown[int(np.argmax(beyond))]
        of_class = f" for {format_label(model.classes_[c])}" if len(shown) > 1 else ""
        n_rows = plural(round(float(table.bin_mass[-1])), "row")
        text = (
            f"Missing values have the most extreme points{of_class}: {signed(own[c])}, in {n_rows}; other bins "
            f"have {signed(low[c])} to {signed(high[c])}. "
            "Are values missing for the same reasons in new rows?"
        )
        if "missing" in model.get_params(deep=False):
            setting = shlex.quote(f"{table.name}:missing=neutral")
            text += f" If not, --column {setting}, in Python Column(missing='neutral'), gives them the points of the "
            text += "average row, 0."
        yield table.name, text


def _without_points(model: Any) -> Iterator[tuple[str, str]]:
    """Yield selected columns that add nothing, and a sentence about them."""
    card = model.scorecard_.additive()
    if card is None:
        return
    paired = {name for pair in card.pairs for name in pair.names}
    for table in card.tables:
        points = in_nats(table.table[: table.partition.n_bins])
        if table.name not in paired and np.ptp(points, axis=1).max() < _NO_POINTS:
            yield (
                table.name,
                "All its points are 0, so that it adds nothing to the model. Does a requirement, such as monotone, "
                "contradict the data?",
            )


def relevant_findings(checked: DataCheck, dropped: Sequence[str | None]) -> list[Finding]:
    """Return what was found in the columns that are used, in the target and in whole rows."""
    return [each for each in checked.findings if each.column is None or each.column not in dropped]


def describe_findings(findings: Sequence[Finding] | None) -> DataFindings | None:
    """Return the findings of a data check as sentences; None if the data were not checked."""
    if findings is None:
        return None
    shown = [ShownFinding(each.kind, str(each), each.advice) for each in findings[:_MOST_FINDINGS]]
    return DataFindings(len(findings), shown)


def draw_data_check(found: DataFindings | None) -> Markup | None:
    """Return the section, if the data were checked."""
    if found is None:
        return None
    more = found.n_findings - len(found.shown)
    return tag(
        "section",
        tag("h2", "Data check"),
        tag("p", _lead(found.n_findings), class_="lead"),
        tag("ul", *(_item(each) for each in found.shown), class_="findings") if found.shown else None,
        tag("p", f"There are {plural(more, 'more finding')}; bayesieve check prints all.", class_="quiet")
        if more > 0
        else None,
        id="data",
    )


def _lead(n_findings: int) -> str:
    if not n_findings:
        return "Nothing was found in the columns that would spoil a fit."
    return "Found in the columns before the fit. Each is a question to somebody who knows the data."


def _item(finding: ShownFinding) -> Markup:
    advice = tag("small", f" {finding.advice}.", class_="quiet") if finding.advice else None
    return tag("li", tag("b", finding.kind), " ", tag("span", finding.text, advice))
