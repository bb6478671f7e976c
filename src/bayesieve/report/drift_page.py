# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of new rows with training rows as one self-contained HTML file without scripts."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from bayesieve.quality import ColumnDrift, Drift, ScoreDrift
from bayesieve.report.formats import format_label, show_time, upper_end
from bayesieve.report.markup import content_hash, read_part
from bayesieve.report.metrics import TITLES
from bayesieve.report.promise import CHANGES

__all__ = ["render_drift"]

_STYLE = """
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
.large { color: var(--bad); font-weight: 600; } .moderate { color: var(--optimistic); font-weight: 600; }
.card + details, details + details { margin-top: .35rem; }
td svg { width: 160px; display: inline-block; vertical-align: middle; }
rect.then { fill: var(--quiet); opacity: .6; } rect.now { fill: var(--held-out); }
@media print { details:not([open]) { display: block !important; } }
"""
_THEN_AND_NOW = (
    "A PSI up to that by chance does not count. Beyond it, one below 0.1 is usually called small and from 0.25 on "
    "large. Below the table, each column opens to its bins: gray bars are shares of the training rows, blue "
    "ones those of the new rows."
)


def render_drift(found: Drift, *, source: str = "", model: str = "", notes: Sequence[str] = ()) -> str:
    """Return the page; all text of the user is escaped, and the content security policy allows no script.

    ``notes`` are sentences on what was not compared, or should not be.
    """
    style = read_part("page.css") + _STYLE
    title = f"Drift of {source or 'new rows'}"
    first, *others = found.verdict_sentences
    more = f" <span class='more'>{escape(' '.join(others))}</span>" if others else ""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        f"<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src {content_hash(style)}\">",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(title)}</title><style>{style}</style>",
        "<main><section class='hero'>",
        f"<p class='context'>{escape(title)}</p>",
        f"<h1>{escape(first)}{more}</h1>",
        f"<p class='quiet'>{_facts(found, model)}</p>",
        *(f"<p class='note'>{escape(note)}</p>" for note in notes),
        "</section>",
        *_metrics(found),
        f"<section><h2>Columns</h2><p class='lead'>{_THEN_AND_NOW}</p>",
        _columns(found),
        *(_bins(column) for column in found.columns),
        "</section>",
        *(_scores(score) for score in found.scores),
        "</main></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _facts(found: Drift, model: str) -> str:
    facts = [f"{found.n_rows:,} new rows, {found.n_rows_then:,.0f} training rows"]
    if model:
        facts.append(f"model {model}")
    if found.record is not None and found.record.trained:
        facts.append(f"trained {show_time(found.record.trained)} on {found.record.source}")
    facts += [
        f"class {format_label(label)}: {then:.1%} of the training rows"
        + ("" if now is None else f", {now:.1%} of the new rows")
        for label, then, now in found.classes
    ]
    if all(now is None for *_, now in found.classes):
        facts.append("the classes of the new rows are not known")
    return escape("; ".join(facts)) + "."


def _table(headings: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; headings have a text that explains them, and cells are HTML."""
    head = "".join(f'<th title="{escape(meaning)}">{escape(text)}</th>' for text, meaning in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='card scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _metrics(found: Drift) -> list[str]:
    if not found.metrics:
        return []
    headings = [
        ("metric", "Scores of the model"),
        ("then", "On held-out rows of the training, with its standard error"),
        ("now", "On the new rows, with its standard error"),
        ("change", "Within chance: they differ by at most two standard errors of the difference"),
    ]
    rows = []
    for each in found.metrics:
        then = "" if each.then is None else f"{each.then:.4f} ± {each.then_error:.4f}"
        now = f"{each.now:.4f} ± {each.now_error:.4f}"
        level = "large" if each.change == "worse" else ""
        rows.append([TITLES[each.name], then, now, f"<span class='{level}'>{CHANGES[each.change]}</span>"])
    return ["<section><h2>Scores</h2>", _table(headings, rows), "</section>"]


def _columns(found: Drift) -> str:
    headings = [
        ("column", "Columns of the model"),
        ("PSI", "Population stability index of the bins: 0 if new rows have the same shares as training rows"),
        (
            "by chance",
            "The index that one of a hundred samples of the training rows would exceed in any of the columns",
        ),
        ("drift", "Stable up to chance; beyond it, small below 0.1 and large from 0.25 on"),
        ("missing then", "Share of missing values in the training rows"),
        ("missing now", "Share of missing values in the new rows"),
        ("unseen", "Share of rows with a category that no training row had"),
        ("unseen values", "The most frequent of these categories, with their numbers of rows"),
    ]
    rows = [
        [
            escape(column.name),
            f"{column.psi:.4f}",
            f"{column.by_chance:.4f}",
            f"<span class='{column.level}'>{column.level}</span>",
            "" if column.missing_then is None else f"{column.missing_then:.1%}",
            f"{column.missing_now:.1%}",
            escape(column.unseen_share),
            escape(", ".join(f"{value} ({n:,})" for value, n in column.unseen_values)),
        ]
        for column in found.columns
    ]
    if not any(column.missing_then or column.missing_now for column in found.columns):
        headings, rows = [*headings[:4], *headings[6:]], [[*row[:4], *row[6:]] for row in rows]
    if not any(column.unseen_values for column in found.columns):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    return _table(headings, rows)


def _bins(column: ColumnDrift) -> str:
    headings = [("bin", "Values"), ("then", "Share of the training rows"), ("now", "Share of the new rows"), ("", "")]
    rows = [
        [escape(each.label), f"{each.then:.1%}", f"{each.now:.1%}", _bars(each.then, each.now)] for each in column.bins
    ]
    is_open = " open" if column.level in ("moderate", "large") else ""
    heading = f"<summary>{escape(column.name)}: PSI {column.psi:.3f}</summary>"
    return f"<details{is_open}>{heading}{_table(headings, rows)}</details>"


def _bars(then: float, now: float) -> str:
    return (
        "<svg width='160' height='16' role='img' aria-hidden='true'>"
        f"<rect class='then' x='0' y='1' height='6' width='{160 * then:.1f}'/>"
        f"<rect class='now' x='0' y='9' height='6' width='{160 * now:.1f}'/></svg>"
    )


def _scores(score: ScoreDrift) -> str:
    headings = [
        ("predicted up to", "Rows are grouped by their predicted probability, as the held-out rows of the training"),
        ("rows then", "Share of the held-out rows of the training"),
        ("rows now", "Share of the new rows"),
        ("mean predicted then", "Mean predicted probability"),
        ("observed then", "Observed frequency of the class"),
        ("mean predicted now", "Mean predicted probability"),
        ("observed now", "Observed frequency of the class"),
    ]
    shares = (score.then.n_rows / score.then.n_rows.sum(), score.now.n_rows / score.now.n_rows.sum())
    rows = []
    for g, bound in enumerate([*score.then.bounds.tolist(), 1.0]):
        values = [
            group[g] for group in (score.then.predicted, score.then.observed, score.now.predicted, score.now.observed)
        ]
        rows.append([upper_end(bound), *(f"{share[g]:.1%}" for share in shares), *map(_number, values)])
    if np.isnan(score.now.observed).all():  # the new rows have no labels
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    label = escape(format_label(score.label))
    return (
        f"<section><h2>Predicted probability of {label}</h2>"
        f"<p class='lead'>PSI {score.psi:.3f} ({score.by_chance:.3f} by chance), {score.level}; mean "
        f"{score.then.mean:.3f} then, {score.now.mean:.3f} now.</p>{_table(headings, rows)}</section>"
    )


def _number(value: Any) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"
