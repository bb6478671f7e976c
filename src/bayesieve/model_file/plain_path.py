# SPDX-License-Identifier: BSD-3-Clause
"""The record of a search, read back from plain data."""

from typing import Any

from bayesieve.data.document import Entry
from bayesieve.search import Phase, SelectionPath
from bayesieve.search.path import Step

__all__ = ["path_from_plain"]


def path_from_plain(entry: Entry, backend: str | None) -> SelectionPath:
    """Return the path from the plain form of `SelectionPath.to_dict`; ``backend`` is the library of its frames."""
    fields = entry.fields("criterion", "is_loss", "complete", "order", "phases", "steps")
    steps = tuple(_read_step(item) for item in fields["steps"].items())
    return SelectionPath(
        fields["criterion"].text(),
        fields["is_loss"].flag(),
        steps,
        _read_phases(fields["phases"], len(steps)),
        order=_texts(fields["order"]),
        complete=fields["complete"].flag(),
        backend=backend,
    )


def _read_step(entry: Entry) -> Step:
    fields = entry.fields(
        "action", "column", "score", "n_features", "runner_up", "runner_up_score", "columns", "split_scores"
    )
    return Step(
        fields["action"].choice("add", "drop"),
        fields["column"].text(),
        fields["score"].number(),
        fields["n_features"].whole(0),
        fields["runner_up"].optional(Entry.text),
        fields["runner_up_score"].optional(Entry.number),
        **_read_subset(fields),
    )


def _read_phases(entry: Entry, n_steps: int) -> tuple[Phase, ...]:
    phases = tuple(_read_phase(item) for item in entry.items())
    firsts = [phase.first_step for phase in phases]
    if not phases or firsts[0] != 0 or firsts != sorted(firsts) or firsts[-1] > n_steps:
        entry.refuse(f"phases that begin at increasing steps, the first at 0 and none after step {n_steps}")
    return phases


def _read_phase(entry: Entry) -> Phase:
    fields = entry.fields("name", "first_step", "columns", "score", "split_scores")
    return Phase(
        fields["name"].text(), fields["first_step"].whole(0), score=fields["score"].number(), **_read_subset(fields)
    )


def _read_subset(fields: dict[str, Entry]) -> dict[str, Any]:
    return {"columns": _texts(fields["columns"]), "split_scores": tuple(fields["split_scores"].numbers().tolist())}


def _texts(entry: Entry) -> tuple[str, ...]:
    return tuple(item.text() for item in entry.items())
