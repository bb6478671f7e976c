# SPDX-License-Identifier: BSD-3-Clause
"""Edits by hand: what an expert has changed in the model, why, and what each change costs."""

from dataclasses import dataclass
from math import isnan
from typing import Any

from bayesieve.report.formats import plural, rounded, show_time
from bayesieve.report.markup import Cell, Markup, table, tag

__all__ = ["HandEdit", "HandEdits", "describe_edits", "draw_edits"]


@dataclass(frozen=True)
class HandEdit:
    """An edit, its reason, author and time; the out-of-fold log loss after it, what it rose by, and the error of that.

    Losses are None where points were not learned again. ``decisions`` is the number of training rows whose predicted
    class changed.
    """

    edit: str
    why: str
    author: str
    time: str
    log_loss: float | None
    difference: float | None
    standard_error: float | None
    decisions: int


@dataclass(frozen=True)
class HandEdits:
    """All edits; the out-of-fold log loss without and with them, and whether scores of the page are of edited models.

    Losses are None where points were not learned again.
    """

    edits: list[HandEdit]
    log_loss_without: float | None
    log_loss_with: float | None
    in_scores: bool


def describe_edits(model: Any, *, in_scores: bool) -> HandEdits | None:
    """Return the edits of a model, if it has any."""
    changes = getattr(model, "changes_", ())
    if not changes:
        return None
    edits = [
        HandEdit(
            str(each.edit),
            each.edit.why,
            each.edit.author,
            each.edit.time,
            _known(each.log_loss),
            _known(each.difference),
            _known(each.error),
            each.decisions,
        )
        for each in changes
    ]
    return HandEdits(edits, _known(changes[0].log_loss_before), _known(changes[-1].log_loss), in_scores)


def _known(value: float) -> float | None:
    return None if isnan(value) else float(rounded(value))


def draw_edits(edits: HandEdits | None) -> Markup | None:
    """Return the section, if the model was edited."""
    if edits is None:
        return None
    headings = [
        ("edit", ""),
        ("reason", ""),
        ("by", ""),
        ("log loss", "per row, by fits that have not seen the row"),
        ("change ± standard error", "what the edit adds to the log loss"),
        ("other decisions", "training rows whose predicted class changed"),
    ]
    rows: list[list[Cell]] = [
        [
            (each.edit, "words"),
            (each.why, "words"),
            ", ".join(part for part in (each.author, show_time(each.time) if each.time else "") if part),
            "" if each.log_loss is None else f"{each.log_loss:.4f}",
            "" if each.difference is None else f"{each.difference:+.4f} ± {each.standard_error:.4f}",
            f"{each.decisions:,}",
        ]
        for each in edits.edits
    ]
    return tag(
        "section",
        tag("h2", "Corrected by hand"),
        tag("p", _lead(edits), class_="lead", id="edits-lead"),
        tag("div", table(headings, rows, "edits"), class_="card"),
        id="edits",
    )


def _lead(edits: HandEdits) -> str:
    made = f"{plural(len(edits.edits), 'edit')} by hand changed the model."
    scores = (
        "Scores on this page are those of the edited model."
        if edits.in_scores
        else "Cross-validated scores on this page are of models without the edits, as bins differ from fold to fold."
    )
    if edits.log_loss_without is None or edits.log_loss_with is None:
        return f"{made} Points of edited bins changed and nothing else; what that costs was not measured. {scores}"
    return (
        f"{made} The log loss per row, by fits that have not seen the row, is {edits.log_loss_without:.4f} without "
        f"them and {edits.log_loss_with:.4f} with all of them. Bins and edits were chosen by someone who saw all rows, "
        f"so that new rows may cost more. {scores}"
    )
