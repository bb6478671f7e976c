"""Tables without interactions on which chance makes several pairs look alike."""

import pytest
from benchmarks.false_pairs import choice_of_table


@pytest.mark.parametrize("seed", [11, 157, 258])
def test_pairs_that_look_alike_by_chance_are_not_taken(seed):
    assert choice_of_table(seed, effect=0.0).terms == ()


def test_a_product_is_taken_from_the_same_tables():
    assert any(term.columns == (0, 3) for term in choice_of_table(11, effect=0.8).terms)
