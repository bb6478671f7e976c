"""Where a search stops: at the limits themselves."""

import pytest

from bayesieve.search.space import Stopping

STOPPING = Stopping(2, 4, tol=0.25)


@pytest.mark.parametrize(
    ("gain", "n_columns", "size", "expected"),
    [
        (0.25, 1, 2, False),  # a column must gain more than its price
        (0.26, 1, 2, True),
        (0.5, 2, 2, False),  # and so must each of a group
        (0.51, 2, 2, True),
        (-1.0, 1, 1, True),  # a subset that is too small grows all the same
        (0.0, 1, 2, False),
    ],
)
def test_an_addition_gains_more_than_its_price(gain, n_columns, size, expected):
    assert STOPPING.allows_addition(gain, n_columns, size) is expected


@pytest.mark.parametrize(
    ("gain", "n_columns", "size", "expected"),
    [
        (-0.25, 1, 4, True),  # on a tie, fewer columns
        (-0.26, 1, 4, False),
        (-0.5, 2, 4, True),
        (-0.51, 2, 4, False),
        (-1.0, 1, 5, True),  # a subset that is too large shrinks all the same
    ],
)
def test_a_removal_loses_at_most_the_price(gain, n_columns, size, expected):
    assert STOPPING.allows_removal(gain, n_columns, size) is expected


@pytest.mark.parametrize("stopping", [Stopping(0, 4, tol=None), Stopping(0, 4, forced=True)])
def test_without_a_price_every_move_goes_ahead(stopping):
    assert stopping.allows_addition(-1.0, 1, 2)
    assert stopping.allows_removal(-1.0, 1, 2)
    assert stopping.price == 0.0
