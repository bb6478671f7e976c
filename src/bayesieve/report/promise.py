# SPDX-License-Identifier: BSD-3-Clause
"""What the training of a saved model promised, and what other rows show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bayesieve.models import Scorecard
from bayesieve.quality import MetricDrift
from bayesieve.report.context import ReportContext
from bayesieve.report.formats import format_label, join_words, rounded
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.markup import Cell, Markup, table, tag
from bayesieve.report.metrics import TITLES, Score
from bayesieve.report.sizes import with_error

__all__ = ["CHANGES", "Promise", "describe_promise", "draw_promise", "promise_sentences"]

CHANGES = {
    "same": "within chance",
    "worse": "worse, beyond chance",
    "better": "better, beyond chance",
    "unknown": "chance is not known",
}
"""How the changes of a score are named."""

_BEYOND_CHANCE = 3.0  # standard errors of a class frequency, the largest difference of all classes
_LEAD = "Within chance: the two differ by at most two standard errors of their difference."


@dataclass(frozen=True)
class PromisedScore:
    """A score by the training's own held-out rows, the one of these rows, and how it changed, of `CHANGES`."""

    metric: str
    promised: Score
    found: Score
    change: str


@dataclass(frozen=True)
class ClassFrequency:
    """The share of a class in the training rows and in the new rows."""

    label: str
    then: float
    now: float


@dataclass(frozen=True)
class Promise:
    """The scores that a model file has of its training.

    Attributes
    ----------
    evaluation, source : str
        How they were computed, and of which table.
    scores : list of PromisedScore
        Each next to that of the new rows.
    are_same_rows : bool
        Whether the new rows are those of ``fit --test``, whose scores were promised.
    frequency : ClassFrequency or None
        The class whose frequency changed most, if that is beyond chance.
    """

    evaluation: str
    source: str
    scores: list[PromisedScore]
    are_same_rows: bool = False
    frequency: ClassFrequency | None = None


def describe_promise(
    context: ReportContext, card: Scorecard, found: Mapping[str, Score], predictions: HeldOutPredictions
) -> Promise | None:
    """Return the promise next to the scores of held-out rows; None without one, or for rows of the training."""
    record = context.trained
    if record is None or not record.scores or predictions.method != "held-out":
        return None
    promised = {**record.scores, **({} if record.profit is None else {"profit": record.profit})}
    scores = []
    for metric in TITLES:
        if metric in promised and metric in found:
            (mean, error), now = promised[metric], found[metric]
            change = MetricDrift(metric, mean, error, now.mean, now.standard_error).change
            scores.append(PromisedScore(metric, Score(rounded(mean), rounded(error)), now, change))
    same = record.tested == context.fingerprint != ""
    return Promise(record.evaluation, record.source, scores, same, _frequency(card, predictions))


def _frequency(card: Scorecard, predictions: HeldOutPredictions) -> ClassFrequency | None:
    """Return the class whose frequency differs most from that of the training rows, if chance does not explain it."""
    then = np.asarray(card.class_mass) / card.mass
    n_rows = len(predictions.target)
    now = np.bincount(predictions.target, minlength=len(then)) / n_rows
    distance = np.round(np.abs(now - then) / np.sqrt(np.maximum(then * (1 - then), 1e-12) / n_rows), 6)
    c = len(then) - 1 - int(np.argmax(distance[::-1]))  # of two classes, whose distances are equal, the second
    if distance[c] <= _BEYOND_CHANCE:
        return None
    return ClassFrequency(format_label(predictions.classes[c]), rounded(then[c]), rounded(now[c]))


def promise_sentences(promise: Promise) -> Iterator[str]:
    """Yield whether the promise was kept, which scores changed beyond chance, and what explains it by itself."""
    if promise.are_same_rows:
        yield "These are the rows of fit --test, whose scores the training promised, so that they cannot differ."
        return
    named = [list(_changed(promise, change)) for change in ("worse", "better")]
    same = [TITLES[each.metric] for each in promise.scores if each.change == "same"]
    are = "is" if len(same) == 1 else "are"
    within = f"{join_words(same)} {are} within chance"  # by name: the goal's own share may not be among them
    within = within[0].upper() + within[1:]
    if same and not any(named):
        yield f"{within} of what the training promised ({promise.evaluation})."
    for how, scores in zip(("Worse", "Better"), named, strict=True):
        if scores:
            yield f"{how} than the training promised, beyond chance: {join_words(scores)} ({promise.evaluation})."
    if same and any(named):
        yield f"{within}."
    if (class_ := promise.frequency) is not None:
        of_itself = "; that alone changes log loss, Brier score and accuracy" if any(named) else ""
        yield f"The frequency of class {class_.label} was {class_.then:.1%} and is {class_.now:.1%}{of_itself}."


def _changed(promise: Promise, change: str) -> Iterator[str]:
    for each in promise.scores:
        if each.change == change:
            now, then = (f"{score.mean:.3f} ± {score.standard_error:.3f}" for score in (each.found, each.promised))
            yield f"{TITLES[each.metric]} {now} instead of {then}"


def draw_promise(promise: Promise | None) -> Markup | None:
    """Return the table of both; of the same rows, there is nothing to compare."""
    if promise is None or promise.are_same_rows:
        return None
    headings = [
        ("score", "Of the model"),
        ("promised", f"By the training, {promise.evaluation}, ± standard error"),
        ("these rows", "± standard error over rows"),
        ("change", _LEAD),
    ]
    rows: list[list[Cell]] = [
        [
            (TITLES[each.metric], "words"),
            with_error(each.metric, each.promised),
            with_error(each.metric, each.found),
            (CHANGES[each.change], "words"),
        ]
        for each in promise.scores
    ]
    return tag(
        "div",
        tag("h2", "Promised and found"),
        tag("p", f"{_LEAD} Promised: {promise.evaluation}, on {promise.source or 'the training rows'}.", class_="lead"),
        tag("div", table(headings, rows, "promised and found"), class_="card"),
        id="promise",
    )
