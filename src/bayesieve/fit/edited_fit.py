# SPDX-License-Identifier: BSD-3-Clause
"""Refits of a scorecard that an expert has edited, on one division of the rows into folds, and what edits cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesieve._typing import Floats, Ints
from bayesieve.additive.given import GivenColumn
from bayesieve.additive.given_fit import GivenFit, train_given
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.bins import Partition
from bayesieve.bins.given import CutBins, place_bins
from bayesieve.exceptions import EditError
from bayesieve.fit.column_settings import ColumnRule
from bayesieve.fit.edit_layout import Layout, class_points
from bayesieve.fit.options import ColumnOptions, ScorecardOptions, TrainingOptions
from bayesieve.fit.rows import MemoryRows
from bayesieve.fit.scorecard import ScorecardTask, outcome_of, prepare_scorecard, problem_of
from bayesieve.fit.selection import Selection, Trained
from bayesieve.fit.solve import selection_of
from bayesieve.models import Evidence
from bayesieve.search import SearchRun

__all__ = ["EditedFits", "Refit", "mean_difference"]

Rules = Callable[[Mapping[str, Mapping[str, Any]]], Mapping[int, ColumnRule]]


@dataclass(frozen=True, eq=False)
class Refit:
    """A refit of a layout: its candidates, and the out-of-fold log loss of each coded row."""

    layout: Layout
    selection: Selection
    losses: Floats


class EditedFits:
    """Refits of the same rows, in the same folds.

    ``rules`` returns what training keeps to in columns, given what edits require of them.
    """

    def __init__(
        self,
        rows: MemoryRows,
        options: TrainingOptions,
        groups: ArrayLike | None,
        rules: Rules,
    ) -> None:
        self._rows, self._options, self._groups, self._rules = rows, options, groups, rules
        self._fold: Ints | None = None
        self.weights: Floats = np.empty(0)

    def refit(self, layout: Layout) -> Refit:
        """Fit the terms of a layout."""
        if not layout.bins:
            raise EditError("The edits leave no column in the model; one at least must stay.")
        task = self._task(layout)
        problem = replace(problem_of(task), fold=task.fold if self._fold is None else self._fold)
        given = _given_columns(task, problem, layout, self._rows)
        run = SearchRun(None, [], None)
        fit = train_given(problem, given, run)
        if not run.complete:
            raise KeyboardInterrupt
        if self._fold is None:
            self._fold = np.full(task.sample.codes.n_rows, -1, dtype=np.int64)
            self._fold[fit.positions] = fit.fold
            self.weights = np.asarray(task.sample.weights * task.unit, dtype=np.float64)
        trained = fit.trained
        outcome = outcome_of(task, trained)
        selection = selection_of(task, Trained(outcome, trained.fitted, trained.fitted.shown(trained.visit.columns)))
        assert selection.fitted is not None
        card = selection.fitted.scorecard(selection.best)
        return Refit(layout.filled(card), selection, _losses(task, fit))

    def _task(self, layout: Layout) -> ScorecardTask:
        """Return the rows of the layout's columns alone, in finest bins that are cut where its bins end."""
        names, base = self._rows.names, self._options
        method_options = base.method_options
        assert isinstance(method_options, ScorecardOptions)
        places = {name: names.index(name) for name in layout.bins}
        given = {name: each for name, each in layout.bins.items() if each is not None}
        pairs = tuple(sorted(tuple(sorted(places[name] for name in pair)) for pair in layout.pairs))
        kept = frozenset(places.values())
        columns = ColumnOptions(kept, frozenset(range(len(names))) - kept, orders=base.columns.orders)
        additive = replace(method_options.additive, most_accurate=True, n_pairs=len(pairs))
        method_options = replace(
            method_options,
            rule=CutBins(method_options.rule, given),
            additive=additive,
            pairs=pairs,  # type: ignore[arg-type]
            rules=self._rules(layout.settings),
        )
        if self._rows.n_classes > 2:
            _refuse_directed(layout, places, method_options.rules)
        options = replace(base, method_options=method_options, columns=columns, n_features="auto", checkpoint=None)
        return prepare_scorecard(self._rows, options, method_options, self._groups)


def _refuse_directed(layout: Layout, places: Mapping[str, int], rules: Mapping[int, ColumnRule]) -> None:
    for name, held in layout.held.items():
        if held and name in places and (rule := rules.get(places[name])) is not None and rule.direction:
            raise EditError(
                f"Column {name!r} is monotone, and with more than two classes points of such a column cannot be set "
                "in a refit yet; set them with refit=False."
            )


def _given_columns(
    task: ScorecardTask, problem: AdditiveProblem, layout: Layout, rows: MemoryRows
) -> list[GivenColumn | None]:
    """Return the bins of each column, and the points that are set."""
    given: list[GivenColumn | None] = []
    for name, column in zip(task.space.names, problem.columns, strict=True):
        partition = layout.bins[name]
        if partition is None:
            given.append(None)
            continue
        (values,) = rows.table.columns_at([rows.names.index(name)])
        bins = place_bins(values, column.partition, partition)
        given.append(GivenColumn(partition, bins, _points_of(task, layout, name, partition)))
    return given


def _points_of(task: ScorecardTask, layout: Layout, name: str, partition: Partition) -> Floats:
    """Return the points that are set, per bin and score, in the order in which classes are trained."""
    n_scores = 1 if task.n_classes == 2 else task.n_classes
    points = np.full((partition.n_bins, n_scores), np.nan)
    labels = task.rows.classes.tolist()  # in the order of training
    for place, own in layout.held.get(name, {}).items():
        scores = class_points(own, labels, task.options.positive)
        points[place] = scores[1:] if n_scores == 1 else scores
    return points


def _losses(task: ScorecardTask, fit: GivenFit) -> Floats:
    """Return the out-of-fold log loss of each coded row; 0 of rows without weight."""
    losses = np.zeros(task.sample.codes.n_rows)
    held_out = fit.trained.held_out(fit.trained.visit.columns)
    scores = np.concatenate([each.class_scores for each in held_out], axis=1)
    target = np.concatenate([each.target for each in held_out])
    logs = Evidence(scores, of_model=True).log_probabilities
    losses[fit.positions] = -logs[target, np.arange(len(target))]
    return losses


def mean_difference(before: Floats, after: Floats, weights: Floats) -> tuple[float, float, float, float]:
    """Return the mean loss before and after, their difference, and its standard error by paired rows."""
    total = float(weights.sum())
    means = [float((weights * each).sum()) / total for each in (before, after)]
    change = after - before
    mean = float((weights * change).sum()) / total
    variance = float((weights * (change - mean) ** 2).sum()) / total
    return means[0], means[1], mean, float(np.sqrt(variance / total))
