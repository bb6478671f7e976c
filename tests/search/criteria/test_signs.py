"""A search maximizes scores; what people read are losses above 0, and areas and profits as they are."""

import pytest

from bayesieve.search.criteria import METRICS


@pytest.mark.parametrize("name", METRICS)
def test_losses_are_shown_without_their_sign(name):
    criterion = METRICS[name]
    score = -0.25 if criterion.is_loss else 0.25
    assert criterion.natural(score) == 0.25
