# SPDX-License-Identifier: BSD-3-Clause
"""The final fit on all rows in blocks, in a few passes over them.

Columns, pairs and the weights of members come from a sample, whose rows stand for all: their weights add up to those of
all rows. One pass adds up the gradients of every member, bin and cell over all rows at the present tables. Then members
go on in the sample, where first derivatives are corrected by what they lack there,

    gradients of the sample + (gradients of all rows - gradients of the sample, both at the present tables),

and curvatures are those of all rows at least (Jordan, Lee and Yang 2019, "Communication-efficient distributed
statistical inference"). Where this stands still the gradients of all rows do, too: the sample decides how many passes
that takes, and not where it ends. Each pass leaves a fraction of the distance, about the root of tables' entries per
row of the sample.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final, NamedTuple

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.block_sums import (
    BlockLayout,
    BlockSums,
    PairCells,
    StackedFits,
    add_sums,
    block_sums,
    cell_counts,
    split_sums,
)
from bayesieve.additive.cell_prior import PairDesign
from bayesieve.additive.columns import AdditiveColumns, places_of
from bayesieve.additive.constants import (
    DAMPING,
    DAMPING_GROWTH,
    DECIMALS,
    LEAST_DAMPING,
    MOST_PASSES,
    SMALL_MOVE,
    SMALL_MOVE_PER_ROW,
)
from bayesieve.additive.fit import CyclicFit, FitState
from bayesieve.additive.members import AdditiveFit, Effort, in_parallel, members_at_end, priors_of
from bayesieve.additive.pair_data import PairData
from bayesieve.additive.pair_tables import posterior_means
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows, gradient_bits
from bayesieve.additive.variances import (
    PairVariances,
    TermCounts,
    TermSums,
    TermVariances,
    joint_model,
    posterior_variances,
)
from bayesieve.bins import CodedRows
from bayesieve.data import RowBlocks
from bayesieve.exact import nearest_fixed, ordered_sum

__all__ = ["AllRows", "make_all_rows"]

_MOST_CHANGE: Final = 2.0  # of a score of a pair in one pass
_MOST_BITS: Final = 20  # of gradients after the point: a row is exact to 2^-21
_STEPS: Final = 2.0**20  # per nat of scores between passes


@dataclass(frozen=True)
class AllRows:
    """Rows in blocks, and a sample of them here that stands for all.

    Attributes
    ----------
    blocks : RowBlocks of CodedRows
        All rows, coded.
    layout : BlockLayout
        How these become rows to learn from.
    sample : AdditiveRows
        Rows of the same columns here, whose weights add up to those of all rows.
    pairs : PairData or None
        Rows in the bins of pairs.
    designs : tuple of PairDesign
        What is known of the tables of pairs beforehand.
    bins : int array
        The bins of these columns among those of all that the sample's fit has.
    counts : list of arrays of shape (n_bins, n_classes)
        The weight of all rows of each class in each bin of each column.
    backend, n_threads : str, int
        What computes, and on how many threads.
    """

    blocks: RowBlocks[CodedRows]
    layout: BlockLayout
    sample: AdditiveRows
    pairs: PairData | None
    designs: tuple[PairDesign, ...]
    bins: Ints
    counts: list[Floats]
    backend: str
    n_threads: int

    @property
    def masses(self) -> list[Floats]:
        """The weight of all rows in each bin of each column."""
        return [np.asarray(own.sum(axis=1)) for own in self.counts]

    @cached_property
    def cells(self) -> list[Ints]:
        """The cell of each sampled row, per pair."""
        return [pair.of_rows(self.sample) for pair in self.layout.pairs]

    @property
    def n_entries(self) -> int:
        """Number of scores that are learned."""
        n_cells = sum(a * b for a, b in (pair.shape for pair in self.layout.pairs))
        return (int(self.sample.offsets[-1]) + n_cells) * self.sample.loss.n_contrasts

    @property
    def small(self) -> float:
        """The change, squared and times curvatures, below which a fit stands still: larger of millions of rows."""
        return max(SMALL_MOVE * self.n_entries, SMALL_MOVE_PER_ROW * float(self.sample.weights.sum()))

    @property
    def effort(self) -> Effort:
        """When members end."""
        effort = Effort.of_rows(self.sample.n_rows, self.sample.loss)
        return replace(effort, tolerance=max(effort.tolerance, self.small))

    def start(self, fit: AdditiveFit) -> StackedFits:
        """Return the members where the fit of the sample has them, and its tables of pairs."""
        assert fit.stack is not None
        rows = self.sample
        priors = tuple((priors_of(member), member.no_effect) for member in members_at_end(rows.loss))
        tables = tuple(nearest_fixed(pair.table.reshape(-1, rows.loss.n_scores)) for pair in fit.pairs)
        states = tuple(_rounded(self._of_columns(state)) for state in fit.states)
        return StackedFits(priors, states, fit.stack.weights[: len(priors)], tables, nearest_fixed(fit.intercept))

    def _of_columns(self, state: FitState) -> FitState:
        """Return a state of these columns alone; the sample's fit has all that take part."""
        bins, n_scores = self.bins, self.sample.loss.n_scores
        entries = (bins[:, None] * n_scores + np.arange(n_scores)).ravel()
        variances = state.variances[bins] if len(state.variances) else state.variances
        return replace(state, tables=state.tables[entries], variances=variances)

    def whole_sums(self, model: StackedFits) -> BlockSums:
        """Return gradient sums and log loss of all rows: one pass."""
        sums: BlockSums = self.blocks.reduce(block_sums, add_sums, self.layout, model, self.backend)
        return sums

    def improved(
        self, model: StackedFits, whole: Ints, damping: float, check: Callable[[], None]
    ) -> tuple[StackedFits, float]:
        """Return the tables after a pass, and how far they had to go: squared changes of scores times curvatures."""
        rows = self.sample
        here, before = model.sums(rows, self.cells, self.backend)
        corrections = split_sums(np.stack([whole[:, 0] - here.gradients[:, 0], whole[:, 1]], axis=1), model)
        tables, offset = self._improved_pairs(model, before, corrections[-1], damping)

        def improve(job: tuple[int, CyclicFit]) -> tuple[FitState, Floats]:
            i, fit = job
            self._run(fit, corrections[i], damping, check)
            return fit.state, fit.scores - fit.intercept - offset

        with_pairs = replace(model, tables=tables)
        done = in_parallel(improve, list(enumerate(with_pairs.fits(rows, offset, self.backend))), self.n_threads)
        after = offset
        for weight, (_, scores) in zip(model.weights.tolist(), done, strict=True):
            after = after + weight * scores
        after = nearest_fixed(after)
        joint = with_pairs.joint_fit(rows, self.cells, after, self.backend)
        joint.correct(*corrections[-1].T)
        joint.run([], 1, 0.0)
        changed = replace(with_pairs, states=tuple(_rounded(state) for state, _ in done), intercept=joint.intercept)
        # A damped step is short of the distance that is left.
        moved = rows.loss.moved(before + model.intercept, after + joint.intercept, rows.weights)
        return changed, (1.0 + damping) ** 2 * moved

    def _run(self, fit: CyclicFit, correction: Ints, damping: float, check: Callable[[], None]) -> None:
        """Update columns in turn until they move little, less freely the larger the damping.

        Damping adds ``damping / 2 x curvature x (change since the last pass)^2`` to what is minimized.
        """
        (slopes, least), effort, start = correction.T, self.effort, fit.state.tables
        n, tables = len(start), start
        for _ in range(effort.most_cycles):
            check()
            pull, held = np.zeros((2, len(least)), dtype=np.int64)
            pull[:n], held[:n] = np.rint(damping * least[:n] * (tables - start)), np.rint(damping * least[:n])
            fit.correct(slopes - pull, least + held)
            fit.run(range(self.sample.n_columns), 1, 0.0)
            before, tables = tables, fit.state.tables
            change = tables - before
            if ordered_sum(least[:n] * change * change) * self.sample.unit < effort.tolerance:
                break

    def _improved_pairs(
        self, model: StackedFits, scores: Floats, correction: Ints, damping: float
    ) -> tuple[tuple[Floats, ...], Floats]:
        """Return tables of pairs, each after a Newton step given the others, and what they add to each row."""
        rows, tables, first = self.sample, [], 0
        parts = zip(self.layout.pairs, model.tables, self.cells, self.designs, strict=True)
        for pair, table, own, design in parts:
            alone = replace(model, tables=(table,)).joint_fit(rows, [own], scores, self.backend).sums()[: table.size]
            slopes, least = correction[first : first + table.size].T
            first += table.size
            curvatures = (np.maximum(alone[:, 1], least) * ((1.0 + damping) * rows.unit)).reshape(table.shape)
            gradients = ((alone[:, 0] + slopes) * rows.unit).reshape(table.shape) + curvatures * table
            shape = (1, *pair.shape, rows.loss.n_scores)
            sums = gradients.reshape(shape), curvatures.reshape(shape)
            goal = posterior_means(design, *sums, self.n_threads, self.backend).reshape(table.shape)
            if not design.fills_cells:
                goal[curvatures == 0.0] = 0.0
            new = nearest_fixed(table + np.clip(goal - table, -_MOST_CHANGE, _MOST_CHANGE))
            new = nearest_fixed(rows.loss.centered(new))
            scores = scores + (new - table)[own]
            tables.append(new)
        changed = tuple(tables)
        return changed, replace(model, tables=changed).offset(rows, self.cells)

    def variances(
        self, fit: AdditiveFit, step: Callable[[Callable[[], Floats], int], Floats], cells: Sequence[Ints]
    ) -> TermVariances:
        """Return the posterior variances of a fit, given the weight of each class per cell, in units: one pass."""
        rows = self.sample
        entries = fit.intercept, *fit.tables, *(pair.table for pair in fit.pairs), fit.intercept

        def sums_of_rows() -> Floats:
            return np.asarray(self.whole_sums(joint_model(fit)).gradients * rows.unit).ravel()

        sums = TermSums.of_fit(fit, step(sums_of_rows, 2 * sum(each.size for each in entries)))
        counts = TermCounts(
            self.counts, [np.asarray(own * self.layout.unit) for own in cells], self.counts[0].sum(axis=0)
        )
        return posterior_variances(rows, fit, sums, counts, PairVariances(self.pairs), self.backend)

    def counts_of_pairs(self) -> list[Ints]:
        """Return the weight of all rows of each class in each cell of pairs: another pass, if there are pairs."""
        if not self.layout.pairs:
            return []
        return self.blocks.reduce(cell_counts, _add_each, self.layout)

    def fit(
        self, sample_fit: AdditiveFit, step: Callable[[Callable[[], Floats], int], Floats], check: Callable[[], None]
    ) -> AdditiveFit:
        """Return the fit of a sample with shapes, pairs and intercept of all rows.

        ``step`` computes the numbers of a model, of which there are so many, or has them already.
        """
        start, passes = self.start(sample_fit), _Passes(self, check)
        n = len(pack(start, Progress()))
        model, progress = start, Progress(damping=DAMPING * self.n_entries / self.sample.n_rows)
        while progress.moved >= self.small and progress.n_steps < MOST_PASSES:
            model, progress = unpack(start, step(partial(passes.step, model, progress), n))
        return self._additive(sample_fit, model)

    def _additive(self, fit: AdditiveFit, model: StackedFits) -> AdditiveFit:
        rows = self.sample
        total = np.zeros(len(model.states[0].tables))
        for weight, state in zip(model.weights.tolist(), model.states, strict=True):
            total = total + weight * state.tables
        tables = np.split(total.reshape(-1, rows.loss.n_scores), rows.offsets[1:-1])
        pairs = tuple(
            replace(pair, table=np.round(table.reshape(pair.table.shape), DECIMALS) + 0.0)
            for pair, table in zip(fit.pairs, model.tables, strict=True)
        )
        return replace(
            fit, intercept=model.intercept, tables=tables, pairs=pairs, offset=model.offset(rows, self.cells)
        )


