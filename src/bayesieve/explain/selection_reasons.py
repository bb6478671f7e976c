# SPDX-License-Identifier: BSD-3-Clause
"""Why each column was selected, or not: the reasons, and warnings where nothing or something else was selected."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import CodedRows, Codes
from bayesieve.data import build_frame, find_equal_floats
from bayesieve.data.files.output import html_table
from bayesieve.exceptions import ClippedSelectionWarning, IdleColumnWarning, NothingSelectedWarning, warn_caller
from bayesieve.fit.learning import ColumnStatus
from bayesieve.fit.memory_learning import sampled_rows
from bayesieve.fit.options import ColumnOptions, SearchOptions
from bayesieve.fit.selection import Selection
from bayesieve.fit.task import Task
from bayesieve.models import Boosting, PairTable, Scorecard
from bayesieve.search import SearchSpace, SelectionPath, Step
from bayesieve.search.path import Gains, Guide

if TYPE_CHECKING:  # filters are loaded where they are used
    from bayesieve.filters import CodedColumns
    from bayesieve.fit.filter import FilterOutcome

__all__ = [
    "Reason",
    "Reasons",
    "closest_partners",
    "explain_filter",
    "explain_pairs",
    "explain_selection",
    "explain_wrapper",
    "name_equal_floats",
    "warn_of_kept",
    "warn_of_size",
    "warn_of_time",
]

Reason = dict[str, Any]
"""Scores, step and reason of a column, by name."""

DROPPED = "left out by drop"
"""The reason of a column that must not be used."""
_EQUAL_FLOATS = "its integers, beyond 2^53, are the same 64-bit float; use differences or text"
_REASONS = {
    ColumnStatus.coded: "",
    ColumnStatus.dropped: DROPPED,
    ColumnStatus.constant: "constant",
    ColumnStatus.uninformative: "uninformative: a single bin is optimal",
}
_FEW_ROWS = 100  # of a class
_MOST_CELLS, _BLOCK, _MOST_CODES = 40_000_000, 4096, 16  # of the tables by which columns are compared
_DIGITS = 9  # beyond, the order of summation and the machine's logarithm show


class Reasons(dict[str, dict[str, Any]]):
    """For each column, whether it was selected, its scores, and the reason.

    Parameters
    ----------
    entries : mapping of str to dict, default=None
        The reasons by name.
    backend : str or None, default=None
        The data-frame library of the training table.
    pairs : collection of str, default=()
        The names that are those of pairs of columns.
    guide : Guide, default=None
        The score of a column alone: a table has its natural value, such as a log loss, under its name.
    """

    def __init__(
        self,
        entries: Mapping[str, dict[str, Any]] | None = None,
        backend: str | None = None,
        pairs: Collection[str] = (),
        guide: Guide | None = None,
    ) -> None:
        super().__init__(entries or {})
        self.backend = backend
        self.pairs = frozenset(pairs)
        self.guide = guide

    def to_frame(self) -> Any:
        """Return one row per column, the selected ones first, then by gain; in the library of the training table."""
        return build_frame(self._columns(), self.backend)

    def _columns(self) -> dict[str, list[Any]]:
        keys = list(next(iter(self.values()), {}))
        order = sorted(self, key=lambda name: (not self[name]["selected"], -(self[name]["gain"] or 0.0)))
        columns = {key: [self[name].get(key) for name in order] for key in keys}
        if self.guide is not None and "score_alone" in columns:
            guide, alone = self.guide, columns["score_alone"]
            natural = [None if score is None else guide.natural(score) for score in alone]
            renamed = {key: f"{guide.name}_alone" if key == "score_alone" else key for key in columns}
            columns = {renamed[key]: natural if key == "score_alone" else values for key, values in columns.items()}
        return {"column": list(order), **columns}

    def __repr__(self) -> str:
        selected = [name for name, entry in self.items() if entry["selected"]]
        n_pairs = sum(name in self.pairs for name in selected)
        pairs = f" and {n_pairs} pair{'' if n_pairs == 1 else 's'}" if n_pairs else ""
        return (
            f"Reasons({len(selected) - n_pairs} of {len(self) - len(self.pairs)} columns{pairs} selected; "
            f"to_frame() has one row per column{' and pair' if n_pairs else ''})"
        )

    def _repr_html_(self) -> str:
        return html_table(repr(self), self._columns())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.backend, self.pairs, self.guide)


def explain_selection(task: Task, selection: Selection) -> dict[str, Reason]:
    """Return for each column its score alone, its gain given the others, its closest partner, its step and the reason.

    A search that was stopped has only steps and reasons.
    """
    path, gains, space = selection.path, selection.gains, task.space
    partners: dict[int, tuple[int, float]] = {}
    if gains is not None:
        useful = [
            j
            for g in np.flatnonzero(_inside(space, path) | (gains.alone > gains.empty))
            for j in space.groups[g].columns
        ]
        position = {name: j for j, name in enumerate(space.names)}
        partners = closest_partners(task.sample, useful, [position[name] for name in path.order])
    # Of 100,000 columns most may be uninformative; they share an entry.
    idle = {status.value: _entry(False, reason=reason) for status, reason in _REASONS.items()}
    why = {name: idle[status] for name, status in zip(task.names, task.columns.statuses.tolist(), strict=True)}
    why |= _explain_groups(space, path, gains, partners, by_weights=task.search is None)
    kept = {task.names[j] for j in task.options.columns.keep}
    for members in ({space.names[j] for j in space.groups[g].columns} for g in space.locked):
        if kept.isdisjoint(members):
            why |= {name: why[name] | {"reason": "in a pair of n_pairs"} for name in members}
    for name, exclusion in selection.exclusions.items():
        why[name] = why[name] | {"reason": exclusion.reason}
        if exclusion.copy_of is not None:
            why[name] |= {"redundant_with": exclusion.copy_of, "redundancy": 1.0}
    return why


def explain_wrapper(names: Sequence[str], space: SearchSpace, path: SelectionPath, gains: Gains) -> dict[str, Reason]:
    """Return the same for a search whose models are refitted: only what it had to score is known, and no partners."""
    dropped = _entry(False, reason=DROPPED)
    return dict.fromkeys(names, dropped) | _explain_groups(space, path, gains, {}, by_weights=False)


def explain_filter(
    names: Sequence[str], columns: ColumnOptions, outcome: "FilterOutcome", backend: str | None
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
        why[name] = _entry(
            selected,
            score_alone=_known(float(outcome.alone[j])),
            gain=None if outcome.path is None else _known(float(outcome.scores[j])),
            redundant_with=None if partner is None else names[position[partner]],
            redundancy=share,
            step=steps.get(name),
            reason=_filter_reason(j, selected, columns.keep, columns.drop, j in place),
        )
    return Reasons(why, backend)


def explain_pairs(pairs: Sequence[PairTable], loss: str = "log loss") -> dict[str, Reason]:
    """Return the same for pairs of columns, "A × B": their gain is that of the out-of-fold loss, per row."""
    return {pair.label: _entry(True, gain=pair.gain, reason=_pair_reason(pair, loss)) for pair in pairs}


def name_equal_floats(X: Any, reasons: Mapping[str, Reason]) -> dict[str, Reason]:
    """Replace the reason of a constant column whose values, large integers, differ; ``X`` is the training table."""
    names = list(reasons)
    constant = [j for j, name in enumerate(names) if reasons[name]["reason"] == _REASONS[ColumnStatus.constant]]
    equal = [names[j] for j in (find_equal_floats(X, constant) if constant else ())]
    return {**reasons, **{name: reasons[name] | {"reason": _EQUAL_FLOATS} for name in equal}}


def _inside(space: SearchSpace, path: SelectionPath) -> NDArray[np.bool_]:
    """Return whether each group is selected."""
    selected = set(path.order)
    return np.array([space.names[group.columns[0]] in selected for group in space.groups], dtype=bool)


def _explain_groups(
    space: SearchSpace,
    path: SelectionPath,
    gains: Gains | None,
    partners: Mapping[int, tuple[int, float]],
    *,
    by_weights: bool,
) -> dict[str, Reason]:
    """Return the reasons of the columns that took part in a search."""
    unknown = np.full(len(space.groups), np.nan)
    alone, given_others = (unknown, unknown) if gains is None else (gains.alone, gains.given_others)
    added, dropped = _entries(path), _last_steps(path.steps, "drop")
    scores = zip(_inside(space, path).tolist(), alone.tolist(), given_others.tolist(), strict=True)
    why: dict[str, Reason] = {}
    for g, (group, (inside, score_alone, gain)) in enumerate(zip(space.groups, scores, strict=True)):
        for j in group.columns:
            name = space.names[j]
            partner, share = partners.get(j, (None, None))
            entry = why[name] = _entry(
                inside,
                score_alone=_known(score_alone),
                gain=_known(gain),
                redundant_with=None if partner is None else space.names[partner],
                redundancy=share,
                step=(added if inside else dropped).get(name),
            )
            entry["reason"] = _reason(entry, g in space.locked, by_weights=by_weights)
    return why


def _entries(path: SelectionPath) -> dict[str, int]:
    """Return the step at which each column entered, for the last time before the selected subset was reached."""
    reached = next((visit.step for visit in path.visits() if visit.columns == path.order), None)
    return _last_steps(path.steps[: 0 if reached is None else reached + 1], "add")


def _last_steps(steps: Sequence[Step], action: str) -> dict[str, int]:
    return {column: i for i, step in enumerate(steps, 1) if step.action == action for column in step.columns}


def _entry(selected: bool, **known: Any) -> Reason:
    keys = ("score_alone", "gain", "redundant_with", "redundancy", "step", "reason")
    return {"selected": selected, **{key: known.get(key) for key in keys}}


def _reason(entry: Reason, locked: bool, *, by_weights: bool) -> str:
    if locked:
        return "in keep"
    if entry["selected"]:
        return "selected" if by_weights or entry["step"] is not None else "never removed"
    if entry["step"] is not None:
        return f"removed at step {entry['step']} of the search"
    if by_weights and entry["gain"] is not None:
        return "gain does not exceed the penalty for adding the column"
    stopped = entry["gain"] is None or entry["gain"] > 0
    return "not reached before the search stopped" if stopped else "no gain given the selected columns"


def _filter_reason(j: int, selected: bool, keep: frozenset[int], drop: frozenset[int], coded: bool) -> str:
    if j in keep:
        return "in keep"
    if j in drop:
        return DROPPED
    if selected:
        return "selected"
    return "others are better" if coded else _REASONS[ColumnStatus.uninformative]


def _known(score: float) -> float | None:
    return None if isnan(score) else score


def _pair_reason(pair: PairTable, loss: str) -> str:
    if pair.gain is None:
        return "selected"
    factor = "" if pair.log_bayes_factor is None else f"its log Bayes factor is {pair.log_bayes_factor:.1f}, and "
    return f"selected: {factor}it improves the out-of-fold {loss} by {pair.gain:.4f} per row"


def closest_partners(
    segment: "CodedRows | CodedColumns", columns: Sequence[int], selected: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """Return, for each of some columns, the other selected column that it shares most with, and how much.

    Columns of more than 255 bins are left out: a thousand rows do not fill their pair tables. Of many selected columns
    the first to enter are compared: 64, or fewer in a wide table, 8 at least.
    """
    rows = sampled_rows(segment.codes.n_rows)
    selected = selected[: max(8, min(64, _MOST_CELLS // max(1, len(columns) * len(rows))))]
    narrow = segment.codes.are_narrow.tolist()
    columns, selected = [[j for j in some if narrow[j]] for some in (columns, selected)]
    rows = rows[segment.weights[rows] > 0]
    partners: dict[int, tuple[int, float]] = {}
    for begin in range(0, len(columns) if len(rows) and selected else 0, _BLOCK):
        block = columns[begin : begin + _BLOCK]
        codes = _coarse(segment.codes.pick([*block, *selected], rows))
        shares = _shares(codes, segment.weights[rows], len(block))
        shares[np.array(selected)[:, None] == np.array(block)] = 0.0  # not with itself
        best = shares.argmax(axis=0)  # of equals the first to enter
        partners |= {
            j: (selected[i], share)
            for j, i, share in zip(block, best.tolist(), shares.max(axis=0).tolist(), strict=True)
            if share > 0
        }
    return partners


def _shares(codes: Codes, weights: Ints, n_first: int) -> Floats:
    """Return the symmetric uncertainty of each later column with each of the first ones."""
    from bayesieve.filters import CodedColumns
    from bayesieve.filters.joint_counts import joint_sums
    from bayesieve.filters.univariate import shared_uncertainty

    target = np.zeros(codes.n_rows, dtype=np.int32)
    rows = CodedColumns(codes, target, weights, 1)
    logs, joint, first = rows.logs, joint_sums(rows), np.arange(n_first)
    own = logs.sums(codes.count(target, weights, 1)[:, 0], codes.offsets[:-1])
    both = np.array([joint.sums(s, first, with_class=False)[0] for s in range(n_first, codes.n_columns)])
    marginals = own[n_first:, None] + own[:n_first]
    information = np.maximum(logs.of_total - marginals + both, 0)
    return shared_uncertainty(information, 2 * logs.of_total - marginals).round(_DIGITS)


def _coarse(codes: Codes) -> Codes:
    """Join neighboring codes of columns that have many: a thousand rows do not fill larger tables.

    Codes that follow the last one that occurs are left out.
    """
    n_codes = codes.n_bins + 1
    many, narrow = n_codes > _MOST_CODES, codes.narrow
    if many.any():
        joined = narrow.astype(np.int64) * _MOST_CODES // n_codes[:, None]
        narrow = np.where(many[:, None], joined, narrow).astype(np.uint8)
    return Codes(narrow, codes.wide, codes.place, narrow.max(axis=1).astype(np.int64) + 1)


def warn_of_size(task: Task, selection: Selection) -> None:
    """Warn if the sizes asked for could not be reached, or no column is selected."""
    stopping, size, n_features = task.stopping, selection.best.n_features, task.options.n_features
    if not selection.path.complete:
        if not size and n_features != 0:
            warn_of_time(task.options.max_time)
        return
    if not stopping.smallest <= size <= stopping.largest:
        by_search = "cannot be reached by this search from its start and with its groups"
        reason = by_search if task.search is not None else "cannot be reached: the other columns have weight 0"
        warn_caller(f"n_features={n_features!r} {reason}; {size} columns are selected.", ClippedSelectionWarning)
    elif not size and n_features != 0 and (stopping.largest or not task.space.groups):
        warn_caller(_nothing_selected(task, selection), NothingSelectedWarning)


def warn_of_time(max_time: float | None) -> None:
    """Warn that the time limit ended a search before its first column; Ctrl-C without a limit has its own warning."""
    if max_time is not None:
        warn_caller(
            f"The time limit of {max_time:.3g} seconds ended the search before any column was selected; "
            "allow more time.",
            NothingSelectedWarning,
        )


def warn_of_kept(card: Scorecard, kept: Iterable[str]) -> None:
    """Warn of columns of ``keep``, or of given pairs, that are in the model and add the same to every row."""
    paired = {name for pair in card.pairs for name in pair.names}
    moving = {each.name for each in card.tables if _varies(each.table[:-1])}
    if idle := [name for name in kept if name not in moving | paired]:
        names = ", ".join(map(repr, idle[:5])) + (" and more" if len(idle) > 5 else "")
        warn_caller(
            f"{names} must be selected but cannot improve the predictions, so that values have weight 0 or no points.",
            IdleColumnWarning,
        )


def _varies(table: NDArray[Any]) -> bool:
    """Return whether bins differ in what they add to a class beyond what they add to the first one."""
    relative = table if table[0].size == 1 else table - table[:, :1]
    return bool((relative != relative[:1]).any())


def _few_rows(task: Task) -> str:
    """Return a sentence about the smallest class, if it has few rows."""
    if task.has_numbers:
        return ""
    sizes = task.rows.class_sizes
    n, label = int(sizes.min()), task.rows.classes.tolist()[int(sizes.argmin())]
    if n >= _FEW_ROWS:
        return ""
    return (
        f" Class {label!r} has {n} of {int(sizes.sum()):,} rows; with so few, only a strong effect differs clearly "
        "from chance."
    )


def _nothing_selected(task: Task, selection: Selection) -> str:
    alone = {
        name: entry["score_alone"] for name, entry in selection.reasons.items() if entry["score_alone"] is not None
    }
    nearest = sorted(alone, key=lambda name: -alone[name])[:3]
    method_options = task.options.method_options
    if isinstance(method_options, SearchOptions) and isinstance(method_options.model, Boosting):
        misses = ", ".join(f"{name!r} ({alone[name]:.3g})" for name in nearest)
        return (
            f"With method={method_options.model.method!r}, no column improves the score of "
            f"the validation rows, so none is selected{'; the closest are ' if misses else ''}{misses}."
        )
    if not alone:
        return f"No column is informative by itself, so none is selected.{_few_rows(task)}"
    criterion, start = task.guide, selection.best.visit.score
    shown = [f"{criterion.natural(score):.6g}" for score in (start, *(alone[name] for name in nearest))]
    if alone[nearest[0]] > start:
        return (
            f"No column is selected; {nearest[0]!r} improves {criterion.name} by itself, "
            f"from {shown[0]} to {shown[1]}, but: {selection.reasons[nearest[0]]['reason']}."
        )
    misses = ", ".join(f"{name!r} ({score})" for name, score in zip(nearest, shown[1:], strict=True))
    return (
        f"No column improves {criterion.name} over {'the mean' if task.has_numbers else 'the class frequencies'} alone "
        f"({shown[0]}), so none is selected; "
        f"the closest are {misses}."
    )
