# SPDX-License-Identifier: BSD-3-Clause
"""Writes the contract tests' problems as files for the C++ driver, with the measures that the reference engine gives.

``python dump_cases.py FOLDER [EVERY [FIRST]]`` writes all of them, or each EVERY-th from FIRST on, by default any.
The format is that of ``case.hpp``: sizes are uint32, and every array follows in the order in which it is read there.
"""

import random
import struct
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "contract")]

from cases import make_segments, plain_case, random_case  # noqa: E402
from test_engines import CONSTRUCTED  # noqa: E402

from bayesieve.models import NaiveBayes  # noqa: E402
from bayesieve.search.criteria import CRITERIA, SmoothedLogLoss  # noqa: E402
from bayesieve.search.engine import Change, add, drop  # noqa: E402
from bayesieve.search.engine.moves import Moves  # noqa: E402
from bayesieve.search.engine.reference import ReferenceScores  # noqa: E402
from bayesieve.search.engine.scorer import Scorer  # noqa: E402

KERNELS = ["error", "error_probability", "brier", "log_loss", "pairs", "smoothed_log_loss", "refinement"]


def sizes(*numbers):
    """Return sizes as bytes."""
    return struct.pack(f"<{len(numbers)}I", *numbers)


def pack_segment(segment, slopes):
    """Return what ``read_segment`` reads."""
    codes, tables = segment.codes, segment.tables
    counts = (codes.n_rows, len(codes.narrow), len(codes.wide), len(codes.place), segment.n_classes)
    arrays = [codes.narrow, codes.wide, *codes.sparse.arrays, codes.place]
    arrays += [tables.offsets, tables.entries, tables.start]
    arrays += [segment.target, segment.weights, np.array(slopes, dtype=np.float64)]
    content = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    sparse = (len(codes.sparse.common), len(codes.sparse.rows))
    return sizes(*counts, len(tables.entries), len(slopes), *sparse) + content


def pack_moves(moves):
    """Return what ``read_batch`` reads."""
    batch = Moves.of(moves)
    arrays = (batch.starts, batch.columns, batch.before, batch.after)
    return sizes(len(batch), len(batch.columns)) + b"".join(array.tobytes() for array in arrays)


