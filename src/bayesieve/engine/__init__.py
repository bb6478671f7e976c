"""Scores every possible move at once."""

from collections.abc import Callable, Sequence

from bayesieve._native import available, warn_if_missing
from bayesieve.criteria import Criterion
from bayesieve.engine.base import Engine, Segment
from bayesieve.engine.memory import MemoryEngine
from bayesieve.engine.moves import Change, Move, Moves, add, drop
from bayesieve.engine.reference import ReferenceEngine
from bayesieve.engine.weighing import Weighing, make_weighing
from bayesieve.models import Model

__all__ = [
    "BACKENDS",
    "ENGINES",
    "Change",
    "Engine",
    "MemoryEngine",
    "Move",
    "Moves",
    "ReferenceEngine",
    "Segment",
    "Weighing",
    "add",
    "drop",
    "make_engine",
    "make_weighing",
]

BACKENDS = ("auto", "native", "reference")

# Engines that can be built here; each takes segments, a model and a criterion.
ENGINES: dict[str, Callable[[Sequence[Segment], Model, Criterion], Engine]] = {"reference": ReferenceEngine}
if available():
    ENGINES["native"] = MemoryEngine


def make_engine(
    segments: Sequence[Segment], model: Model, criterion: Criterion, backend: str = "auto", n_threads: int = 1
) -> Engine:
    """Return the engine that a backend names; without a kernel for model and criterion, the reference engine."""
    if backend != "reference":
        if MemoryEngine.supports(model, criterion):
            return MemoryEngine(segments, model, criterion, n_threads)
        warn_if_missing()
    return ReferenceEngine(segments, model, criterion)