class Progress(NamedTuple):
    """How far the last step went, the damping of the next, and the number of steps tried."""

    moved: float = np.inf
    damping: float = 0.0
    n_steps: int = 0


def _arrays(model: StackedFits) -> list[Floats]:
    return [*(array for state in model.states for array in state.arrays), *model.tables, model.intercept]


def pack(model: StackedFits, progress: Progress) -> Floats:
    """Return all numbers of a model, after those of the progress."""
    return np.concatenate([progress, *(array.ravel() for array in _arrays(model))])


def model_bytes(model: StackedFits) -> bytes:
    """Return the bytes of all numbers of a model, by which it is recognized."""
    return pack(model, Progress()).tobytes()


def unpack(template: StackedFits, numbers: Floats) -> tuple[StackedFits, Progress]:
    """Return the model of packed numbers, in the shapes of another, and the progress."""
    arrays = _arrays(template)
    parts = np.split(numbers[3:], np.cumsum([array.size for array in arrays])[:-1])
    shaped = iter([part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True)])
    states = tuple(
        FitState(next(shaped), next(shaped), next(shaped), tuple(next(shaped) for _ in state.weights))
        for state in template.states
    )
    tables = tuple(next(shaped) for _ in template.tables)
    progress = Progress(float(numbers[0]), float(numbers[1]), int(numbers[2]))
    return replace(template, states=states, tables=tables, intercept=next(shaped)), progress


