# SPDX-License-Identifier: BSD-3-Clause
"""The fit of given columns and pairs in given bins, around points that are set: what edits ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.additive.columns import AdditiveColumns, make_columns
from bayesieve.additive.constants import DECIMALS
from bayesieve.additive.given import GivenBins, GivenColumn, GivenRows, given_counts
from bayesieve.additive.members import AdditiveFit, ChainFits, FittedPairs, fit_members
from bayesieve.additive.merge import MergedColumn, merge_tables, with_errors
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.row_scores import Direction
from bayesieve.additive.scorecard import FittedScorecards, SizeModel, TrainedScorecard
from bayesieve.additive.sizes import SizeFit, size_fit
from bayesieve.additive.train import Training
from bayesieve.additive.variances import FitVariances, TermVariances
from bayesieve.bins import Partition, in_weights, with_counts
from bayesieve.exceptions import EditError
from bayesieve.search import SearchRun

__all__ = ["GivenFit", "train_given"]

_ROUNDING: Final = 0.5 * 10.0**-DECIMALS


@dataclass(frozen=True, eq=False)
class GivenFit:
    """A fit of given terms.

    Attributes
    ----------
    trained : TrainedScorecard
        The model.
    positions : int array of shape (n_rows,)
        The coded row of each row, in the order of the folds.
    fold : int array of shape (n_rows,)
        The fold of each of these.
    """

    trained: TrainedScorecard
    positions: NDArray[np.intp]
    fold: NDArray[np.int64]


def train_given(problem: AdditiveProblem, given: Sequence[GivenColumn | None], run: SearchRun) -> GivenFit:
    """Fit all columns of a problem in given bins (None: in bins that are learned), and its pairs."""
    data = make_columns(problem)
    training = _GivenTraining(problem, data, run, given)
    run.drive(training.begin, training.find_pairs, training.finish)
    return GivenFit(training.result(), data.positions, data.fold)


class _GivenTraining(Training):
    """Training of which the columns and their bins are known."""

    def __init__(
        self, problem: AdditiveProblem, data: AdditiveColumns, run: SearchRun, given: Sequence[GivenColumn | None]
    ) -> None:
        super().__init__(problem, data, run)
        self._given = GivenRows(problem, data, given)

    def _fit_columns(
        self, columns: Sequence[int], fold_columns: Sequence[Sequence[int]] = (), pairs: FittedPairs | None = None
    ) -> AdditiveFit:
        options = self._options
        chains = ChainFits(self._given.fitted, options.backend, self._run.check_time, pairs)
        fit = fit_members(chains, self._given.open_columns, (), options.n_threads)
        return self._given.expand(fit, columns)

    def _keep_merged(
        self,
        phase: str,
        fit: AdditiveFit,
        masses: Sequence[Floats] | None = None,
        variances: TermVariances | None = None,
    ) -> None:
        """Keep a fit with all of its columns."""
        self._open_phase(phase, size_fit(self._rows, fit))
        self._merged = merge_tables(self._given.plain, fit, self._options.merge_cost if self._learns_bins else 0.0)

    @property
    def _learns_bins(self) -> bool:
        return any(own is None for own in self._given.given)

    def fitted(self) -> FittedScorecards:
        """Return the models: that of class frequencies, and that of all columns."""
        problem, rows, given = self._problem, self._rows, self._given
        columns = range(rows.n_columns)
        return FittedScorecards(
            classes=problem.classes,
            class_mass=tuple(float(each) * problem.unit for each in problem.class_mass),
            partitions={self._name(k): self._own_partition(k) for k in columns},
            models={names: self._model(names, size) for names, size in self._sizes.items()},
            prior_shift=problem.prior_shift,
            neutral=tuple(self._name(k) for k in columns if given.plain.neutral_shares(k) is not None),
            held=tuple(self._name(k) for k in columns if (own := given.columns[k]) is not None and own.held.any()),
            pair_partitions={self._name(k): self._partition(k) for k in columns},
        )

    def _model(self, names: tuple[str, ...], size: SizeFit) -> SizeModel:
        fit = size.fit
        variances = self._variances(fit)
        named = self._pair_names(fit)
        pairs = () if named is None else tuple(map(named, fit.pairs, variances.pairs))
        merged = [] if self._merged is None or not fit.columns else self._merged.columns
        plain, weights = self._given.plain, self._rows.weights
        masses = [
            np.asarray(np.bincount(plain.codes[k], weights, len(plain.bases[k].gaps)), dtype=np.float64)
            for k in fit.columns
        ]
        learned = with_errors(merged, fit.tables, variances.columns, masses)
        columns = map(self._in_given_order, fit.columns, learned, fit.tables, variances.columns)
        return SizeModel(fit.intercept, dict(zip(names, columns, strict=True)), pairs, np.sqrt(variances.intercept))

    def _variances(self, fit: AdditiveFit) -> TermVariances:
        """Return the variances of a fit; the points of a column of one bin are those of all rows, and certain."""
        single = [len(table) == 1 for table in fit.tables]
        own = [i for i, each in enumerate(single) if not each]
        level = sum((table[0] for table in fit.tables if len(table) == 1), fit.intercept)
        several = replace(
            fit,
            columns=tuple(fit.columns[i] for i in own),
            tables=[fit.tables[i] for i in own],
            intercept=level,
        )
        variances = FitVariances(self._given.plain, self._pair_data, self._options.backend)(several)
        found = iter(variances.columns)
        return replace(variances, columns=[np.zeros((1, len(level))) if each else next(found) for each in single])

    def _in_given_order(self, k: int, learned: MergedColumn, table: Floats, variances: Floats) -> MergedColumn:
        """Return the points of a column in the order of its partition; those that are set have no errors."""
        own = self._given.columns[k]
        if own is None:
            return self._in_order(k, learned)
        n = len(own.order)
        scores, errors = np.empty_like(table), np.empty_like(table)
        direction = self._given.plain.direction(k)
        shown = np.where(own.held[:, None], table, self._rows.loss.merged_scores(table, direction))
        if direction is not None and own.held.any():
            shown = self._in_direction(k, own, shown, direction)
        scores[own.order] = shown
        errors[own.order] = np.where(own.held[:, None], 0.0, np.sqrt(variances))
        return MergedColumn(np.arange(n), scores, errors)

    def _in_direction(self, k: int, own: GivenBins, scores: Floats, direction: Direction) -> Floats:
        """Return points of two classes in their direction, where they differ from it by rounding alone.

        Points that are learned keep the direction among each other, but not to those that are set.
        """
        first, sign, _ = direction
        bins, held, points = own.order[first:], own.held[first:], sign * scores[first:, 0]
        low = np.maximum.accumulate(np.where(held, points, -np.inf))
        high = np.minimum.accumulate(np.where(held, points, np.inf)[::-1])[::-1]
        beyond = np.maximum(low - points, points - high)
        if beyond.max(initial=0.0) > _ROUNDING:
            worst = int(np.argmax(beyond))
            what = "set" if held[worst] else "learned"
            raise EditError(
                f"Points that are set in the monotone column {self._name(k)!r} break its direction: those of bin "
                f"{bins[worst]} are {what} as {sign * points[worst]:+.2f}; set other points, or merge bins."
            )
        scores = scores.copy()
        scores[first:, 0] = np.where(held, scores[first:, 0], sign * np.clip(points, low, high))
        return scores

    def _own_partition(self, k: int) -> Partition:
        """Return the bins of a column, with the weights of the classes in them."""
        given, column = self._given.given[k], self._problem.columns[self._data.columns[k]]
        if given is None:
            return self._partition(k)
        partition: Partition = with_counts(given.partition, in_weights(given_counts(column, given), self._problem.unit))
        return partition
