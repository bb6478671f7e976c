"""Boosting on blocks of rows has the bits of boosting in memory, however the rows are cut."""

import pickle

import numpy as np
import pytest
from draws import draws
from search.engine.test_boosting import additions, courses_of, sound_case

from bayesieve.models import BOOSTERS, Boosting
from bayesieve.search.engine import BoostEngine, MemorySegments, TrainTestSplit, add
from bayesieve.search.engine.segments import scatter

BACKENDS = ["auto", "reference"]


def twins(case, model, n_blocks, backend="auto"):
    """Return the engine in memory, and the same on blocks."""
    splits = courses_of(case, model)
    cut = []
    for split in splits:
        train = scatter(split.train.local, n_blocks)
        test = train if split.test is split.train else scatter(split.test.local, n_blocks + 1)
        cut.append(TrainTestSplit(train, test))
    return (BoostEngine(each, model, case.unit, backend) for each in (splits, cut))


def assert_same(tested, expected, columns):
    assert tested.segment_scores == expected.segment_scores
    assert tested.score(additions(columns)).tolist() == expected.score(additions(columns)).tolist()
    for found, wanted in zip(tested.rounds, expected.rounds, strict=True):
        assert (found.column, found.alphas) == (wanted.column, wanted.alphas)
        assert all(np.array_equal(a, b) for a, b in zip(found.tables, wanted.tables, strict=True))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", BOOSTERS)
def test_blocks_have_the_bits_of_memory(method, backend):
    for seed in range(draws(3, 10)):
        rng = np.random.default_rng([seed, 71])
        case = sound_case(rng, n_rows=int(rng.choice([4, 12, 35])))
        model = Boosting(
            method, shrinkage=[1.0, 0.3][seed % 2], pseudo_count=[1.0, 0.5][seed % 2], replace=seed % 3 == 0
        )
        memory, blocks = twins(case, model, int(rng.choice([1, 2, 5, 13])), backend)
        everything = list(range(len(case.columns)))
        assert_same(blocks, memory, everything)
        for j in rng.permutation(everything).tolist():
            assert blocks.apply(add([j])) == memory.apply(add([j]))
            assert_same(blocks, memory, everything)


def test_a_state_is_found_again():
    case = sound_case(np.random.default_rng(5))
    memory, blocks = twins(case, Boosting("real", replace=True), 4)
    for engine in (memory, blocks):
        engine.reset({0: 1.0, 2: 1.0})
    token = blocks.snapshot()
    scores = blocks.score(additions([1, 3])).tolist()
    blocks.apply(add([4]))
    blocks.restore(pickle.loads(pickle.dumps(token)))
    assert blocks.score(additions([1, 3])).tolist() == scores == memory.score(additions([1, 3])).tolist()


def test_one_segment_at_a_time():
    case = sound_case(np.random.default_rng(6))
    model = Boosting("logit")
    segments = [segment for split in courses_of(case, model) for segment in split.train.local] * 2
    both = scatter(segments, 3)
    with pytest.raises(ValueError, match="one segment at a time"):
        BoostEngine([TrainTestSplit(both, both)], model, 1.0)
    part = both.part(1)
    alone = MemorySegments(segments[1:2])
    tested, expected = (BoostEngine([TrainTestSplit(each, each)], model, case.unit) for each in (part, alone))
    assert tested.reset({1: 1.0}) == expected.reset({1: 1.0})
