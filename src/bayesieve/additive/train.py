# SPDX-License-Identifier: BSD-3-Clause
"""Training of a scorecard: the path over columns, the size that is enough, the final fit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.blocks import make_all_rows
from bayesieve.additive.columns import AdditiveColumns, find_exclusions, make_columns
from bayesieve.additive.constants import COARSE_SIZES, MOST_PAIRS, PAIR_ROUNDS
from bayesieve.additive.loss import Loss
from bayesieve.additive.members import (
    AdditiveFit,
    Effort,
    FittedPairs,
    PairFit,
    fit_judged_scores,
    fit_member,
    fit_members,
    in_parallel,
)
from bayesieve.additive.merge import MergedColumn, MergedTables, bin_curvatures, merge_tables, merge_within
from bayesieve.additive.pair_data import PairData, given_pairs, make_pair_data, most_influential
from bayesieve.additive.pair_tables import Pair, PairTerm
from bayesieve.additive.path import ColumnPath, path_sizes
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.scorecard import FittedScorecards, NamedPair, SizeModel
from bayesieve.additive.sizes import SizeFit, enough_size, expected_losses, fit_frequencies, improves, size_fit
from bayesieve.additive.stack import Stack
from bayesieve.bins import Partition, in_weights, with_counts
from bayesieve.exact import to_fixed
from bayesieve.models.model import HeldOutScores
from bayesieve.search import (
    Exclusion,
    Gains,
    GroupsChosen,
    PairsFound,
    Pass,
    Phase,
    SearchRun,
    SelectionPath,
    StackWeights,
    Step,
    Visit,
)

__all__ = ["ALL_ROWS", "TrainedScorecard", "train"]

_FINAL: Final = "final fit"
ALL_ROWS: Final = "final fit on all rows"


@dataclass(frozen=True)
class TrainedScorecard:
    """The result of training.

    Attributes
    ----------
    path : SelectionPath
        The sizes that were visited, with their out-of-fold scores.
    visit : Visit
        The one that is selected.
    sizes : mapping of the names of columns to SizeFit
        The fit of each size.
    fitted : FittedScorecards
        Models of all sizes.
    held_out : callable
        Returns the out-of-fold scores of each fold, given the names of the columns of a size.
    gains : Gains or None
        What columns gain; None if training was stopped.
    exclusions : mapping of str to Exclusion
        Why columns are left out.
    """

    path: SelectionPath
    visit: Visit
    sizes: Mapping[tuple[str, ...], SizeFit]
    fitted: FittedScorecards
    held_out: Callable[[tuple[str, ...]], list[HeldOutScores]]
    gains: Gains | None
    exclusions: Mapping[str, Exclusion]


def train(problem: AdditiveProblem, run: SearchRun) -> TrainedScorecard:
    """Select columns and learn their tables."""
    training = _Training(problem, make_columns(problem), run)
    run.drive(training.begin, training.find_pairs, training.walk, training.finish)
    return training.result()


class _Training:
    """The stages of training, and what they came to so far."""

    def __init__(self, problem: AdditiveProblem, data: AdditiveColumns, run: SearchRun) -> None:
        self._problem, self._data, self._run, self._options = problem, data, run, problem.options
        self._rows = data.rows
        place = {j: k for k, j in enumerate(data.columns)}
        group_columns = [tuple(sorted(place[j] for j in group.columns if j in place)) for group in problem.space.groups]
        self._group_numbers = sorted(
            (g for g, columns in enumerate(group_columns) if columns), key=lambda g: group_columns[g]
        )
        self._groups = [group_columns[g] for g in self._group_numbers]
        self._locked = [i for i, g in enumerate(self._group_numbers) if g in problem.space.locked]
        self._sizes: dict[tuple[str, ...], SizeFit] = {}
        self._best: tuple[str, ...] = ()
        self._gains: Gains | None = None
        self._pair_data: PairData | None = None
        self._found_pairs: list[Pair] = []
        self._full: AdditiveFit | None = None
        self._merged: MergedTables | None = None
        self._fitted: tuple[str, ...] = ()
        self._pair_counts: dict[Pair, Ints] = {}

    # ---- stages

    def begin(self) -> None:
        """Score the class frequencies alone."""
        self._open_phase("forward", fit_frequencies(self._rows))

    def find_pairs(self) -> None:
        """Find pairs of columns given the shapes of all columns."""
        most = MOST_PAIRS if self._options.n_pairs is None else self._options.n_pairs
        if most == 0 or self._rows.n_columns < 2:
            return
        self._pair_data = make_pair_data(self._problem, self._data)

        def search() -> PairsFound:
            assert self._pair_data is not None
            self._full = self._fit_columns(sorted(self._rows.columns_of(None)), None)
            monotone = self._rows.monotone
            found = given_pairs(self._problem, self._data)
            if found is None:
                searched = max(most, MOST_PAIRS) if monotone.any() else most
                columns = most_influential(self._rows, self._full.columns, self._full.tables)
                options, check = self._options, self._run.check_time
                judged = fit_judged_scores(self._rows, options.backend, options.n_threads, check)
                found = self._pair_data.find(self._full.out_of_fold, judged, searched, columns, check)
            # Cells of a pair have no order, which would break that of a constrained column.
            found = [(a, b) for a, b in found if not (monotone[a] or monotone[b])][:most]
            return PairsFound(found)

        def fits(stored: PairsFound) -> bool:
            return all(a != b and max(a, b) < self._rows.n_columns for a, b in stored.pairs)

        self._found_pairs = list(self._run.answer(PairsFound, fits, search).pairs)

    def walk(self) -> None:
        """Add columns one after the other; or none, where all are fitted together."""
        if self._options.most_accurate or not self._groups:
            return
        path = ColumnPath(
            self._rows, self._groups, self._in_parallel, self._options.backend, self._pair_data, self._found_pairs
        )
        most = min(self._problem.stopping.largest, sum(len(group) for group in self._groups))
        is_sample = self._problem.all_rows is not None
        due, before = path_sizes(most, *_sizes_of(self._rows.loss, is_sample=is_sample)), 0
        while not path.ended and len(path.order) < most:
            self._run.check_time()
            answer = self._run.answer(GroupsChosen, self._is_valid_choice, lambda: self._next_groups(path))
            path.add(list(answer.groups), answer.log_bayes_factor)
            if len(path.order) >= due[0] or path.ended or len(path.order) >= most:
                due = [size for size in due if size > len(path.order)] or [most]
                self._record(path.score(self._stack_of), path.order[before:])
                before = len(path.order)

    def finish(self) -> None:
        """Fit the selected columns from a fresh start."""
        if self._options.most_accurate:
            inside = {k for group in self._groups for k in group} & self._rows.columns_of(None)
            columns: Sequence[int] = sorted(inside, key=lambda k: self._data.columns[k])
            on_path = None
        else:
            on_path = self._sizes[self._choose_size()]
            columns = on_path.fit.columns
        if not columns:
            return
        fit = self._joint_fit(columns)
        self._fitted = tuple(self._name(k) for k in columns)
        self._keep_merged(_FINAL, fit, on_path, None)
        if self._problem.all_rows is None:
            return
        whole = make_all_rows(self._problem, self._data, fit, self._pair_data)
        if whole is not None:
            self._keep_merged(ALL_ROWS, whole.fit(fit, self._pass, self._run.check_time), on_path, whole.masses)
            by_pair = zip(fit.pairs, whole.counts_of_pairs(), strict=True)
            self._pair_counts = {pair.columns: counts for pair, counts in by_pair}

    def _keep_merged(
        self, phase: str, fit: AdditiveFit, on_path: SizeFit | None, masses: Sequence[Floats] | None
    ) -> None:
        """Keep a fit with merged bins, and without columns that have no visible effect."""
        merged = merge_tables(self._rows, fit, self._options.merge_cost, masses)
        kept = {k for i in self._locked for k in self._groups[i]} | {k for pair in fit.pairs for k in pair.columns}
        kept |= {k for k, each in zip(fit.columns, merged.columns, strict=True) if each.scores.any()}
        kept = {k for group in self._groups if not kept.isdisjoint(group) for k in group}
        visible = [i for i, k in enumerate(fit.columns) if k in kept]
        shown = replace(fit, columns=tuple(fit.columns[i] for i in visible), tables=[fit.tables[i] for i in visible])
        if on_path is not None:  # there each fold chose its own columns; here all rows have chosen them
            shown = replace(shown, out_of_fold=on_path.fit.out_of_fold)
        self._open_phase(phase, size_fit(self._rows, shown))
        self._merged = replace(merged, columns=[merged.columns[i] for i in visible])
        self._gains = self._explained(shown)

    def _joint_fit(self, columns: Sequence[int]) -> AdditiveFit:
        """Fit shapes and pairs in turn, each given the other."""
        inside = set(columns)
        pairs = [pair for pair in self._found_pairs if inside.issuperset(pair)]
        full = self._full if inside == self._rows.columns_of(None) else None
        fit = self._fit_columns(columns, None) if full is None else full.in_order(columns)
        if not pairs or self._pair_data is None:
            return fit
        start: tuple[PairTerm, ...] = ()
        for _ in range(PAIR_ROUNDS):
            start = self._pair_data.refit(fit.columns_out_of_fold, pairs, start, self._run.check_time)
            fit = self._fit_columns(columns, FittedPairs.of_terms(start, self._pair_data))
        return fit

    def _fit_columns(self, columns: Sequence[int], pairs: FittedPairs | None) -> AdditiveFit:
        options = self._options
        fit = fit_members(
            self._rows,
            sorted(columns),
            pairs=pairs,
            backend=options.backend,
            n_threads=options.n_threads,
            check=self._run.check_time,
        )
        return fit.in_order(columns)

    # ---- results

    def result(self) -> TrainedScorecard:
        """Return the path, and the models of the sizes on it."""
        problem, path = self._problem, self._run.path(self._problem.criterion)
        if not path.complete and self._merged is None:
            self._best = self._choose_size()
        visit = next(visit for visit in reversed(list(path.visits())) if visit.columns == self._best)
        exclusions = find_exclusions(problem, self._data, self._gains, self._fitted, self._best)
        return TrainedScorecard(path, visit, self._sizes, self.fitted(), self._held_out, self._gains, exclusions)

    def fitted(self) -> FittedScorecards:
        """Return the models of all candidates; smaller and larger ones are merged at most at the price of the best."""
        problem, rows = self._problem, self._rows
        best = self._best
        fit = self._sizes[best].fit
        merged = self._merged or merge_tables(rows, fit, self._options.merge_cost)
        everything = sorted({k for each in self._sizes.values() for k in each.fit.columns})
        curvatures = dict(zip(everything, bin_curvatures(rows, everything, fit.out_of_fold), strict=True))
        models = {}
        for names, size in self._sizes.items():
            own = merged.columns
            if names != best:
                own_curvatures = [curvatures[k] for k in size.fit.columns]
                own = merge_within(rows, size.fit, own_curvatures, merged.price, self._options.merge_cost)
            tables = dict(zip(names, map(self._in_order, size.fit.columns, own), strict=True))
            models[names] = SizeModel(size.fit.intercept, tables, tuple(map(self._named_pair, size.fit.pairs)))
        return FittedScorecards(
            classes=problem.classes,
            class_mass=tuple(float(each) * problem.unit for each in problem.class_mass),
            partitions={self._name(k): self._partition(k) for k in everything},
            models=models,
            pair_bins={} if self._pair_data is None else {self._name(k): self._pair_data.bins[k] for k in everything},
            prior_shift=problem.prior_shift,
        )

    # ---- steps

    def _next_groups(self, path: ColumnPath) -> GroupsChosen:
        if len(path.order) < sum(len(self._groups[i]) for i in self._locked):
            entered = set(path.order)
            group = next(i for i in self._locked if self._groups[i][0] not in entered)
            return GroupsChosen([group] * (1 + self._rows.n_folds), 1.0)
        return GroupsChosen(*path.choose())

    def _is_valid_choice(self, answer: GroupsChosen) -> bool:
        in_range = all(-1 <= group < len(self._groups) for group in answer.groups)
        return len(answer.groups) == 1 + self._rows.n_folds and in_range

    def _stack_of(self, compute: Callable[[], Stack]) -> Stack:
        """Return the weights of members, from the journal if it has them."""
        answer = self._run.answer(StackWeights, lambda _: True, lambda: StackWeights(*compute().packed))
        return Stack.unpacked(answer.shape, answer.numbers)

    def _pass(self, compute: Callable[[], Floats], n: int) -> Floats:
        """Return the numbers of a model of all rows, from the journal if it has them."""
        answer = self._run.answer(Pass, lambda stored: len(stored.numbers) == n, lambda: Pass(compute().tolist()))
        return np.array(answer.numbers)

    def _record(self, size: SizeFit, new: Sequence[int]) -> None:
        names = tuple(self._name(k) for k in size.fit.columns)
        entered = tuple(self._name(k) for k in new)
        self._sizes[names] = size
        scores = tuple(-loss for loss in size.fold_losses)
        self._run.record(Step("add", entered[-1], -size.loss, len(names), None, None, entered, scores))

    def _open_phase(self, phase: str, size: SizeFit) -> None:
        names = tuple(self._name(k) for k in size.fit.columns)
        self._sizes[names], self._best = size, names
        scores = tuple(-loss for loss in size.fold_losses)
        self._run.open_phase(Phase(phase, len(self._run.steps), names, -size.loss, scores))

    def _choose_size(self) -> tuple[str, ...]:
        """Return the smallest size that keeps enough of what the best one improves on class frequencies."""
        stopping, sizes = self._problem.stopping, sorted(self._sizes, key=len)
        eligible = [names for names in sizes if stopping.smallest <= len(names) <= stopping.largest] or sizes[-1:]
        frequencies, fits = self._sizes[()], [self._sizes[names] for names in eligible]
        if () in eligible and not improves(self._rows, frequencies, min(fits, key=lambda fit: fit.loss)):
            return ()
        # Gains add up over the contrasts of scores, and so would losses.
        lost = (1.0 - self._options.min_gain) / self._rows.loss.n_contrasts
        return eligible[enough_size(expected_losses(self._rows, frequencies, fits, self._alone), frequencies, lost)]

    # ---- details

    def _name(self, k: int) -> str:
        return self._problem.space.names[self._data.columns[k]]

    def _partition(self, k: int) -> Partition:
        column = self._problem.columns[self._data.columns[k]]
        counts = in_weights(column.counts[:-1], self._problem.unit)
        partition: Partition = with_counts(column.partition, counts)
        return partition

    def _in_order(self, k: int, column: MergedColumn) -> MergedColumn:
        """Return the merged bins in the order of the partition's bins."""
        bins = np.empty(len(column.bins), dtype=np.int64)
        bins[self._data.bin_orders[k]] = column.bins
        return MergedColumn(bins, column.scores)

    def _named_pair(self, pair: PairFit) -> NamedPair:
        """Return the table of a pair, columns as in the task, and the weight of the rows of each class in its cells."""
        assert self._pair_data is not None
        a, b = pair.columns
        counts = self._pair_counts.get(pair.columns)
        if counts is None:  # models of many sizes have the same pair
            counts = np.zeros((*pair.table.shape[:2], self._problem.rows.n_classes), dtype=np.int64)
            codes, weights = self._pair_data.rows.codes, self._data.coded.weights[self._data.positions]
            np.add.at(counts, (codes[a], codes[b], self._rows.target.astype(np.intp)), weights)
            self._pair_counts[pair.columns] = counts
        if self._data.columns[a] > self._data.columns[b]:
            (a, b), counts = (b, a), np.ascontiguousarray(counts.swapaxes(0, 1))
            pair = replace(pair, columns=(a, b), table=np.ascontiguousarray(pair.table.swapaxes(0, 1)))
        return NamedPair((self._name(a), self._name(b)), pair, in_weights(counts, self._problem.unit))

    def _held_out(self, columns: tuple[str, ...]) -> list[HeldOutScores]:
        """Return the rows of each fold with their out-of-fold scores."""
        rows, coded = self._rows, self._data.coded
        of_classes = rows.loss.class_scores(self._sizes[columns].fit.out_of_fold)
        scores = np.ascontiguousarray(to_fixed(of_classes).T)
        folds = [slice(*rows.fold(q)) for q in range(rows.n_folds)]
        target, weights = coded.target[self._data.positions], coded.weights[self._data.positions]
        return [HeldOutScores(scores[:, own], target[own], weights[own]) for own in folds]

    @cached_property
    def _alone(self) -> Floats:
        """The log Bayes factor of each column by itself."""
        adaptive = fit_member(self._rows.loss.tuning.adaptive, self._rows, None, self._options.backend)
        return adaptive.log_bayes_factors(range(self._rows.n_columns))

    def _explained(self, fit: AdditiveFit) -> Gains:
        """Return what columns bring alone and given the selected ones: their log Bayes factors, per row."""
        problem, rows = self._problem, self._rows
        everything, total = list(range(rows.n_columns)), float(rows.weights.sum())
        adaptive = fit_member(rows.loss.tuning.adaptive, rows, None, self._options.backend)
        effort = Effort.of_rows(rows.n_rows, rows.loss)
        adaptive.run(fit.columns, effort.most_cycles, effort.tolerance)
        given_others = adaptive.log_bayes_factors(everything) / total
        empty = -self._sizes[()].loss
        by_group = np.full((2, len(problem.space.groups)), np.nan)
        for g, columns in zip(self._group_numbers, self._groups, strict=True):
            by_group[0, g] = empty + max(self._alone[k] for k in columns) / total
            by_group[1, g] = max(given_others[k] for k in columns)
        return Gains(empty, by_group[0], by_group[1])

    def _in_parallel(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return in_parallel(function, items, self._options.n_threads)


def _sizes_of(loss: Loss, *, is_sample: bool) -> tuple[int, int]:
    """Return which sizes are scored: fewer in a sample of rows in blocks, which has half a million rows."""
    return COARSE_SIZES if is_sample else (loss.tuning.all_sizes, loss.tuning.per_doubling)
