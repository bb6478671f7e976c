# SPDX-License-Identifier: BSD-3-Clause
"""A step of votes against a step of naive Bayes by the Brier score, on the same two-class data."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bayesieve.models import Votes, read_votes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import MemoryEngine, Moves, Segment
from benchmarks.problems import Shape, additions, engine, make_segment
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_APPLIED = 5
_REPEATS = 10
_SHAPES = (Shape(2, 2, 6000, 814), Shape(2, 8, 100_000, 200))
_RULES = ("any", "majority", "all")
_LIMITS = {"error_probability": 1.0, "log_loss": 4.0}
_TITLES = {"error_probability": "expected", "log_loss": "log"}


def run(full: bool) -> Section:
    """Measure steps: all additions are scored, and the best one applied."""
    rows = [row for shape in _SHAPES for row in _one_shape(shape)]
    notes = ["A step scores every addition, the best two exactly, and applies one; one thread."]
    return Section("Votes: ns per (row, candidate) of a step", "naive Bayes, brier", rows, notes)


def _one_shape(shape: Shape) -> list[Row]:
    segment = make_segment(shape)
    batch = additions(_APPLIED, shape.n_columns)
    tasks = {"naive bayes": _step(engine(segment, "brier", _APPLIED), batch)}
    for votes in _RULES:
        model = Votes(read_votes(votes))
        for criterion in _LIMITS:
            voting = MemoryEngine([_voting(segment, model)], model, CRITERIA[criterion])
            voting.reset(dict.fromkeys(range(_APPLIED), 1.0))
            tasks[f"{votes}, {criterion}"] = _step(voting, batch)
    best = minima(tasks, _REPEATS)
    ns = {name: nanoseconds(time, shape.n_rows, len(batch)) for name, time in best.items()}
    return [
        Row(f"{votes}, {_TITLES[criterion]}, {shape}", ns[f"{votes}, {criterion}"], ns["naive bayes"], "ns", limit)
        for votes in _RULES
        for criterion, limit in _LIMITS.items()
    ]


def _voting(segment: Segment, model: Votes) -> Segment:
    """Return the same rows with tables of votes."""
    counts = segment.codes.count(segment.target, segment.weights, segment.n_classes)
    mass = np.array(segment.mass, dtype=np.int64)
    return replace(segment, tables=model.learn(counts, segment.codes.offsets, mass, 1.0))


def _step(scored: MemoryEngine, batch: Moves) -> Callable[[], float]:
    """Return the time of a step as a search makes it; the restored state of each repeat does not count."""
    token = scored.snapshot()
    timed = seconds(lambda: scored.apply(batch[int(scored.score(batch).argmax())]))

    def run() -> float:
        scored.restore(token)
        return timed()

    return run
