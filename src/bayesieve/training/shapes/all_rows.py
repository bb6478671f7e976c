# SPDX-License-Identifier: BSD-3-Clause
"""Final shapes from all rows in blocks, in a few passes over them.

Columns, pairs and the weights of members come from a sample, whose rows stand for all: their weights add up to those of
all rows. One pass adds up the gradients of every member, bin and cell over all rows at the present tables. Then members
go on in the sample, where first derivatives are corrected by what they lack there,

    gradients of the sample + (gradients of all rows - gradients of the sample, both at the present tables),

and curvatures are those of all rows at least (Jordan, Lee and Yang 2019, "Communication-efficient distributed
statistical inference"). Where this stands still the gradients of all rows do, too: the sample decides how many passes
that takes, and not where it ends. Each pass leaves a fraction of the distance, about the root of tables' entries per
row of the sample.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from bayesieve._native.elementary import exp_nonpositive
from bayesieve._typing import Floats, Ints
from bayesieve.data import RowBlocks
from bayesieve.engine import Segment
from bayesieve.engine.pairs import posterior_means
from bayesieve.engine.shapes import ShapeFit, ShapeRows, ShapeState, gradient_bits, to_fixed
from bayesieve.engine.shapes.stacked_shapes import PairCells, ShapeLayout, StackedShapes, block_sums, split_sums
from bayesieve.training.shapes.members import AdditiveFit, Effort, MemberSet, in_parallel
from bayesieve.training.shapes.pair_fits import PairData
from bayesieve.training.shapes.shape_data import ShapeData, places_of
from bayesieve.training.task import Task

__all__ = ["AllRows", "make_all_rows"]

_MOST_PASSES: Final = 6
_SMALL: Final = 0.01  # change per entry of a table, in squared standard errors: a tenth of an error
_MOST_CHANGE: Final = 2.0  # of a score of a pair in one pass
_DECIMALS: Final = 2


@dataclass(frozen=True)
class AllRows:
    """Rows in blocks, and a sample of them here that stands for all.

    Attributes
    ----------
    blocks : RowBlocks of Segment
        All rows, coded.
    layout : ShapeLayout
        How these become rows of shapes.
    sample : ShapeRows
        Rows of the same columns here, whose weights add up to those of all rows.
    pairs : PairData or None
        Rows in the bins of pairs.
    bins : int array
        The bins of these columns among those of all that the sample's fit has.
    masses : list of arrays
        The weight of all rows in each bin of each column.
    backend, n_threads : str, int
        What computes, and on how many threads.
    """

    blocks: RowBlocks[Segment]
    layout: ShapeLayout
    sample: ShapeRows
    pairs: PairData | None
    bins: Ints
    masses: list[Floats]
    backend: str
    n_threads: int

    @cached_property
    def cells(self) -> list[Ints]:
        """The cell of each sampled row, per pair."""
        return [pair.of_rows(self.sample) for pair in self.layout.pairs]

    @property
    def n_entries(self) -> int:
        """Number of scores that are learned."""
        n_cells = sum(a * b for a, b in (pair.shape for pair in self.layout.pairs))
        return (int(self.sample.offsets[-1]) + n_cells) * max(1, self.sample.n_classes - 1)

    @property
    def effort(self) -> Effort:
        """When members end."""
        effort = Effort.of_rows(self.sample.n_rows, self.sample.n_classes)
        return replace(effort, tolerance=max(effort.tolerance, _SMALL * self.n_entries))

    def start(self, fit: AdditiveFit) -> StackedShapes:
        """Return the members where the fit of the sample has them, and its tables of pairs."""
        assert fit.stack is not None
        rows, members = self.sample, MemberSet.of_classes(self.sample.n_classes)
        priors = tuple((member.priors, member.no_effect) for chain in members.final for member in chain)
        tables = tuple(to_fixed(pair.table.reshape(-1, *rows.score_shape)) for pair in fit.pairs)
        states = tuple(replace(state, **self._of_columns(state)) for state in fit.states)
        return StackedShapes(priors, states, fit.stack.weights[: len(priors)], tables, to_fixed(fit.intercept))

    def _of_columns(self, state: ShapeState) -> dict[str, Floats]:
        """Return tables and variances of these columns; the sample's fit has all that take part."""
        bins, n_scores = self.bins, int(np.prod(self.sample.score_shape))
        entries = (bins[:, None] * n_scores + np.arange(n_scores)).ravel()
        variances = state.variances[bins] if len(state.variances) else state.variances
        return {"tables": state.tables[entries], "variances": variances}

    def whole_sums(self, model: StackedShapes) -> Ints:
        """Return the gradient sums of all rows: one pass."""
        sums: Ints = self.blocks.reduce(block_sums, np.add, self.layout, model, self.backend)
        return sums

    def improved(
        self, model: StackedShapes, whole: Ints, check: Callable[[], None]
    ) -> tuple[StackedShapes, float]:
        """Return the tables after a pass, and how far they went: squared changes of rows' scores times curvatures."""
        rows = self.sample
        here, before = model.sums(rows, self.cells, self.backend)
        corrections = split_sums(np.stack([whole[:, 0] - here[:, 0], whole[:, 1]], axis=1), model)
        tables, offset = self._improved_pairs(model, before, corrections[-1])

        def improve(job: tuple[int, ShapeFit]) -> tuple[ShapeState, Floats]:
            i, fit = job
            fit.correct(*corrections[i].T)
            order = list(range(rows.n_columns))
            fit.run(order, self.effort.most_cycles, self.effort.tolerance, check)
            return fit.state, fit.scores - fit.intercept - offset

        beside = replace(model, tables=tables)
        done = in_parallel(improve, list(enumerate(beside.fits(rows, offset, self.backend))), self.n_threads)
        after = offset
        for weight, (_, scores) in zip(model.weights.tolist(), done, strict=True):
            after = after + weight * scores
        after = to_fixed(after)
        joint = beside.joint_fit(rows, self.cells, after, self.backend)
        joint.correct(*corrections[-1].T)
        joint.run([], 1, 0.0)
        changed = replace(beside, states=tuple(state for state, _ in done), intercept=joint.intercept)
        return changed, _moved(rows, before + model.intercept, after + joint.intercept)

    def _improved_pairs(
        self, model: StackedShapes, scores: Floats, correction: Ints
    ) -> tuple[tuple[Floats, ...], Floats]:
        """Return tables of pairs, each after a Newton step beside the others, and what they add to each row."""
        rows, tables, first = self.sample, [], 0
        for pair, table, own in zip(self.layout.pairs, model.tables, self.cells, strict=True):
            assert self.pairs is not None
            alone = replace(model, tables=(table,)).joint_fit(rows, [own], scores, self.backend).sums()[: table.size]
            slopes, least = correction[first : first + table.size].T
            first += table.size
            curvatures = (np.maximum(alone[:, 1], least) * rows.unit).reshape(table.shape)
            gradients = ((alone[:, 0] + slopes) * rows.unit).reshape(table.shape) + curvatures * table
            shape = (1, *pair.shape, *rows.score_shape)
            means = posterior_means(self.pairs.rows, gradients.reshape(shape), curvatures.reshape(shape))
            goal = np.where(curvatures == 0.0, 0.0, means.reshape(table.shape))
            new = to_fixed(table + np.clip(goal - table, -_MOST_CHANGE, _MOST_CHANGE))
            if rows.n_classes > 2:
                new = to_fixed(new - np.cumsum(new, axis=1)[:, -1:] / rows.n_classes)
            scores = scores + (new - table)[own]
            tables.append(new)
        changed = tuple(tables)
        return changed, replace(model, tables=changed).offset(rows, self.cells)

    def fit(
        self, sample_fit: AdditiveFit, step: Callable[[Callable[[], Floats], int], Floats], check: Callable[[], None]
    ) -> AdditiveFit:
        """Return the fit of a sample with shapes, pairs and intercept of all rows.

        ``step`` computes the numbers of a model, of which there are so many, or has them already.
        """
        start, last = self.start(sample_fit), np.inf
        model, n = start, len(_packed(start, 0.0))
        for _ in range(_MOST_PASSES):

            def improved(model: StackedShapes = model, last: float = last) -> Floats:
                check()
                changed, moved = self.improved(model, self.whole_sums(model), check)
                return _packed(_halfway(model, changed) if moved > last else changed, moved)

            model, last = _unpacked(start, step(improved, n))
            if last < _SMALL * self.n_entries:
                break
        return self._additive(sample_fit, model)

    def _additive(self, fit: AdditiveFit, model: StackedShapes) -> AdditiveFit:
        rows = self.sample
        total = np.zeros(len(model.states[0].tables))
        for weight, state in zip(model.weights.tolist(), model.states, strict=True):
            total = total + weight * state.tables
        tables = np.split(total.reshape(-1, *rows.score_shape), rows.offsets[1:-1])
        pairs = tuple(
            replace(pair, table=np.round(table.reshape(pair.table.shape), _DECIMALS) + 0.0)
            for pair, table in zip(fit.pairs, model.tables, strict=True)
        )
        return replace(
            fit, intercept=model.intercept, tables=tables, pairs=pairs, offset=model.offset(rows, self.cells)
        )


