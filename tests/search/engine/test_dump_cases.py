"""The cases of the C++ driver: `make sanitize` replays them without Python, so only this file sees them break."""

import runpy
from pathlib import Path

import pytest
from cases import make_segments, plain_case

from bayesieve.search.criteria import CRITERIA

DUMP = runpy.run_path(str(Path(__file__).parents[3] / "native" / "tests" / "dump_cases.py"))


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
def test_a_case_ends_with_the_measures_after_its_moves(criterion):
    case = plain_case([[0, 1, 0, 1, 1], [0, 0, 1, 2, 2]], [0, 1, 0, 1, 1])
    _, (start, moves) = next(iter(DUMP["make_scenarios"](case).items()))
    size = 16 * (1 if criterion.kernel in ("pairs", "refinement") else 2)  # bytes of one measure of two classes
    packed = [
        DUMP["pack_case"](make_segments(case), case.smoothing, criterion, start, order)
        for order in (moves, moves[::-1])
    ]
    last, reversed_last = ([content[-size:], content[-2 * size : -size]] for content in packed)
    assert len(moves) == 2
    assert last == reversed_last[::-1]
    assert last[0] != last[1]
