"""A scorecard's own out-of-fold log loss is that of new rows: rare classes, groups and repeated rows, too."""

import pytest
from benchmarks.own_scores import KINDS, OwnScore, own_score, summarize
from draws import draws


def test_summary():
    scores = [OwnScore("plain", 100, 0.5 + each, 0.5, 0.1) for each in (0.1, -0.1, 0.3, -0.1)]
    within, mean, error = summarize(scores)
    assert within == 0.75
    assert mean == pytest.approx(0.05)
    assert error == pytest.approx(0.0957, abs=1e-3)


@pytest.mark.slow
def test_own_losses_are_those_of_new_rows():
    scores = [own_score(seed) for seed in range(draws(2, 50) * len(KINDS))]
    within, mean, error = summarize(scores)
    assert within >= draws(0.7, 0.9)
    assert abs(mean) <= draws(3, 2) * error
