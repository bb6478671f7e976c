"""Why each column was selected, or not."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayesieve.engine import Change, Engine
from bayesieve.explanations.redundancy import closest_partners
from bayesieve.search import SelectionPath, Step
from bayesieve.training.learning import ColumnStatus
from bayesieve.training.outcome import Gains
from bayesieve.training.task import Task

__all__ = ["explain_selection", "scored_gains"]

Entry = dict[str, Any]

_REASONS = {
    ColumnStatus.coded: "",
    ColumnStatus.dropped: "in drop",
    ColumnStatus.constant: "constant",
    ColumnStatus.uninformative: "uninformative: one part is best",
}


def explain_selection(task: Task, path: SelectionPath, gains: Gains | None) -> dict[str, Entry]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Of a search that was stopped, only steps and reasons are told.
    """
    where, selected = task.space, set(path.order)
    inside = np.array([where.names[unit.columns[0]] in selected for unit in where.groups], dtype=bool)
    unknown = np.full(len(where.groups), np.nan)
    alone, given_others = (unknown, unknown) if gains is None else (gains.alone, gains.given_others)
    partners: dict[int, tuple[int, float]] = {}
    if gains is not None:
        useful = [j for u in np.flatnonzero(inside | (alone > gains.empty)) for j in where.groups[u].columns]
        position = {name: j for j, name in enumerate(where.names)}
        assert task.final.segment is not None
        partners = closest_partners(task.final.segment, useful, [position[name] for name in path.order])
    steps = {"add": _entries(path), "drop": _last_steps(path.steps, "drop")}
    # Of 100,000 columns most may say nothing; they share an entry.
    idle = {status.value: _entry(False, reason=reason) for status, reason in _REASONS.items()}
    why = {name: idle[status] for name, status in zip(task.names, task.statuses.tolist(), strict=True)}
    for u, unit in enumerate(where.groups):
        for j in unit.columns:
            name = where.names[j]
            partner, share = partners.get(j, (None, None))
            why[name] = _entry(
                bool(inside[u]),
                score_alone=_known(alone[u]),
                gain=_known(given_others[u]),
                redundant_with=None if partner is None else where.names[partner],
                redundancy=share,
                step=steps["add" if inside[u] else "drop"].get(name),
            )
            why[name]["reason"] = _reason(why[name], u in where.locked, by_weights=task.plan.search is None)
    return why


def scored_gains(
    engine: Engine, task: Task, path: SelectionPath, weights: Mapping[int, float] | None = None
) -> Gains | None:
    """Score each unit alone, and each change of the selected subset; None if the search was stopped.

    Selected columns have their weights (1 by default); others would enter at 1.
    """
    where, selected = task.space, set(path.order)
    if not path.complete or not where.groups:  # whoever stopped the search does not want to wait for reasons
        return None
    inside = np.array([where.names[unit.columns[0]] in selected for unit in where.groups])
    everything = np.arange(len(where.groups))
    empty = engine.reset({})
    alone = engine.score(where.moves("add", everything), exact=True)
    gains = np.zeros(len(where.groups))
    chosen = [j for u in np.flatnonzero(inside) for j in where.groups[u].columns]
    present = {j: 1.0 for j in chosen} if weights is None else {j: weights[j] for j in chosen}
    base = engine.reset(present)
    outside, within = everything[~inside], everything[inside]
    if len(outside):
        gains[outside] = engine.score(where.moves("add", outside), exact=True) - base
    if len(within):
        drops = [tuple(Change(j, present[j], 0.0) for j in where.groups[u].columns) for u in within]
        gains[within] = base - engine.score(drops, exact=True)
    return Gains(empty, alone, gains)


def _known(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def _entries(path: SelectionPath) -> dict[str, int]:
    """Return the step at which each column entered, for the last time before the selected subset was reached."""
    reached = next((visit.step for visit in path.visits() if visit.columns == path.order), None)
    return _last_steps(path.steps[: 0 if reached is None else reached + 1], "add")


def _last_steps(steps: Sequence[Step], action: str) -> dict[str, int]:
    return {column: i for i, step in enumerate(steps, 1) if step.action == action for column in step.columns}


def _entry(selected: bool, **known: Any) -> Entry:
    keys = ("score_alone", "gain", "redundant_with", "redundancy", "step", "reason")
    return {"selected": selected, **{key: known.get(key) for key in keys}}


def _reason(entry: Entry, locked: bool, *, by_weights: bool) -> str:
    if locked:
        return "in keep"
    if entry["selected"]:
        return "selected" if by_weights or entry["step"] is not None else "never dropped"
    if entry["step"] is not None:
        return f"dropped at step {entry['step']}"
    if by_weights and entry["gain"] is not None:
        return "what it adds does not pay for its weight"
    stopped = entry["gain"] is None or entry["gain"] > 0
    return "the search stopped before it" if stopped else "adds nothing to the selected columns"
