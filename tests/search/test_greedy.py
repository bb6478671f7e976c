"""How many steps a search has at most, as a progress bar shows it."""

import pytest

from bayesieve.search.greedy import backward_steps, forward_steps
from bayesieve.search.space import FeatureGroup, SearchSpace, Stopping

GROUPS = (*(FeatureGroup(str(j), (j,)) for j in range(5)), FeatureGroup("pair", (5, 6)))
NAMES = tuple("abcdefg")


@pytest.mark.parametrize(
    ("start", "largest", "expected"),
    [((), 7, 6), ((), 4, 4), ((0, 1), 4, 2), ((0, 1), 7, 4), ((0, 5), 4, 1), ((0, 1), 2, 0), ((0, 1, 2), 1, 0)],
)
def test_forward(start, largest, expected):
    assert forward_steps(SearchSpace(GROUPS, NAMES, start), Stopping(0, largest)) == expected


@pytest.mark.parametrize(
    ("locked", "smallest", "expected"),
    [((), 0, 6), ((), 4, 3), ((0, 1), 2, 4), ((), 7, 0), ((0,), 6, 1)],
)
def test_backward(locked, smallest, expected):
    space = SearchSpace(GROUPS, NAMES, tuple(range(6)), frozenset(locked))
    assert backward_steps(space, Stopping(smallest, 7)) == expected
