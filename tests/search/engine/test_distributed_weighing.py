"""Weighing on blocks of rows has the bits of weighing in memory, however the rows are cut."""

import numpy as np
import pytest
from blocks import send
from cases import make_segments, plain_case, random_case

from bayesieve.search.engine import make_weighing
from bayesieve.search.engine.segments import scatter


def told_by(weighing, columns, penalties):
    """Return everything that a weighing tells along a descent."""
    results = []
    for tolerance, most_rounds in ((1e-1, 3), (1e-2, 40)):
        results += [each.tolist() for each in weighing.slopes(columns)]
        results += [weighing.descend(columns, penalties, tolerance, most_rounds), weighing.scores(), weighing.mass]
        results += [weighing.start.tolist(), weighing.weights.tolist()]
    start, weights = weighing.start, weighing.weights
    weighing.reset(start, np.round(weights * 2**19) / 2**20)
    results += [each.tolist() for each in weighing.slopes(columns[::-1].copy())]
    return [*results, weighing.scores()]


def assert_alike(segments, case, rng, cut):
    n_columns = len(case.columns)
    columns = rng.permutation(n_columns).astype(np.int32)
    penalties = rng.choice([0.0, 0.1, 2.0], n_columns)
    expected = told_by(make_weighing(segments, case.unit), columns, penalties)
    assert told_by(make_weighing(cut, case.unit), columns, penalties) == expected


@pytest.mark.parametrize("part", range(5))
def test_blocks_have_the_bits_of_memory(part):
    for seed in range(8 * part, 8 * part + 8):
        rng = np.random.default_rng([seed, 72])
        case = random_case(rng, sparse=seed % 3)
        segments = make_segments(case)
        assert_alike(segments, case, rng, scatter(segments, int(rng.choice([1, 2, 3, 9]))))


def test_blocks_that_are_sent_and_made_anew():
    for seed in range(6):
        rng = np.random.default_rng([seed, 73])
        case = random_case(rng)
        segments = make_segments(case)
        assert_alike(segments, case, rng, send(segments, 3))


def test_columns_that_do_not_move_share_a_question():
    rng = np.random.default_rng(74)
    labels = rng.integers(0, 2, 300)
    columns = [np.where(rng.random(300) < 0.3, labels, rng.integers(0, 2, 300)).tolist()]
    columns += [rng.integers(0, 3, 300).tolist() for _ in range(100)]
    segments = make_segments(plain_case(columns, labels.tolist()))
    cut = send(segments, 1)
    everything, penalties = np.arange(101, dtype=np.int32), np.full(101, 20.0)
    twins = [make_weighing(each, 1.0) for each in (segments, cut)]
    cut.blocks.sent.clear()
    rounds = [weighing.descend(everything, penalties) for weighing in twins]
    assert rounds[0] == rounds[1]
    assert twins[0].weights.tolist() == twins[1].weights.tolist()
    assert len(cut.blocks.sent) < 12 * rounds[0]  # 102 each if every column were asked alone