def make_all_rows(task: Task, data: ShapeData, fit: AdditiveFit, pairs: PairData | None) -> AllRows | None:
    """Return all rows for the columns and pairs of a fit; None if the rows here are all."""
    coded = task.data.all_rows
    if coded is None or not fit.columns:
        return None
    blocks, unit = coded.hold(), data.unit
    mass = task.rows.class_mass * unit
    own = np.bincount(data.rows.target.astype(np.intp), weights=data.rows.weights, minlength=len(mass))
    weights = data.rows.weights * (mass / np.where(own > 0.0, own, 1.0))[data.rows.target.astype(np.intp)]
    largest = max(float(weights.max()), blocks.reduce(_largest_weight, max) * unit)
    bits = gradient_bits(max(float(weights.sum()), float(mass.sum())), largest)
    place = {k: i for i, k in enumerate(fit.columns)}
    cells = []
    for pair in fit.pairs:
        assert pairs is not None
        a, b = ((place[k], pairs.bins[k][data.bin_orders[k]]) for k in pair.columns)
        cells.append(PairCells((a[0], b[0]), (a[1], b[1]), (pair.table.shape[0], pair.table.shape[1])))
    layout = ShapeLayout(
        tuple(data.columns[k] for k in fit.columns),
        tuple(places_of(data.bin_orders[k]) for k in fit.columns),
        tuple(cells),
        unit,
        bits,
    )
    sample = data.rows.of_columns(fit.columns, weights, bits)
    counts = [task.final.counts[data.columns[k]][data.bin_orders[k]] for k in fit.columns]
    masses = [own.sum(axis=1) * unit for own in counts]
    offsets = data.rows.offsets
    bins = np.concatenate([np.arange(offsets[k], offsets[k + 1]) for k in fit.columns])
    return AllRows(blocks, layout, sample, pairs, bins, masses, task.options.backend, task.options.n_threads)


