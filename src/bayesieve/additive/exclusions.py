# SPDX-License-Identifier: BSD-3-Clause
"""Why columns are not in a scorecard of joint shapes."""

from collections.abc import Collection

from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.shape_data import ShapeData
from bayesieve.search.gains import Exclusion, Gains

__all__ = ["find_exclusions"]


def find_exclusions(
    problem: AdditiveProblem, data: ShapeData, gains: Gains | None, fitted: Collection[str], selected: Collection[str]
) -> dict[str, Exclusion]:
    """Return the reason for each coded column that was not selected.

    Parameters
    ----------
    problem, data : AdditiveProblem, ShapeData
        The columns, and which of them take part.
    gains : Gains or None
        What columns gain; None if the search was stopped, and then columns that take part have no reason here.
    fitted : collection of str
        Columns of the final fit.
    selected : collection of str
        Those of them that are selected.
    """
    names, taking_part = problem.names, set(data.columns)
    group_of = {j: g for g, group in enumerate(problem.space.groups) for j in group.columns}
    exclusions = {}
    for j, name in enumerate(names):
        if name in selected:
            continue
        if j in data.copies:
            owner = names[data.copies[j]]
            exclusions[name] = Exclusion(f"the same values, up to order, as {owner!r}", owner)
        elif problem.rows.codes.n_bins[j] < 2:
            exclusions[name] = Exclusion("constant")
        elif j not in taking_part:
            n = len(taking_part)
            exclusions[name] = Exclusion(f"not among the {n:,} columns with the largest log Bayes factors alone")
        elif gains is not None:
            beside = float(gains.given_others[group_of[j]])
            exclusions[name] = Exclusion(_reason(problem, len(selected), beside, is_fitted=name in fitted))
    return exclusions


def _reason(problem: AdditiveProblem, size: int, beside: float, *, is_fitted: bool) -> str:
    """Return why a column that took part is not selected; ``beside`` is its gain given the others."""
    if is_fitted:
        return "no visible effect: all its points are 0"
    if not beside > 0.0:
        return "no evidence of an effect, given the selected columns"
    if size >= problem.stopping.largest:
        return "beyond the number of columns in n_features"
    columns = "column that is" if size == 1 else "columns that are"
    return f"beyond the {size} {columns} enough"
