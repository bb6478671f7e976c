"""Why a filter selected each column, or not."""

from typing import Any

import numpy as np

from bayesieve.estimators.options.search_options import read_column_options
from bayesieve.explanations.redundancy import closest_partners
from bayesieve.training.filtering import Filtering, FilterOutcome

__all__ = ["explain_filter"]


def explain_filter(given: Filtering, outcome: FilterOutcome) -> dict[str, dict[str, Any]]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    Partners are sought among the selected columns, and have codes; see `closest_partners`.
    """
    names, wishes = given.names, read_column_options(given.estimator, given.names, given.X)
    place = {j: k for k, j in enumerate(outcome.coded.columns.tolist())}
    chosen = [place[j] for j in outcome.chosen if j in place]
    partners = closest_partners(outcome.coded.rows, range(len(place)), chosen)
    position = outcome.coded.columns.tolist()
    steps = {} if outcome.path is None else {step.column: i for i, step in enumerate(outcome.path.steps, 1)}
    why = {}
    for j, name in enumerate(names):
        partner, share = partners.get(place.get(j, -1), (None, None))
        selected = j in outcome.chosen
        why[name] = {
            "selected": selected,
            "score_alone": _known(outcome.alone[j]),
            "gain": None if outcome.path is None else _known(outcome.scores[j]),
            "redundant_with": None if partner is None else names[position[partner]],
            "redundancy": share,
            "step": steps.get(name),
            "reason": _reason(j, selected, wishes.keep, wishes.drop, j in place),
        }
    return why


def _known(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def _reason(j: int, selected: bool, keep: frozenset[int], drop: frozenset[int], coded: bool) -> str:
    if j in keep:
        return "in keep"
    if j in drop:
        return "in drop"
    if selected:
        return "selected"
    return "others are better" if coded else "uninformative: one part is best"