def _largest_weight(segment: Segment) -> int:
    return int(segment.weights.max(initial=0))


def _moved(rows: ShapeRows, before: Floats, after: Floats) -> float:
    """Return the sum over rows of weight x variance of the change of a score under the probabilities of the classes."""
    scores, change = (
        np.stack([np.zeros(len(each)), each], axis=1) if each.ndim == 1 else each for each in (after, after - before)
    )
    e = exp_nonpositive(scores - scores.max(axis=1)[:, None])
    p = e / np.cumsum(e, axis=1)[:, -1:]
    mean = np.cumsum(p * change, axis=1)[:, -1:]
    variances = np.cumsum(p * (change - mean) ** 2, axis=1)[:, -1]
    return float(np.cumsum(rows.weights * variances)[-1])


def _arrays(model: StackedShapes) -> list[Floats]:
    return [*(array for state in model.states for array in state.arrays), *model.tables, model.intercept]


def _packed(model: StackedShapes, moved: float) -> Floats:
    return np.concatenate([[moved], *(array.ravel() for array in _arrays(model))])


def _unpacked(template: StackedShapes, numbers: Floats) -> tuple[StackedShapes, float]:
    """Return the model of packed numbers, in the shapes of another, and how far it moved."""
    arrays = _arrays(template)
    parts = np.split(numbers[1:], np.cumsum([array.size for array in arrays])[:-1])
    shaped = iter([part.reshape(array.shape) for part, array in zip(parts, arrays, strict=True)])
    states = tuple(
        ShapeState(next(shaped), next(shaped), next(shaped), tuple(next(shaped) for _ in state.weights))
        for state in template.states
    )
    tables = tuple(next(shaped) for _ in template.tables)
    return replace(template, states=states, tables=tables, intercept=next(shaped)), float(numbers[0])


def _halfway(a: StackedShapes, b: StackedShapes) -> StackedShapes:
    """Return the model between two: a step that went too far is half of it."""
    mean = (_packed(a, 0.0) + _packed(b, 0.0)) / 2.0
    middle, _ = _unpacked(a, mean)
    states = tuple(replace(state, tables=to_fixed(state.tables)) for state in middle.states)
    return replace(middle, states=states, tables=tuple(to_fixed(table) for table in middle.tables))
