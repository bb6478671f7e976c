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
from bayesieve.additive.constants import COARSE_SIZES, PAIR_MERGE_SHARE, PAIR_ROUNDS
from bayesieve.additive.divisions import Division, divide_again, n_divisions
from bayesieve.additive.loss import Loss
from bayesieve.additive.members import (
    AdditiveFit,
    ChainFits,
    Effort,
    FittedPairs,
    PairFit,
    fit_judged_scores,
    fit_member,
    fit_members,
    in_parallel,
)
from bayesieve.additive.merge import MergedColumn, MergedTables, bin_curvatures, merge_tables, merge_within, with_errors
from bayesieve.additive.number_unit import with_measured_unit
from bayesieve.additive.pair_data import FoundPairs, PairData, given_pairs, make_pair_data, most_influential
from bayesieve.additive.pair_merge import MergedPair, PairMerge
from bayesieve.additive.pair_tables import JointTables, Pair
from bayesieve.additive.path import ColumnPath, loss_alone, path_sizes
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.scorecard import FittedScorecards, NamedPair, SizeModel
from bayesieve.additive.sizes import SizeFit, SizeLosses, fit_frequencies, measure_sizes, size_fit
from bayesieve.additive.stack import Stack
from bayesieve.additive.variances import FitVariances, TermVariances
from bayesieve.bins import Partition, in_weights, with_counts
from bayesieve.exact import to_fixed
from bayesieve.models.model import HeldOutScores
from bayesieve.models.number_scorecard import NO_CLASSES
from bayesieve.search import (
    Exclusion,
    Gains,
    GroupsChosen,
    KeptShare,
    PairsFound,
    Pass,
    Phase,
    SearchRun,
    SelectionPath,
    StackWeights,
    Step,
    Visit,
)

