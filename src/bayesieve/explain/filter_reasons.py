# SPDX-License-Identifier: BSD-3-Clause
"""Why a filter selected each column, or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesieve.explain.reasons import Reasons
from bayesieve.explain.selection_reasons import closest_partners
from bayesieve.fit.options import ColumnOptions
from bayesieve.fit.solve_filter import FilterOutcome

__all__ = ["explain_filter"]


def explain_filter(
    names: Sequence[str], columns: ColumnOptions, outcome: FilterOutcome, backend: str | None
) -> Reasons:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Partners are selected columns with codes; see `closest_partners`.
    """
    coded, chosen = outcome.code(), set(outcome.selected)
    position = coded.columns.tolist()
    place = {j: k for k, j in enumerate(position)}
    selected_places = [place[j] for j in outcome.selected if j in place]
    partners = closest_partners(coded.rows, range(len(place)), selected_places)
    steps = {} if outcome.path is None else {step.column: i for i, step in enumerate(outcome.path.steps, 1)}
    why: dict[str, dict[str, Any]] = {}
    for j, name in enumerate(names):
        partner, share = partners.get(place.get(j, -1), (None, None))
        selected = j in chosen
        why[name] = {
            "selected": selected,
            "score_alone": _known(outcome.alone[j]),
            "gain": None if outcome.path is None else _known(outcome.scores[j]),
            "redundant_with": None if partner is None else names[position[partner]],
            "redundancy": share,
            "step": steps.get(name),
            "reason": _reason(j, selected, columns.keep, columns.drop, j in place),
        }
    return Reasons(why, backend)


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
