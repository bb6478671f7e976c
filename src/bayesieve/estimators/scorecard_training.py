# SPDX-License-Identifier: BSD-3-Clause
"""What estimators do whose tables are fitted together: parameters of training, sizes, pairs and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar, Self

from bayesieve.additive.constants import FOLDS, Tuning
from bayesieve.additive.number_losses import NumberLoss
from bayesieve.additive.problem import AdditiveOptions
from bayesieve.additive.train import ALL_ROWS
from bayesieve.bins import FinestBins, Partition
from bayesieve.data import resolve_columns
from bayesieve.estimators._sklearn import Interval, StrOptions
from bayesieve.estimators._types import ColumnsLike, Constraints
from bayesieve.estimators.options import read_splitter
from bayesieve.estimators.search_estimator import SelectionEstimator
from bayesieve.exceptions import ParameterError, SampledModelWarning, warn_caller
from bayesieve.explain.selection_reasons import Reason, Reasons, explain_pairs
from bayesieve.fit.column_settings import MISSING, Column, ColumnRule, ColumnsSetting, read_column_settings
from bayesieve.fit.options import ScorecardOptions, Splitter, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.search import Guide

__all__ = ["ScorecardTraining"]

_MOST_CATEGORIES = 20_000


class ScorecardTraining(SelectionEstimator):
    """Common ground of the estimators whose tables are fitted together; a subclass knows the target."""

    _parameter_constraints: ClassVar[Constraints] = {
        "n_features": [
            StrOptions({"auto", "best"}),
            *(each for each in SelectionEstimator._parameter_constraints["n_features"][1:]),
        ],
        "n_pairs": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left"), list, tuple],
        "min_gain": [Interval(Real, 0, 1, closed="right")],
        "cv": [StrOptions({"auto"}), *SelectionEstimator._parameter_constraints["cv"][1:]],
        "columns": [None, Mapping, Column],
        "missing": [StrOptions({*MISSING})],
        "merge_cost": [Interval(Real, 0, None, closed="left")],
        "feature_groups": [None, Mapping],
        **{
            name: SelectionEstimator._parameter_constraints[name]
            for name in ("keep", "drop", "max_time", "checkpoint", "n_jobs", "backend", "random_state", "verbose")
        },
    }

    _pair_loss = "log loss"

    n_pairs: int | str | Sequence[tuple[ColumnsLike, ColumnsLike]]
    min_gain: float
    columns: ColumnsSetting
    missing: str
    merge_cost: float
    feature_groups: Mapping[str, ColumnsLike] | None

    def _most_folds(self, rows: TrainingRows) -> tuple[int, str]:
        """Return the largest number of folds, and what has so many rows."""
        raise NotImplementedError

    def _tuning(self, rows: TrainingRows) -> Tuning:
        """Return the tuned numbers of the loss."""
        raise NotImplementedError

    def _column_rules(self, rows: TrainingRows, settings: Mapping[int, Column]) -> dict[int, ColumnRule]:
        """Return what training keeps to in columns that have more than the usual."""
        raise NotImplementedError

    def _guide(self) -> Guide | None:
        """Return the score that the path records, if it is not the log loss."""
        return None

    def _number_losses(self, rows: TrainingRows) -> tuple[NumberLoss, ...]:
        """Return what may be minimized, of a target that is a number."""
        return ()

    @property
    def why_(self) -> Mapping[str, Reason]:
        """Why each column was selected, or not, and why each pair of columns was, under "A × B"."""
        pairs = explain_pairs(self.scorecard_.pairs, self._pair_loss)
        path = self.selection_.path
        guide = Guide(path.criterion, path.is_loss)
        return Reasons({**self.selection_.reasons, **pairs}, path.backend, pairs, guide)

    @property
    def partitions_(self) -> Mapping[str, Partition]:
        """The bins of each selected column: those of the model."""
        return {table.name: table.partition for table in self.scorecard_.tables}

    @property
    def pairs_(self) -> list[tuple[str, str]]:
        """The selected pairs of features, by their names."""
        return [pair.names for pair in self.scorecard_.pairs]

    def select(self, k: int) -> Self:
        """Return a fitted copy with the model of k columns on the path.

        Parameters
        ----------
        k : int
            Number of columns; a size that was never visited raises an error that lists those that were.

        Returns
        -------
        selected : estimator
            The earliest subset on ties. ``why_`` is still that of the selection that ``fit`` made. Where ``fit`` had
            more rows in blocks than it samples, 524,288, only the selected size is fitted to all rows. Other sizes are
            models of the sample, and come with a warning; ``fit`` with ``n_features=k`` fits that size to all rows.
        """
        selected = super().select(k)
        of_all = any(phase.name == ALL_ROWS for phase in self.path_.phases)
        if of_all and self.selection_.of_size(k).columns != self.selection_.best.columns:
            warn_caller(
                f"The model of size {k} was learned from a sample of the rows, and that of size "
                f"{len(self.selection_.best.columns)} from all of them; fit with n_features={k} to learn it from all.",
                SampledModelWarning,
            )
        return selected

    def _scorecard_training(self, rows: TrainingRows) -> TrainingOptions:
        """Return what is trained, whatever the target is."""
        splitter, n_drawn = self._splitter(rows)
        trained = self._scorecard_options(rows, n_drawn)
        options = self._training_options(rows, trained, splitter, feature_groups=self.feature_groups)
        paired = frozenset(j for pair in trained.pairs or () for j in pair)
        if both := paired & options.columns.drop:
            raise ParameterError(f"Column {rows.names[min(both)]!r} is both in n_pairs and in drop.")
        return replace(
            options,
            columns=replace(options.columns, paired=paired, orders=self._orders(rows)),
            n_features="auto" if self.n_features == "best" else self.n_features,
        )

    def _splitter(self, rows: TrainingRows) -> tuple[Splitter, int]:
        """Return what divides the rows, and the number of folds that are drawn by their values instead, or 0."""
        most, what = self._most_folds(rows)
        chosen = isinstance(self.cv, str)  # "auto"
        drawn = chosen or (isinstance(self.cv, Integral) and self.random_state is None)
        n_folds = min(FOLDS[rows.n_rows > self._tuning(rows).fold_rows], most) if chosen else self.cv
        if drawn and int(n_folds) > most:
            raise ParameterError(f"cv={self.cv}: {what} has {most} rows; use at most that many folds.")
        splitter = read_splitter(rows, n_folds, self.random_state)
        if splitter is None:
            name = type(self).__name__
            raise ParameterError(f"X_val and y_val are for searches; a {name} has folds: leave them out.")
        return splitter, int(n_folds) if drawn else 0

    def _orders(self, rows: TrainingRows) -> dict[int, Sequence[object]]:
        """Return the categories of each column that is given their order."""
        if isinstance(self.columns, Column) and self.columns.ordered is not None:
            raise ParameterError("columns: ordered lists the values of one column; give a mapping of columns.")
        settings = read_column_settings(self.columns, rows.names)
        return {j: column.ordered for j, column in settings.items() if column.ordered is not None}

    def _scorecard_options(self, rows: TrainingRows, n_drawn: int) -> ScorecardOptions:
        settings = read_column_settings(self.columns, rows.names)
        rules = self._column_rules(rows, settings)
        return ScorecardOptions(
            FinestBins(
                n_labels=_MOST_CATEGORIES,
                listed_from={rows.names[j]: float(each.min_rows) for j, each in settings.items() if each.min_rows},
            ),
            drawn=n_drawn > 0,
            at_random=isinstance(self.cv, str | Integral),
            additive=AdditiveOptions(
                n_folds=n_drawn,
                most_accurate=isinstance(self.n_features, str) and self.n_features == "best",
                min_gain=float(self.min_gain),
                merge_cost=float(self.merge_cost),
                n_pairs=int(self.n_pairs) if isinstance(self.n_pairs, Integral) else None,
            ),
            pairs=self._read_pairs(rows, rules),
            rules=rules,
            guide=self._guide(),
            number_losses=self._number_losses(rows),
        )

    def _read_pairs(self, rows: TrainingRows, rules: Mapping[int, ColumnRule]) -> tuple[tuple[int, int], ...] | None:
        if not isinstance(self.n_pairs, list | tuple):
            return None
        pairs = []
        for pair in self.n_pairs:
            is_pair = isinstance(pair, list | tuple) and len(pair) == 2
            positions = resolve_columns(list(pair), rows.names, "n_pairs", rows.example) if is_pair else []
            if len(set(positions)) != 2:
                raise ParameterError(f"n_pairs must list pairs of two different columns, got {pair!r:.60}.")
            for j in positions:
                if j in rules and rules[j].direction:
                    raise ParameterError(f"Column {rows.names[j]!r} is monotone, so it can be in no pair of n_pairs.")
            pairs.append((min(positions), max(positions)))
        return tuple(dict.fromkeys(pairs))
