"""What a search is given: what every fold learnt, and the rows on which subsets are scored."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesieve.engine import BlockSegments, Segment
from bayesieve.estimators.options.folds import split
from bayesieve.estimators.options.plan import Plan
from bayesieve.explanations.redundancy import spread_rows
from bayesieve.training.block_folds import deal_rows
from bayesieve.training.block_learning import BlockFold, block_segments, learn_in_blocks, spread_segment
from bayesieve.training.block_rows import BlockedRows, TrainingRows
from bayesieve.training.learning import LearnedColumns, LearnedFold, learn
from bayesieve.training.memory_rows import Fold, MemoryRows, scored_weight

__all__ = ["ProblemData", "make_problem_data"]


@dataclass(frozen=True)
class ProblemData:
    """What was learnt; the segments that are scored, and those that teach as the search goes; and their weight.

    ``final`` is learnt from all rows, and its segment tells how columns depend on each other; ``whole`` are all rows
    under it, where the search learns as it goes.
    """

    lessons: LearnedColumns
    segments: Sequence[Segment] | BlockSegments
    taught: Sequence[Segment] | BlockSegments
    final: LearnedFold
    whole: Sequence[Segment] | BlockSegments
    n_scored: float


def make_problem_data(
    sample: TrainingRows, plan: Plan, groups: Any, n_threads: int, wanted: Collection[int], dropped: Collection[int]
) -> ProblemData:
    """Learn from rows, wherever they are."""
    if isinstance(sample, BlockedRows):
        return _from_blocks(sample, plan, groups, n_threads, wanted, dropped)
    return _from_rows(sample, plan, groups, n_threads, wanted, dropped)


def _from_rows(
    sample: MemoryRows, plan: Plan, groups: Any, n_threads: int, wanted: Collection[int], dropped: Collection[int]
) -> ProblemData:
    folds = list(split(sample, plan.cv, groups, plan.random_state))
    n_scored = scored_weight(sample, folds)
    if plan.cv is not None:
        everything = np.arange(sample.n_rows)
        folds.append(Fold(everything, everything if plan.teaches else spread_rows(sample.n_rows)))
    taught = [Fold(fold.fitting, fold.fitting) for fold in folds[:-1]] if plan.teaches else []
    lessons = learn(
        sample, [*taught, *folds], plan.rule, plan.model, n_threads=n_threads, wanted=wanted, dropped=dropped
    )
    segments = [part.segment for part in lessons.folds if part.segment is not None]
    scored = segments[len(taught) :] if plan.cv is None else segments[len(taught) : -1]
    return ProblemData(lessons, scored, segments[: len(taught)] or scored, lessons.folds[-1], segments[-1:], n_scored)


def _from_blocks(
    sample: BlockedRows, plan: Plan, groups: Any, n_threads: int, wanted: Collection[int], dropped: Collection[int]
) -> ProblemData:
    parts, told = deal_rows(sample, plan.cv, groups, plan.random_state)
    taught = [BlockFold(part, scores_own=True) for part in parts] if plan.teaches else []
    scored = [BlockFold(part, scores_own=False) for part in parts]
    lessons, coded = learn_in_blocks(
        sample,
        told,
        [*taught, *scored, BlockFold(0, scores_own=True)],
        plan.rule,
        plan.model,
        code_last=plan.teaches or not parts,
        n_threads=n_threads,
        wanted=wanted,
        dropped=dropped,
    )
    which = list(range(len(taught), len(taught) + len(scored))) or [0]
    segments = block_segments(coded, lessons, which, sample.n_classes)
    others = block_segments(coded, lessons, range(len(taught)), sample.n_classes) if taught else segments
    weight = sum(sum(mass) for mass in segments.masses) * sample.unit
    final = replace(lessons.folds[-1], segment=spread_segment(coded))
    last = [len(lessons.folds) - 1]
    whole = block_segments(coded, lessons, last, sample.n_classes) if plan.teaches and parts else segments
    return ProblemData(lessons, segments, others, final, whole, weight)
