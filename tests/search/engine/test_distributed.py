"""The engine on blocks of rows: ranks that merge, histograms that bound, and the reference engine's bits."""

import pickle

import numpy as np
import pytest
from blocks import send
from cases import make_segments, of_two_classes, plain_case, random_case
from draws import draws

from bayesieve._native import core
from bayesieve.models import NaiveBayes
from bayesieve.search.candidates import best_two
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.criteria.ranking import ranked_classes, tie_rows
from bayesieve.search.engine import (
    Change,
    DistributedEngine,
    MemoryEngine,
    Moves,
    ReferenceEngine,
    add,
    block_engine,
    drop,
)
from bayesieve.search.engine.rank_summaries import (
    RankTable,
    bounds_of,
    equal_weights,
    merge_buckets,
    merge_ranges,
    merge_tables,
    merged_limits,
    shift_ranges,
    widths_of,
)
from bayesieve.search.engine.reference import ReferenceRanks
from bayesieve.search.engine.scan_and_confirm import compiled_rows
from bayesieve.search.engine.segments import scatter

RANKS = ["auc", "lift", "refinement"]


def assert_alike(tested, reference, n_columns, rng):
    """Walk through some subsets, and compare scores of single columns, of pairs and of fractions."""
    inside = {}
    for _ in range(3):
        moves = [(Change(j, inside.get(j, 0.0), rng.choice([1.0, 1.0, 0.5])),) for j in range(n_columns)]
        moves = [drop([j]) if inside.get(j) == 1.0 else move for j, move in enumerate(moves)]
        moves += [add([j - 1, j]) for j in range(1, n_columns) if j not in inside and j - 1 not in inside]
        expected = reference.score(moves)
        assert tested.score(moves, exact=True).tolist() == expected.tolist()
        found = tested.score(moves)
        assert best_two(found, last=False) == best_two(expected, last=False)
        assert tuple(tested.segment_scores) == tuple(reference.segment_scores)
        change = moves[int(rng.integers(n_columns))]
        assert tested.apply(change) == reference.apply(change)
        inside = {**inside, **{j: after for j, _, after in change}}
        inside = {j: weight for j, weight in inside.items() if weight}


@pytest.mark.parametrize("criterion", RANKS)
@pytest.mark.parametrize("few_keys", [0, 8, 4096])
def test_ranks_of_blocks_have_the_reference_bits(criterion, few_keys, monkeypatch):
    """With histograms for all moves, for some, and for none."""
    monkeypatch.setattr(block_engine, "_FEW_KEYS", few_keys)
    for seed in range(draws(3, 8)):
        rng = np.random.default_rng([seed, 81, few_keys])
        case = random_case(rng, sparse=seed % 3)
        case = case if seed % 2 == 0 else of_two_classes(case)
        segments, model = make_segments(case), NaiveBayes(case.smoothing)
        cut = scatter(segments, int(rng.choice([1, 2, 3, 9])))
        engines = (
            DistributedEngine(cut, model, CRITERIA[criterion]),
            ReferenceEngine(segments, model, CRITERIA[criterion]),
        )
        assert_alike(*engines, len(case.columns), rng)


@pytest.mark.parametrize("criterion", ["auc", "refinement", "log_loss", "error"])
def test_blocks_that_are_sent_and_made_anew(criterion):
    for seed in range(draws(3, 5)):
        rng = np.random.default_rng([seed, 82])
        case = random_case(rng)
        segments, model = make_segments(case), NaiveBayes(case.smoothing)
        tested = DistributedEngine(send(segments, 3), model, CRITERIA[criterion])
        assert_alike(tested, ReferenceEngine(segments, model, CRITERIA[criterion]), len(case.columns), rng)


def test_what_a_move_brings_is_not_asked_twice():
    case = of_two_classes(random_case(np.random.default_rng(83), n_rows=200, n_columns=4))
    cut = send(make_segments(case), 1)
    engine = DistributedEngine(cut, NaiveBayes(case.smoothing), CRITERIA["auc"])
    best = int(np.argmax(engine.score([add([j]) for j in range(4)])))
    cut.blocks.sent.clear()
    engine.apply(add([best]))
    assert not cut.blocks.sent


@pytest.mark.parametrize("n_classes", [2, 4])
def test_most_moves_are_compared_without_all_of_their_keys(n_classes):
    """A key takes at least a byte."""
    rng = np.random.default_rng([n_classes, 89])
    n_rows, n_columns = 20_000, 30
    labels = rng.integers(0, n_classes, n_rows)
    codes = [np.clip(np.rint(rng.normal(20 + 3 * (j < 6) * labels, 5)), 0, 40).astype(int) for j in range(n_columns)]
    case = plain_case([column.tolist() for column in codes], labels.tolist())
    segments, model, moves = make_segments(case), NaiveBayes(case.smoothing), [add([j]) for j in range(4, n_columns)]
    cut = send(segments, 1)
    engine = DistributedEngine(cut, model, CRITERIA["auc"])
    engine.apply(add([0, 1, 2, 3]))
    cut.blocks.sent.clear()
    found = engine.score(moves)
    expected = (
        MemoryEngine(segments, model, CRITERIA["auc"]) if core else ReferenceEngine(segments, model, CRITERIA["auc"])
    )
    expected.apply(add([0, 1, 2, 3]))
    assert best_two(found, last=False) == best_two(expected.score(moves), last=False)
    assert sum(cut.blocks.sent) < n_rows * len(ranked_classes(n_classes)) * len(moves) / 3