class _Passes:
    """Steps from model to model, each of which is checked by the next pass: the log loss of all rows may not rise."""

    def __init__(self, rows: AllRows, check: Callable[[], None]) -> None:
        self._rows, self._check = rows, check
        self._known: tuple[bytes, BlockSums] | None = None

    def step(self, model: StackedFits, progress: Progress) -> Floats:
        """Return the numbers of the next model, and of the progress.

        The model is the same, at no distance, if no damping that was tried makes another one better.
        """
        sums, small = self._sums(model), self._rows.small
        n_steps, damping = progress.n_steps, progress.damping
        while n_steps < MOST_PASSES:
            n_steps += 1
            changed, moved = self._rows.improved(model, sums.gradients, damping, self._check)
            if moved < small:
                return pack(changed, Progress(moved, damping, n_steps))
            after = self._sums(changed)
            if (after.loss - sums.loss) * self._rows.layout.loss_unit <= small:
                self._known = model_bytes(changed), after
                return pack(changed, Progress(moved, damping, n_steps))
            damping = max(DAMPING_GROWTH * damping, LEAST_DAMPING)
        return pack(model, Progress(0.0, damping, n_steps))

    def _sums(self, model: StackedFits) -> BlockSums:
        """Return the sums of a model: known, or after a pass."""
        if self._known is not None and self._known[0] == model_bytes(model):
            return self._known[1]
        self._check()
        return self._rows.whole_sums(model)


