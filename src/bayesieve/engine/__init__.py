"""Scores every possible move at once."""

from bayesieve.engine.base import Change, Engine, Move, Segment, add, drop
from bayesieve.engine.reference import ReferenceEngine

__all__ = ["ENGINES", "Change", "Engine", "Move", "ReferenceEngine", "Segment", "add", "drop"]

ENGINES: dict[str, type[ReferenceEngine]] = {"reference": ReferenceEngine}