@pytest.mark.parametrize("few_keys", [0, 4096])
def test_scores_with_a_constant_meet_those_that_are_estimated(few_keys, monkeypatch):
    """A fold of one class scores one half whatever is chosen; estimates must have that half too."""
    monkeypatch.setattr(block_engine, "_FEW_KEYS", few_keys)
    for seed in range(12):
        rng = np.random.default_rng([seed, 84])
        labels = [0] * 20 + [1] * 40
        columns = [[c if rng.random() < 0.6 else 1 - c for c in labels] for _ in range(6)]
        fitting = list(range(40))
        case = plain_case(columns, labels, folds=[(fitting, fitting), (fitting, list(range(40, 60)))])
        segments, model = make_segments(case), NaiveBayes(case.smoothing)
        moves = [add([0, 1]), add([2, 3]), *(add([j]) for j in range(6))]
        expected = ReferenceEngine(segments, model, CRITERIA["auc"]).score(moves)
        found = DistributedEngine(scatter(segments, 2), model, CRITERIA["auc"]).score(moves)
        assert best_two(found, last=False) == best_two(expected, last=False)
        assert found.max() == expected.max()


def random_ranks(rng):
    n_rows = int(rng.integers(0, 30))
    keys = rng.integers(-9, 9, n_rows) * int(rng.choice([1, 1000, 2**30]))
    return keys, rng.random(n_rows) < 0.4, rng.integers(0, int(rng.choice([2, 300, 2**40])), n_rows)