def make_all_rows(
    problem: AdditiveProblem, data: AdditiveColumns, fit: AdditiveFit, pairs: PairData | None
) -> AllRows | None:
    """Return all rows for the columns and pairs of a fit; None if the rows here are all."""
    coded = problem.all_rows
    if coded is None or not fit.columns:
        return None
    blocks, unit = coded.hold(), data.unit
    mass, target = problem.class_mass * unit, data.rows.target.astype(np.intp)
    own = np.bincount(target, weights=data.rows.weights, minlength=len(mass))
    weights = data.rows.weights * (mass / np.where(own > 0.0, own, 1.0))[target]
    largest = max(float(weights.max()), blocks.reduce(_largest_weight, max) * unit)
    bound = data.rows.loss.largest_derivative
    bits = min(_MOST_BITS, gradient_bits(max(float(weights.sum()), float(mass.sum())), largest, bound))
    place = {k: i for i, k in enumerate(fit.columns)}
    cells, designs = list[PairCells](), list[PairDesign]()
    for pair in fit.pairs:
        assert pairs is not None
        assert pair.prior is not None
        designs.append(pairs.fine.design(pair.columns, pair.prior))
        a, b = ((place[k], pairs.bins[k][data.bin_orders[k]]) for k in pair.columns)
        cells.append(PairCells((a[0], b[0]), (a[1], b[1]), (pair.table.shape[0], pair.table.shape[1])))
    layout = BlockLayout(
        tuple(data.columns[k] for k in fit.columns),
        tuple(places_of(data.bin_orders[k]) for k in fit.columns),
        tuple(cells),
        unit,
        bits,
        data.rows.loss,
    )
    sample = data.rows.of_columns(fit.columns, weights, bits)
    counts = [problem.columns[data.columns[k]].counts[data.bin_orders[k]] for k in fit.columns]
    bins = np.concatenate([np.arange(*data.rows.offsets[k : k + 2]) for k in fit.columns])
    return AllRows(
        blocks,
        layout,
        sample,
        pairs,
        tuple(designs),
        bins,
        [np.asarray(own * unit) for own in counts],
        problem.options.backend,
        problem.options.n_threads,
    )


def _add_each(a: list[Ints], b: list[Ints]) -> list[Ints]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _largest_weight(rows: CodedRows) -> int:
    return int(rows.weights.max(initial=0))


def _rounded(state: FitState) -> FitState:
    """Return a state of fewer bits, which compress well: a difference of 10^-6 is not visible."""
    tables, variances = np.rint(state.tables * _STEPS), np.rint(state.variances * _STEPS)
    return replace(state, tables=tables / _STEPS, variances=variances / _STEPS)
