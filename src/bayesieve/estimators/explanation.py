"""Why each column was selected, or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesieve.engine import Engine, add, drop
from bayesieve.search import Ground, Redundancy, SelectionPath

__all__ = ["explain_selection"]

Entry = dict[str, Any]


def explain_selection(engine: Engine, where: Ground, path: SelectionPath, redundancy: Redundancy) -> dict[str, Entry]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Two batches of scores: from the empty subset, and from the selected one.
    """
    selected = set(path.order)
    chosen = [u for u, unit in enumerate(where.units) if where.names[unit.columns[0]] in selected]
    alone, gains = _gains(engine, where, chosen)
    entered = _last_steps(path, "add")
    left = _last_steps(path, "drop")
    why: dict[str, Entry] = {}
    unit_of = {j: u for u, unit in enumerate(where.units) for j in unit.columns}
    for j, name in enumerate(where.names):
        u = unit_of.get(j)
        if u is None:
            why[name] = _entry(False, reason=where.barred[j])
            continue
        is_in = name in selected
        why[name] = _entry(
            is_in,
            score_alone=float(alone[u]),
            gain=float(gains[u]),
            redundant_with=redundancy.partner(name, selected),
            step=entered.get(name) if is_in else left.get(name),
        )
        why[name]["reason"] = _reason(why[name], u in where.locked)
    return why


def _gains(engine: Engine, where: Ground, chosen: Sequence[int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    units = where.units
    empty = engine.reset({})
    alone = engine.score([add(unit.columns) for unit in units]) if units else np.array([empty])
    base = engine.reset({j: 1.0 for u in chosen for j in units[u].columns})
    inside = set(chosen)
    after = engine.score([drop(unit.columns) if u in inside else add(unit.columns) for u, unit in enumerate(units)])
    sign = np.array([-1.0 if u in inside else 1.0 for u in range(len(units))])
    return alone, sign * (after - base)


def _last_steps(path: SelectionPath, action: str) -> dict[str, int]:
    return {column: i for i, step in enumerate(path.steps, 1) if step.action == action for column in step.columns}


def _entry(selected: bool, **known: Any) -> Entry:
    keys = ("score_alone", "gain", "redundant_with", "step", "reason")
    return {"selected": selected, **{key: known.get(key) for key in keys}}


def _reason(entry: Entry, locked: bool) -> str:
    if locked:
        return "in keep"
    if entry["selected"]:
        return "selected" if entry["step"] is not None else "never dropped"
    if entry["step"] is not None:
        return f"dropped at step {entry['step']}"
    if entry["gain"] > 0:
        return "the search stopped before it"
    return "adds nothing to the selected columns"