__all__ = ["ALL_ROWS", "TrainedScorecard", "Training", "train"]

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
    shares : tuple of KeptShare
        What each size on the path keeps of the gain of the largest.
    """

    path: SelectionPath
    visit: Visit
    sizes: Mapping[tuple[str, ...], SizeFit]
    fitted: FittedScorecards
    held_out: Callable[[tuple[str, ...]], list[HeldOutScores]]
    gains: Gains | None
    exclusions: Mapping[str, Exclusion]
    shares: tuple[KeptShare, ...]


def train(problem: AdditiveProblem, run: SearchRun) -> TrainedScorecard:
    """Select columns and learn their tables."""
    training = Training(problem, make_columns(problem), run)
    run.drive(training.begin, training.find_pairs, training.walk, training.finish)
    return training.result()


class Training:
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
        self._found_pairs = FoundPairs.same((), self._rows.n_folds)
        self._pair_evidence: list[dict[Pair, float]] = []
        self._full: AdditiveFit | None = None
        self._merged: MergedTables | None = None
        self._fitted: tuple[str, ...] = ()
        self._pair_counts: dict[Pair, Ints] = {}
        self._best_variances: TermVariances | None = None

    # ---- stages

    def begin(self) -> None:
        """Score the class frequencies, or the mean, alone."""
        self._data = with_measured_unit(self._problem, self._data)
        self._rows = self._data.rows
        self._open_phase("forward", fit_frequencies(self._rows))

    def find_pairs(self) -> None:
        """Find pairs of columns given the shapes of all columns."""
        usual = self._rows.loss.tuning.most_pairs(self._rows.n_rows)
        most = usual if self._options.n_pairs is None else self._options.n_pairs
        if most == 0 or self._rows.n_columns < 2:
            return
        self._pair_data = make_pair_data(self._problem, self._data)

        def search() -> PairsFound:
            assert self._pair_data is not None
            self._full = self._fit_columns(sorted(self._rows.columns_of(None)))
            # Cells of a pair have no order, which would break that of a constrained column, and no cell is neutral.
            rows = self._rows
            barred = [bool(rows.monotone[k]) or rows.neutral_shares(k) is not None for k in range(rows.n_columns)]
            n_folds, allowed = rows.n_folds, [k for k in range(rows.n_columns) if not barred[k]]
            given = given_pairs(self._problem, self._data)
            if given is None:
                searched = max(most, usual) if any(barred) else most
                columns = most_influential(self._rows, self._full.columns, self._full.tables)
                options, check = self._options, self._run.check_time
                judged = fit_judged_scores(self._rows, options.backend, options.n_threads, check)
                found = self._pair_data.find(self._full.out_of_fold, judged, searched, columns, check)
            else:
                found = FoundPairs.same(given, n_folds)
            found = found.among([set(allowed)] * (n_folds + 1)).first(most)
            scores, folds = self._full.out_of_fold, (*range(n_folds), None)
            factors = [
                self._pair_data.log_bayes_factors(own, rows.fold(q), scores).tolist()
                for own, q in zip(found.of_tables, folds, strict=True)
            ]
            return PairsFound(found.of_tables, factors)

        def fits(stored: PairsFound) -> bool:
            pairs = [pair for own in stored.pairs for pair in own]
            n_columns, n_tables = self._rows.n_columns, self._rows.n_folds + 1
            n_factors = [len(own) for own in stored.log_bayes_factors]
            is_whole = len(stored.pairs) == n_tables and n_factors == [len(own) for own in stored.pairs]
            return is_whole and all(a != b and max(a, b) < n_columns for a, b in pairs)

        answer = self._run.answer(PairsFound, fits, search)
        self._found_pairs = FoundPairs(answer.pairs)
        parts = zip(answer.pairs, answer.log_bayes_factors, strict=True)
        self._pair_evidence = [dict(zip(*own, strict=True)) for own in parts]

    def walk(self) -> None:
        """Add columns one after the other; or none, where all are fitted together."""
        if self._options.most_accurate or not self._groups:
            return
        path = ColumnPath(
            self._divisions(), self._groups, self._in_parallel, self._options.backend, self._pair_evidence
        )
        most = min(self._problem.stopping.largest, sum(len(group) for group in self._groups))
        is_sample = self._problem.all_rows is not None
        due, before = path_sizes(most, *_sizes_of(self._rows.loss, is_sample=is_sample)), 0
        while not path.ended and len(path.order) < most:
            self._run.check_time()
            answer = self._run.answer(
                GroupsChosen, lambda stored: self._is_choice(stored, path.n_fits), lambda: self._next_groups(path, most)
            )
            for groups in path.steps(answer.groups):
                path.add(groups, answer.log_bayes_factor)
                if len(path.order) >= due[0] or path.ended or len(path.order) >= most:
                    due = [size for size in due if size > len(path.order)] or [most]
                    self._record(path.score(self._stack_of), path.order[before:])
                    before = len(path.order)

    def finish(self) -> None:
        """Fit the selected columns from a fresh start."""
        fold_columns: list[tuple[int, ...]] = []
        if self._options.most_accurate:
            inside = {k for group in self._groups for k in group} & self._rows.columns_of(None)
            columns: Sequence[int] = sorted(inside, key=lambda k: self._data.columns[k])
        else:
            sizes, losses = self._measured
            columns = self._enough(sizes, losses).fit.columns
            # Each fold chooses its own size, too: out-of-fold scores are then those of rows that decided nothing.
            n_folds = self._rows.n_folds
            fold_columns = [self._enough(sizes, losses.without(q)).fold_columns[q] for q in range(n_folds)]
        if not columns:
            return
        fit = self._joint_fit(columns, fold_columns)
        self._fitted = tuple(self._name(k) for k in columns)
        self._keep_merged(_FINAL, fit)
        if self._problem.all_rows is None:
            return
        whole = make_all_rows(self._problem, self._data, fit, self._pair_data)
        if whole is not None:
            by_pair = zip(fit.pairs, whole.counts_of_pairs(), strict=True)
            self._pair_counts = {pair.columns: counts for pair, counts in by_pair}
            fit = whole.fit(fit, self._pass, self._run.check_time)
            self._keep_merged(
                ALL_ROWS, fit, whole.masses, whole.variances(fit, self._pass, list(self._pair_counts.values()))
            )

    def _keep_merged(
        self,
        phase: str,
        fit: AdditiveFit,
        masses: Sequence[Floats] | None = None,
        variances: TermVariances | None = None,
    ) -> None:
        """Keep a fit with merged bins, and without columns that have no visible effect."""
        merged = merge_tables(self._rows, fit, self._options.merge_cost, masses)
        kept = {k for i in self._locked for k in self._groups[i]} | {k for pair in fit.pairs for k in pair.columns}
        kept |= {k for k, each in zip(fit.columns, merged.columns, strict=True) if each.scores.any()}
        kept = {k for group in self._groups if not kept.isdisjoint(group) for k in group}
        visible = [i for i, k in enumerate(fit.columns) if k in kept]
        shown = replace(fit, columns=tuple(fit.columns[i] for i in visible), tables=[fit.tables[i] for i in visible])
        self._open_phase(phase, size_fit(self._rows, shown))
        self._best_variances = None if variances is None else variances.of_columns(visible)
        self._merged = replace(merged, columns=[merged.columns[i] for i in visible])
        self._gains = self._explained(shown)

    def _joint_fit(self, columns: Sequence[int], fold_columns: Sequence[Sequence[int]]) -> AdditiveFit:
        """Fit shapes and pairs in turn, each given the other."""
        inside, rows = set(columns), self._rows
        of_folds = [set(own) for own in fold_columns] or [inside] * rows.n_folds
        pairs = self._found_pairs.among([*of_folds, inside])
        is_full = inside == rows.columns_of(None) and all(
            rows.columns_of(q) == set(own) for q, own in enumerate(fold_columns)
        )
        full = self._full if is_full else None
        fit = self._fit_columns(columns, fold_columns) if full is None else full.in_order(columns)
        if not pairs.all or self._pair_data is None:
            return fit
        start: JointTables | None = None
        for _ in range(PAIR_ROUNDS):
            offset = fit.columns_out_of_fold
            start = self._pair_data.refit(offset, pairs, start, self._run.check_time)
            fitted = FittedPairs.of_tables(start, offset, self._pair_data)
            fit = self._fit_columns(columns, fold_columns, fitted)
        return fit

    def _fit_columns(
        self, columns: Sequence[int], fold_columns: Sequence[Sequence[int]] = (), pairs: FittedPairs | None = None
    ) -> AdditiveFit:
        options = self._options
        chains = ChainFits(self._rows, options.backend, self._run.check_time, pairs)
        fit = fit_members(chains, sorted(columns), fold_columns, options.n_threads)
        return fit.in_order(columns)

    # ---- results

    def result(self) -> TrainedScorecard:
        """Return the path, and the models of the sizes on it."""
        problem, path = self._problem, self._run.path(self._problem.criterion)
        if not path.complete and self._merged is None:
            best = self._enough(*self._measured)
            self._best = next(names for names, size in self._sizes.items() if size is best)
        visit = next(visit for visit in reversed(list(path.visits())) if visit.columns == self._best)
        exclusions = find_exclusions(problem, self._data, self._gains, self._fitted, self._best)
        shares = () if self._options.most_accurate else self._measured[1].shares()
        return TrainedScorecard(
            path, visit, self._sizes, self.fitted(), self._held_out, self._gains, exclusions, shares
        )

    def fitted(self) -> FittedScorecards:
        """Return the models of all candidates; smaller and larger ones are merged at most at the price of the best."""
        problem, rows = self._problem, self._rows
        best = self._best
        fit = self._sizes[best].fit
        merged = self._merged or merge_tables(rows, fit, self._options.merge_cost)
        everything = sorted({k for each in self._sizes.values() for k in each.fit.columns})
        curvatures = dict(zip(everything, bin_curvatures(rows, everything, fit.out_of_fold), strict=True))
        variances = FitVariances(rows, self._pair_data, self._options.backend)
        of_best, named = self._best_variances or variances(fit), self._pair_names(fit)
        models = {}
        for names, size in self._sizes.items():
            own = merged.columns
            if names != best:
                own_curvatures = [curvatures[k] for k in size.fit.columns]
                own = merge_within(rows, size.fit, own_curvatures, merged.price, self._options.merge_cost)
            of_size = of_best if names == best else variances(size.fit)
            models[names] = self._size_model(names, size.fit, own, of_size, named)
        return FittedScorecards(
            classes=problem.classes if problem.numbers is None else NO_CLASSES,
            class_mass=tuple(float(each) * problem.unit for each in problem.counted(problem.class_mass)),
            partitions={self._name(k): self._partition(k) for k in everything},
            models=models,
            prior_shift=problem.prior_shift,
            neutral=tuple(self._name(k) for k in everything if rows.neutral_shares(k) is not None),
            scale=rows.loss.scale,
        )

    def _size_model(
        self,
        names: Sequence[str],
        fit: AdditiveFit,
        merged: Sequence[MergedColumn],
        variances: TermVariances,
        named_pair: Callable[[PairFit, Floats], NamedPair] | None,
    ) -> SizeModel:
        masses = [self._masses[k] for k in fit.columns]
        columns = map(self._in_order, fit.columns, with_errors(merged, fit.tables, variances.columns, masses))
        pairs = () if named_pair is None else tuple(map(named_pair, fit.pairs, variances.pairs))
        return SizeModel(fit.intercept, dict(zip(names, columns, strict=True)), pairs, np.sqrt(variances.intercept))

    # ---- steps

    def _divisions(self) -> list[Division]:
        """Return the rows by fold and, where the size is to be chosen, by the folds of further divisions."""
        first, stopping = Division.of_all(self._rows, self._pair_data), self._problem.stopping
        is_open = self._problem.divides_again and stopping.smallest < stopping.largest
        equal = None if self._problem.equal is None else self._problem.equal[self._data.positions]
        return [first, *divide_again(first, n_divisions(self._rows) if is_open else 1, equal)]

    def _next_groups(self, path: ColumnPath, most: int) -> GroupsChosen:
        if len(path.order) < sum(len(self._groups[i]) for i in self._locked):
            entered = set(path.order)
            group = next(i for i in self._locked if self._groups[i][0] not in entered)
            return GroupsChosen([group] * path.n_fits, 1.0)
        room = most - len(path.order)
        return GroupsChosen(*path.choose(min(path.n_next, room), room))

    def _is_choice(self, answer: GroupsChosen, n_fits: int) -> bool:
        in_range = all(-1 <= group < len(self._groups) for group in answer.groups)
        return len(answer.groups) >= n_fits and len(answer.groups) % n_fits == 0 and in_range

    def _stack_of(self, compute: Callable[[], Stack]) -> Stack:
        """Return the weights of members, from the journal if it has them."""
        answer = self._run.answer(StackWeights, lambda _: True, lambda: StackWeights(*compute().packed))
        return Stack.unpacked(answer.shape, answer.numbers, self._rows.loss.tuning.stack.most_score)

    def _pass(self, compute: Callable[[], Floats], n: int) -> Floats:
        """Return the numbers of a model of all rows, from the journal if it has them."""
        answer = self._run.answer(Pass, lambda stored: len(stored.numbers) == n, lambda: Pass(compute().tolist()))
        return np.array(answer.numbers)

    def _record(self, size: SizeFit, new: Sequence[int]) -> None:
        names = tuple(self._name(k) for k in size.fit.columns)
        entered = tuple(self._name(k) for k in new)
        self._sizes[names] = size
        shown = self._rows.loss.shown
        scores = tuple(-shown(loss) for loss in size.fold_losses)
        self._run.record(Step("add", entered[-1], -shown(size.loss), len(names), None, None, entered, scores))

    def _open_phase(self, phase: str, size: SizeFit) -> None:
        names = tuple(self._name(k) for k in size.fit.columns)
        self._sizes[names], self._best = size, names
        shown = self._rows.loss.shown
        scores = tuple(-shown(loss) for loss in size.fold_losses)
        self._run.open_phase(Phase(phase, len(self._run.steps), names, -shown(size.loss), scores))

    @cached_property
    def _measured(self) -> tuple[list[SizeFit], SizeLosses]:
        """Class frequencies and the sizes on the path, and their losses."""
        sizes = sorted(self._sizes.values(), key=lambda size: len(size.fit.columns))
        return sizes, measure_sizes(self._rows, sizes, self._alone)

    def _enough(self, sizes: Sequence[SizeFit], losses: SizeLosses) -> SizeFit:
        """Return the smallest size that keeps enough of what the largest one improves on frequencies."""
        stopping, numbers = self._problem.stopping, np.array([len(size.fit.columns) for size in sizes])
        allowed = (numbers >= stopping.smallest) & (numbers <= stopping.largest)
        if not allowed.any():  # the search was stopped before it came to one
            allowed[-1] = True
        # Gains add up over the contrasts of scores, and so would losses.
        lost = (1.0 - self._options.min_gain) / self._rows.loss.n_contrasts
        return sizes[losses.enough(lost, allowed, self._rows.loss)]

    # ---- details

    def _name(self, k: int) -> str:
        return self._problem.space.names[self._data.columns[k]]

    @cached_property
    def _masses(self) -> list[Floats]:
        """The weight of all rows in each bin of each column."""
        counts = [
            self._problem.columns[j].counts[: len(o)].sum(axis=1)[o]
            for j, o in zip(self._data.columns, self._data.bin_orders, strict=True)
        ]
        return [np.asarray(own * self._problem.unit) for own in counts]

    def _partition(self, k: int) -> Partition:
        column = self._problem.columns[self._data.columns[k]]
        counts = in_weights(self._problem.counted(column.counts[:-1]), self._problem.unit)
        partition: Partition = with_counts(column.partition, counts)
        return partition

    def _in_order(self, k: int, column: MergedColumn) -> MergedColumn:
        """Return the merged bins in the order of the partition's bins."""
        bins = np.empty(len(column.bins), dtype=np.int64)
        bins[self._data.bin_orders[k]] = column.bins
        if self._data.reversed[k]:
            errors = None if column.errors is None else column.errors[::-1]
            return MergedColumn(len(column.scores) - 1 - bins, column.scores[::-1], errors)
        return replace(column, bins=bins)

    def _pair_names(self, fit: AdditiveFit) -> Callable[[PairFit, Floats], NamedPair] | None:
        """Return what merges the table of a pair, given its variances, at one price for all pairs of a fit."""
        if self._pair_data is None or not self._found_pairs.all:
            return None
        merge = PairMerge(self._pair_data.fine, self._rows.missing, fit)
        price = merge.price(PAIR_MERGE_SHARE * self._options.merge_cost)
        return lambda pair, variances: self._named_pair(pair, merge.at_price(pair, price, variances))

    def _pair_order(self, k: int, n_bins: int) -> Ints:
        """Return the bins of a column of a pair in the order of the partition's bins: missing values are last."""
        bins = np.arange(n_bins)
        n = n_bins - int(self._rows.missing[k])
        return np.concatenate([bins[:n][::-1], bins[n:]]) if self._data.reversed[k] else bins

    def _cell_counts(self, pair: Pair) -> Ints:
        """Return the weight of the rows of each class in the cells of a pair, in units."""
        if pair not in self._pair_counts:  # models of many sizes have the same pair
            assert self._pair_data is not None
            codes, n_bins = self._pair_data.fine.codes, self._pair_data.fine.n_bins
            counts = np.zeros((*n_bins[list(pair)], self._problem.rows.n_classes), dtype=np.int64)
            weights = self._data.coded.weights[self._data.positions]
            classes = self._data.coded.target[self._data.positions]
            np.add.at(counts, (codes[pair[0]], codes[pair[1]], classes), weights)
            self._pair_counts[pair] = counts
        return self._pair_counts[pair]

    def _named_pair(self, pair: PairFit, merged: MergedPair) -> NamedPair:
        """Return the table of a pair, columns as in the task, and the weight of the rows of each class in its cells."""
        assert self._pair_data is not None
        (a, b), (of_a, of_b), bins = pair.columns, merged.bins, self._pair_data.bins
        counts = np.zeros((*merged.scores.shape[:2], self._problem.rows.n_classes), dtype=np.int64)
        np.add.at(counts, (of_a[:, None], of_b[None, :]), self._cell_counts(pair.columns))
        orders = [self._pair_order(k, n) for k, n in zip(pair.columns, merged.scores.shape, strict=False)]
        places = orders[0][of_a[bins[a]]], orders[1][of_b[bins[b]]]
        assert merged.errors is not None
        parts = [own[np.ix_(*orders)] for own in (merged.scores, merged.errors, counts)]
        if self._data.columns[a] > self._data.columns[b]:
            (a, b), places = (b, a), places[::-1]
            parts = [np.ascontiguousarray(own.swapaxes(0, 1)) for own in parts]
        table, errors, counts = parts
        pair = replace(pair, columns=(a, b), table=table)
        weights = in_weights(self._problem.counted(counts), self._problem.unit)
        return NamedPair((self._name(a), self._name(b)), pair, places, weights, errors)

    def _held_out(self, columns: tuple[str, ...]) -> list[HeldOutScores]:
        """Return the rows of each fold with their out-of-fold scores."""
        rows, coded = self._rows, self._data.coded
        of_classes = rows.loss.class_scores(self._sizes[columns].fit.own_scores)
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
        """Return the scores of models of one group each, and the log Bayes factors given the selected columns, per row.

        A group without evidence alone would not be selected: the score is that of class frequencies.
        """
        problem, rows = self._problem, self._rows
        everything, total = list(range(rows.n_columns)), float(rows.weights.sum())
        adaptive = fit_member(rows.loss.tuning.adaptive, rows, None, self._options.backend)
        effort = Effort.of_rows(rows.n_rows, rows.loss)
        adaptive.run(fit.columns, effort.most_cycles, effort.tolerance)
        given_others = adaptive.log_bayes_factors(everything) / total
        empty = -rows.loss.shown(self._sizes[()].loss)
        by_group = np.full((2, len(problem.space.groups)), np.nan)
        alone = self._in_parallel(self._score_alone, self._groups)
        for g, columns, score in zip(self._group_numbers, self._groups, alone, strict=True):
            by_group[0, g] = empty if score is None else score
            by_group[1, g] = max(given_others[k] for k in columns)
        return Gains(empty, by_group[0], by_group[1])

    def _score_alone(self, columns: Sequence[int]) -> float | None:
        """Return the out-of-fold score of a model of these columns only; None if none of them has evidence alone."""
        self._run.check_time()
        if not max(self._alone[k] for k in columns) > 0.0:
            return None
        return -self._rows.loss.shown(loss_alone(self._rows, columns, self._options.backend))

    def _in_parallel(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return in_parallel(function, items, self._options.n_threads)


def _sizes_of(loss: Loss, *, is_sample: bool) -> tuple[int, int]:
    """Return which sizes are scored: fewer in a sample of rows in blocks, which has half a million rows."""
    return COARSE_SIZES if is_sample else (loss.tuning.all_sizes, loss.tuning.per_doubling)