def test_tables_merge_and_travel():
    for seed in range(400):
        rng = np.random.default_rng([seed, 85])
        blocks = [random_ranks(rng) for _ in range(2)]
        tables = [RankTable(*tie_rows(*block)) for block in blocks]
        (merged,) = merge_tables(*([pickle.loads(pickle.dumps(table))] for table in tables))
        keys, ties = tie_rows(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
        heavy, own = ties.any(axis=1), merged.ties.any(axis=1)  # keys without weight may be left out
        assert merged.keys[own].tolist() == keys[heavy].tolist()
        assert merged.ties[own].tolist() == ties[heavy].tolist()
        assert CRITERIA["auc"].measure_ties(merged.ties) == CRITERIA["auc"].measure_ties(ties)
        assert CRITERIA["refinement"].measure_ties(merged.ties) == CRITERIA["refinement"].measure_ties(ties)


def test_tables_are_small_on_their_way():
    rng = np.random.default_rng(86)
    keys = np.unique(np.rint(rng.normal(0, 2, 100_000) * 65536).astype(np.int64))
    ties = rng.poisson([0.8, 0.4], (len(keys), 2))
    assert len(pickle.dumps(RankTable(keys, ties))) < 2.5 * len(keys)


def bounded_case(seed):
    """Return segments of two classes or of more, a subset, and moves of one column each."""
    rng = np.random.default_rng([seed, 87])
    case = random_case(rng, n_rows=int(rng.choice([5, 30, 200])), sparse=seed % 3)
    case = case if seed % 4 == 0 else of_two_classes(case)
    n_columns = len(case.columns)
    subset = {j: float(rng.choice([0.5, 1.0])) for j in range(n_columns) if rng.random() < 0.4}
    moves = Moves.of([(Change(j, subset.get(j, 0.0), float(rng.choice([0.25, 1.0]))),) for j in range(n_columns)])
    return make_segments(case), NaiveBayes(case.smoothing), subset, moves


def rows_of(segments, model, subset):
    """Return rows in NumPy and, if there is one, in the compiled core, at a subset of columns."""
    rows, n_ranked = [ReferenceRanks(segments, model, CRITERIA["auc"])], len(ranked_classes(segments[0].n_classes))
    if core is not None:
        rows.append(compiled_rows(segments, model, CRITERIA["auc"], [[0.0] * n_ranked] * len(segments), 1))
    for each in rows:
        after = np.array(list(subset.values()))
        each.apply(np.array(list(subset), dtype=np.int32), np.zeros(len(subset)), after, True)
    return rows


def buckets_of(rows, moves, segments, n_buckets):
    ranges = rows.key_ranges()[..., :2]
    shifts = shift_ranges(moves, [segment.tables for segment in segments])
    spans = np.where(ranges[..., :1] > ranges[..., 1:], 0, ranges) + shifts
    return np.stack([spans[..., 0], widths_of(spans, n_buckets)], axis=-1)


@pytest.mark.parametrize(("n_buckets", "n_merged"), [(1, 1), (4, 1), (4, 4), (512, 1), (512, 40), (1 << 14, 40)])
def test_histograms_bound_the_statistic(n_buckets, n_merged):
    auc = CRITERIA["auc"]
    for seed in range(draws(16, 40)):
        segments, model, subset, moves = bounded_case(seed)
        for rows in rows_of(segments, model, subset):
            buckets = buckets_of(rows, moves, segments, n_buckets)
            histograms = rows.histograms(*moves.arrays, buckets, n_buckets)
            tables = rows.rank_tables(*moves.arrays)
            begins = np.sort(np.random.default_rng(seed).integers(-(2**18), 2**18, (*buckets.shape[1:3], n_merged - 1)))
            limits = merged_limits(buckets, begins, n_buckets)
            histograms = merge_buckets(histograms, limits)
            low, high = bounds_of(histograms, (np.diff(limits, axis=-1) <= 1) & (buckets[..., 1:] == 0))
            exact = np.array([[auc.measure_ties(ties) for _, ties in of_move] for of_move in tables], dtype=np.float64)
            exact = exact.reshape(low.shape)
            assert (low <= exact).all()
            assert (exact <= high).all()


@pytest.mark.skipif(core is None, reason="there is no compiled core")
def test_the_core_has_the_tables_and_histograms_of_the_reference():
    for seed in range(60):
        segments, model, subset, moves = bounded_case(seed)
        expected, tested = rows_of(segments, model, subset)
        assert (tested.key_ranges()[..., :2] == expected.key_ranges()[..., :2]).all()
        buckets = buckets_of(expected, moves, segments, 4096)
        sums = [rows.histograms(*moves.arrays, buckets, 4096) for rows in (expected, tested)]
        assert (sums[0] == sums[1]).all()
        buckets = buckets_of(expected, moves, segments, 8)
        exact, coarse = (rows.histograms(*moves.arrays, buckets, 8) for rows in (expected, tested))
        late = np.cumsum(coarse - exact, axis=-1)[..., :-1]  # what has not yet come to its bucket
        assert (late >= 0).all()
        assert (late <= coarse[..., -1:]).all()
        for found, wanted in zip(tested.rank_tables(*moves.arrays), expected.rank_tables(*moves.arrays), strict=True):
            for pair, twin in zip(found, wanted, strict=True):
                assert [each.tolist() for each in pair] == [each.tolist() for each in twin]


def test_keys_outside_of_all_buckets_are_refused():
    segments, model, subset, moves = bounded_case(1)
    for rows in rows_of(segments, model, subset):
        for beyond in (-(2**35), 2**35):
            buckets = buckets_of(rows, moves, segments, 8)
            buckets[..., 0] += beyond
            with pytest.raises(ValueError, match="outside of all buckets"):
                rows.histograms(*moves.arrays, buckets, 8)


def test_bounds_allow_for_rows_one_bucket_too_low():
    for seed in range(200):
        rng = np.random.default_rng([seed, 88])
        n_rows, bits = int(rng.integers(1, 40)), int(rng.integers(0, 3))
        keys, positive = rng.integers(0, 8 << bits, n_rows), rng.random(n_rows) < 0.5
        weights = rng.integers(0, 5, n_rows)
        exact = CRITERIA["auc"].measure_ties(tie_rows(keys, positive, weights)[1])
        astray = (rng.random(n_rows) < 0.2) & (keys >> bits > 0)
        histogram = np.zeros((2, 9), dtype=np.int64)
        np.add.at(histogram, (positive.astype(int), (keys >> bits) - astray), weights)
        np.add.at(histogram[:, 8], positive[astray].astype(int), weights[astray])
        low, high = bounds_of(histogram, np.full(8, bits == 0))
        assert low <= exact <= high


def test_merged_buckets_have_about_equal_weights():
    for seed in range(100):
        rng = np.random.default_rng([seed, 90])
        keys, positive = np.rint(rng.standard_t(2, 4000) * 5000).astype(np.int64), rng.random(4000) < 0.3
        bits = widths_of(np.array([keys.min(), keys.max()]), 2048)
        buckets = np.array([keys.min(), bits])
        histogram = np.zeros((2, 2049), dtype=np.int64)
        np.add.at(histogram, (positive.astype(int), (keys - keys.min()) >> bits), 1)
        limits = merged_limits(buckets, equal_weights(histogram, buckets, 20), 2048)
        merged = merge_buckets(histogram, limits)
        assert merged[:, :-1].sum(axis=1).tolist() == [(~positive).sum(), positive.sum()]
        assert merged[:, :-1].sum(axis=0).max() < 200 + histogram.sum(axis=0).max()


def test_ranges_of_blocks_without_rows():
    none = np.iinfo(np.int64)
    empty, some = np.array([[none.max, none.min, 0]]), np.array([[-3, 5, 4]])
    assert merge_ranges(empty, some).tolist() == [[-3, 5, 4]]
    assert merge_ranges(empty, empty).tolist() == empty.tolist()
