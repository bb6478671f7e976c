# SPDX-License-Identifier: BSD-3-Clause
"""Why a filter selected each column, or not."""

from typing import Any

import numpy as np

from bayesieve.explanations.selection_reasons import closest_partners
from bayesieve.training.solve_filter import FilterOutcome, FilterTask

__all__ = ["explain_filter"]


def explain_filter(task: FilterTask, outcome: FilterOutcome) -> dict[str, dict[str, Any]]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Partners are selected columns with codes; see `closest_partners`.
    """
    names, columns = task.names, task.options.columns
    place = {j: k for k, j in enumerate(outcome.coded.columns.tolist())}
    selected_places = [place[j] for j in outcome.selected if j in place]
    partners = closest_partners(outcome.coded.rows, range(len(place)), selected_places)
    position = outcome.coded.columns.tolist()
    steps = {} if outcome.path is None else {step.column: i for i, step in enumerate(outcome.path.steps, 1)}
    why = {}
    for j, name in enumerate(names):
        partner, share = partners.get(place.get(j, -1), (None, None))
        selected = j in outcome.selected
        why[name] = {
            "selected": selected,
            "score_alone": _known(outcome.alone[j]),
            "gain": None if outcome.path is None else _known(outcome.scores[j]),
            "redundant_with": None if partner is None else names[position[partner]],
            "redundancy": share,
            "step": steps.get(name),
            "reason": _reason(j, selected, columns.keep, columns.drop, j in place),
        }
    return why


def _known(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def _reason(j: int, selected: bool, keep: frozenset[int], drop: frozenset[int], coded: bool) -> str:
    if j in keep:
        return "in keep"
    if j in drop:
        return "left out by drop"
    if selected:
        return "selected"
    return "others are better" if coded else "uninformative: a single bin is optimal"
