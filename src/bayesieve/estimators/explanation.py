"""Why each column was selected, or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import Engine
from bayesieve.estimators.learning import Fate
from bayesieve.estimators.redundancy import closest_partners
from bayesieve.estimators.task import Task
from bayesieve.search import Ground, SelectionPath, Step

__all__ = ["explain_selection"]

Entry = dict[str, Any]

_REASONS = {
    Fate.coded: "",
    Fate.dropped: "in drop",
    Fate.constant: "constant",
    Fate.uninformative: "uninformative: one part is best",
}


def explain_selection(engine: Engine, task: Task, path: SelectionPath) -> dict[str, Entry]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Two batches of scores: from the empty subset, and from the selected one. Of a search that was stopped, only steps
    and reasons are told.
    """
    where, selected = task.ground, set(path.order)
    inside = np.array([where.names[unit.columns[0]] in selected for unit in where.units])
    alone = gains = np.full(len(where.units), np.nan)
    partners: dict[int, tuple[int, float]] = {}
    if path.complete and len(inside):  # whoever stopped the search does not want to wait for reasons
        empty, alone, gains = _gains(engine, where, inside)
        useful = [j for u in np.flatnonzero(inside | (alone > empty)) for j in where.units[u].columns]
        position = {name: j for j, name in enumerate(where.names)}
        partners = closest_partners(task.final.segment, useful, [position[name] for name in path.order])
    steps = {"add": _entries(path), "drop": _last_steps(path.steps, "drop")}
    # Of 100,000 columns most may say nothing; they share an entry.
    idle = {fate.value: _entry(False, reason=reason) for fate, reason in _REASONS.items()}
    why = {name: idle[fate] for name, fate in zip(task.names, task.fates.tolist(), strict=True)}
    for u, unit in enumerate(where.units):
        for j in unit.columns:
            name = where.names[j]
            partner, share = partners.get(j, (None, None))
            why[name] = _entry(
                bool(inside[u]),
                score_alone=_known(alone[u]),
                gain=_known(gains[u]),
                redundant_with=None if partner is None else where.names[partner],
                redundancy=share,
                step=steps["add" if inside[u] else "drop"].get(name),
            )
            why[name]["reason"] = _reason(why[name], u in where.locked)
    return why


def _gains(
    engine: Engine, where: Ground, inside: NDArray[np.bool_]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the score of no column, of each unit alone, and what each adds to the other selected ones."""
    everything = np.arange(len(where.units))
    empty = engine.reset({})
    alone = engine.score(where.moves("add", everything), exact=True)
    gains = np.zeros(len(where.units))
    base = engine.reset({j: 1.0 for u in np.flatnonzero(inside) for j in where.units[u].columns})
    for action, units, sign in (("add", everything[~inside], 1.0), ("drop", everything[inside], -1.0)):
        if len(units):
            gains[units] = sign * (engine.score(where.moves(action, units), exact=True) - base)
    return empty, alone, gains


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


def _reason(entry: Entry, locked: bool) -> str:
    if locked:
        return "in keep"
    if entry["selected"]:
        return "selected" if entry["step"] is not None else "never dropped"
    if entry["step"] is not None:
        return f"dropped at step {entry['step']}"
    if entry["gain"] is None or entry["gain"] > 0:
        return "the search stopped before it"
    return "adds nothing to the selected columns"
