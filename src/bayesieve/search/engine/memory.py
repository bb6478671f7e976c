# SPDX-License-Identifier: BSD-3-Clause
"""The engine on the compiled core, with all rows in this process."""

from collections.abc import Sequence

from bayesieve._native import core
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine.base import Scorer, Segment, segment_arrays
from bayesieve.search.engine.ranks.reference import RankedRows
from bayesieve.search.engine.scan_and_confirm import ScanEngine

__all__ = ["MemoryEngine", "compiled_rows", "has_kernels"]

_MODELS = frozenset({"evidence", "votes"})
_KERNELS = frozenset({"error", "error_probability", "brier", "log_loss", "smoothed_log_loss", "pairs", "refinement"})


class MemoryEngine(ScanEngine):
    """Keeps rows sorted by class, evidence in fixed point, and beliefs as float32 ratios.

    Codes of rows that come sorted are not copied; they must not change.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion, n_threads: int = 1) -> None:
        scorer = Scorer(criterion, [segment.mass for segment in segments])
        super().__init__(compiled_rows(segments, model, criterion, scorer.slopes, n_threads), criterion, scorer)


def has_kernels(model: Model, criterion: Criterion) -> bool:
    """Return whether there is a compiled core, with kernels for a model and a criterion."""
    return core is not None and model.kernel in _MODELS and criterion.kernel in _KERNELS


def compiled_rows(
    segments: Sequence[Segment], model: Model, criterion: Criterion, slopes: Sequence[Sequence[float]], n_threads: int
) -> RankedRows:
    """Return rows in the compiled core; ``slopes`` are those of the scores in each segment's measures."""
    assert core is not None
    parts = tuple(segment_arrays(segment, each) for segment, each in zip(segments, slopes, strict=True))
    arguments = model.kernel_arguments(segments[0].codes.n_columns)
    return core.Engine(model.kernel, arguments, criterion.kernel, criterion.kernel_argument, parts, n_threads)
