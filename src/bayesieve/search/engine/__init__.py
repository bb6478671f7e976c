# SPDX-License-Identifier: BSD-3-Clause
"""Scores every possible move at once."""

from collections.abc import Callable, Sequence

from bayesieve._native import available, warn_if_missing
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.criteria.benefit import BenefitError
from bayesieve.search.engine.benefit_rows import BenefitEngine, benefit_rows, in_units
from bayesieve.search.engine.block_engine import DistributedEngine
from bayesieve.search.engine.gradients.boosting import BoostEngine, BoostingRound, TrainTestSplit
from bayesieve.search.engine.gradients.weights import Weighing, make_weighing
from bayesieve.search.engine.moves import Change, Engine, Move, Moves, add, drop
from bayesieve.search.engine.reference import ReferenceEngine
from bayesieve.search.engine.refit_engine import RefitEngine, ScoreSubsets
from bayesieve.search.engine.scan_and_confirm import MemoryEngine, has_kernels
from bayesieve.search.engine.segments import BlockSegments, MemorySegments, Segment, Segments, join_segments, scatter
from bayesieve.search.engine.size_penalty import SizePenaltyEngine

__all__ = [
    "BACKENDS",
    "ENGINES",
    "BlockSegments",
    "BoostEngine",
    "BoostingRound",
    "Change",
    "DistributedEngine",
    "Engine",
    "MemoryEngine",
    "MemorySegments",
    "Move",
    "Moves",
    "ReferenceEngine",
    "RefitEngine",
    "ScoreSubsets",
    "Segment",
    "Segments",
    "SizePenaltyEngine",
    "TrainTestSplit",
    "Weighing",
    "add",
    "drop",
    "join_segments",
    "make_engine",
    "make_weighing",
]

BACKENDS = ("auto", "native", "reference", "dask")

# Engines that can be built here; each takes segments, a model and a criterion.
ENGINES: dict[str, Callable[[Sequence[Segment], Model, Criterion], Engine]] = {"reference": ReferenceEngine}
if available():
    ENGINES["native"] = MemoryEngine
ENGINES["distributed"] = lambda segments, *axes: DistributedEngine(scatter(segments, 3), *axes)


def make_engine(
    segments: Segments,
    model: Model,
    criterion: Criterion,
    backend: str = "auto",
    n_threads: int = 1,
    n_scored: float | None = None,
) -> Engine:
    """Return the engine that a backend names; without a kernel for model and criterion, the reference engine.

    ``n_scored`` is the weight of the scored rows, each counted once, for criteria that weigh rows against the subset;
    by default the sum of the segments' weights.
    """
    local = segments.local
    if local is None:
        engine: Engine = DistributedEngine(segments, model, criterion, backend, n_threads)
    elif criterion.uses_benefits:
        engine = _benefit_engine(local, model, criterion, backend, n_threads)
    else:
        engine = _row_engine(local, model, criterion, backend, n_threads)
    costs = criterion.subset_costs(segments.n_columns)
    mass = n_scored or float(sum(map(sum, segments.masses)))
    return engine if costs is None else SizePenaltyEngine(engine, costs / mass)


def _benefit_engine(
    segments: Sequence[Segment], model: Model, criterion: Criterion, backend: str, n_threads: int
) -> Engine:
    """Return an engine of stakes where two actions and added evidence allow it, of regrets otherwise."""
    staked = benefit_rows(segments) if model.adds_evidence else None
    if staked is None:
        return ReferenceEngine(in_units(segments), model, criterion)
    rows, has_column = staked
    engine = _row_engine(rows, model, BenefitError(), backend, n_threads)
    return BenefitEngine(engine, segments[0].codes.n_columns) if has_column else engine


def _row_engine(
    segments: Sequence[Segment], model: Model, criterion: Criterion, backend: str, n_threads: int
) -> Engine:
    if backend != "reference":
        if has_kernels(model, criterion):
            return MemoryEngine(segments, model, criterion, n_threads)
        warn_if_missing()
    return ReferenceEngine(segments, model, criterion)