def pack_measures(measures):
    """Return integers as (low, high) words."""
    words = [word for measure in measures for value in measure for word in (value % 2**64, value >> 64)]
    return sizes(len(words) // 2) + struct.pack(f"<{len(words)}Q", *words)


def pack_case(segments, smoothing, criterion, beginning, moves):
    """Return what ``read_case`` reads."""
    rows = ReferenceScores(segments, NaiveBayes(smoothing), criterion)
    rows.change(beginning)
    slopes = Scorer(criterion, [segment.mass for segment in segments]).slopes
    parts = [sizes(KERNELS.index(criterion.kernel), len(segments))]
    parts += [pack_segment(segment, line) for segment, line in zip(segments, slopes, strict=True)]
    parts += [pack_moves([beginning]), pack_moves(moves), pack_measures(rows.measures())]
    parts.append(pack_measures([measure for move in moves for measure in rows.measures_after(move)]))
    return b"".join(parts)


def make_scenarios(case):
    """Return starting weights and moves: to and fro, groups; for tables of a fair size also from nothing and so on."""
    everything, evens = range(len(case.columns)), range(0, len(case.columns), 2)
    some = everything[:: max(1, len(everything) // 12)]
    halves = tuple(Change(j, 0.0, 0.5) for j in evens)
    groups = [add(everything), (), tuple(Change(j, 0.5, 1.0) for j in evens), (Change(0, 0.5, 0.3),)]
    scenarios = {
        "evens": (add(evens), [add([j]) if j % 2 else drop([j]) for j in some]),
        "groups": (halves, groups),
    }
    if max(case.n_bins) > 1000:
        return scenarios
    return scenarios | {
        "empty": ((), [add([j]) for j in some]),
        "full": (add(everything), [drop([j]) for j in some]),
        "halves": (halves, [(Change(j, 0.0, 0.3) if j % 2 else Change(j, 0.5, 1.0),) for j in some]),
    }


def tables_of_many_sizes(n_classes, **changes):
    """Return columns whose tables fit one register, two, or none."""
    rng = np.random.default_rng([7, n_classes])
    labels = rng.integers(0, n_classes, 600)
    columns = [
        np.where(rng.random(600) < 0.5, labels % parts, rng.integers(0, parts, 600)) for parts in (7, 8, 15, 16, 200)
    ]
    return plain_case([column.tolist() for column in columns], labels.tolist(), **changes)


def surprises(n_classes, **changes):
    """Return rows whose class never had their code in training, so that every likelihood ratio is large and wrong."""
    labels = [c for c in range(n_classes) for _ in range(40)]
    column = [int(c == n_classes - 1) for c in labels]
    last = [i for i, c in enumerate(labels) if c == n_classes - 1]
    fitting = list(range(len(labels)))
    scored = [*last, *range(5)]
    # The same rows once more, with the other code.
    twins = [1 - code for code in column]
    rows = [len(labels) + i for i in scored]
    return plain_case([column + twins] * 2, labels * 2, folds=[(fitting, rows)], **changes)


def cases():
    """Yield names and problems: those of the contract tests, and some that reach every loop of the kernels."""
    yield from CONSTRUCTED.items()
    for seed in range(25):
        yield f"random {seed}", random_case(np.random.default_rng([5, seed]), n_rows=[1, 7, 50, 300][seed % 4])
    for seed in range(12):
        rng = np.random.default_rng([11, seed])
        yield f"sparse {seed}", random_case(rng, n_rows=[3, 40, 700][seed % 3], sparse=1 + seed % 2)
    for n_classes, n_rows in ((2, 4500), (3, 900), (5, 900), (7, 900)):
        rng, rows = np.random.default_rng([8, n_classes]), list(range(n_rows))
        case = random_case(rng, n_columns=9, n_rows=n_rows, n_classes=n_classes, folds=[(rows, rows)])
        yield f"large {n_classes}", case
    for n_classes in (2, 3, 4, 5, 6):
        case = tables_of_many_sizes(n_classes)
        weights = np.random.default_rng(9).integers(0, 2**31, len(case.labels)).tolist()
        yield f"tables {n_classes}", case
        yield f"weighted tables {n_classes}", replace(case, units=weights, unit=2.0**-31)
        yield f"surprises {n_classes}", surprises(n_classes, smoothing=2.0**-50)
        heavy = [2**31 - 1] * (80 * n_classes)
        yield f"heavy surprises {n_classes}", surprises(n_classes, smoothing=2.0**-52, units=heavy, unit=2.0**-31)
    yield "surprises 24", surprises(24, smoothing=2.0**-57)
    column = [0, 0, 0, 1, 1, 1, 1, 0, 1]
    for smoothing in ("auto", 1e-300):
        twins = plain_case([column] * 400, [0, 0, 0, 0, 1, 1, 1, 1, 1], smoothing=smoothing)
        yield f"identical columns, {smoothing}", twins
    yield "three classes apart", plain_case([[0, 1, 2, 0, 1]] * 400, [0, 1, 2, 2, 1], smoothing=1e-300)


def main(folder, every=1, first=None):
    """Write the problems with every criterion and scenario, or each ``every``-th of these from ``first`` on."""
    first = random.randrange(every) if first is None else first
    n = number = 0
    for name, case in cases():
        segments = make_segments(case)
        smoothed = SmoothedLogLoss(1.0 + segments[0].codes.n_rows)  # as case.hpp has it
        for criterion in (*CRITERIA.values(), smoothed):
            for scenario, (beginning, moves) in make_scenarios(case).items():
                number += 1
                if (number - 1 - first) % every:
                    continue
                content = pack_case(segments, case.smoothing, criterion, beginning, moves)
                (folder / f"{name}, {criterion.name}, {scenario}").write_bytes(content)
                n += 1
    sys.stdout.write(f"{n} of {number} cases: EVERY {every}, FIRST {first}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
