"""Greedy filters: every score by its definition, laziness, the engine's verbs."""

import numpy as np
import pytest
from draws import draws
from filters.brute_filters import subset_score
from filters.filter_cases import random_rows, tables_of

from bayesieve.filters import SUBSET_FORMULAS, SubsetEngine
from bayesieve.search.engine import Moves, add, drop

ALL = pytest.mark.parametrize("name", sorted(SUBSET_FORMULAS))


def additions(columns):
    return Moves.shift(np.array(columns, dtype=np.int32), np.arange(len(columns) + 1), 0.0, 1.0)


@ALL
def test_scores_equal_their_definitions(name):
    rng = np.random.default_rng(0)
    for _ in range(draws(25, 60)):
        rows, columns, weights, target = random_rows(rng, n_columns=5)
        engine = SubsetEngine(rows, tables_of(rows), name, beta=0.7)
        chosen, score = [], engine.reset({})
        for _ in range(3):
            left = [j for j in range(5) if j not in chosen]
            given = [columns[s] for s in chosen]
            expected = [subset_score(name, weights, columns[j], given, target, beta=0.7) for j in left]
            found = engine.score(additions(left), exact=True) - score
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-10)
            chosen.append(int(rng.choice(left)))
            before, score = score, engine.apply(add([chosen[-1]]))
            assert score - before == pytest.approx(found[left.index(chosen[-1])], abs=1e-9)


@ALL
def test_reset_snapshot_and_restore(name):
    rng = np.random.default_rng(1)
    rows, _, _, _ = random_rows(rng, n_columns=5)
    engine = SubsetEngine(rows, tables_of(rows), name)
    first = engine.reset({3: 1.0, 0: 1.0})
    token, before = engine.snapshot(), engine.score(additions([1, 2, 4]), exact=True)
    engine.apply(add([4]))
    engine.restore(token)
    assert engine.segment_scores == (first,)
    np.testing.assert_array_equal(engine.score(additions([1, 2, 4]), exact=True), before)
    again = SubsetEngine(rows, tables_of(rows), name, n_threads=2)
    again.apply(add([3]))
    assert again.apply(add([0])) == first


@ALL
def test_renamed_and_repeated_columns_tie(name):
    rows, _, _, _ = random_rows(np.random.default_rng(2), n_columns=4)
    engine = SubsetEngine(rows, tables_of(rows), name)
    engine.reset({3: 1.0})
    first, renamed = engine.score(additions([0, 1]), exact=True)
    assert first == renamed


def test_lazy_scores_have_the_best_two_right_and_make_fewer_tables():
    rng = np.random.default_rng(3)
    n_rows, n_columns = 200, 300
    y = np.sort(rng.integers(0, 2, n_rows)).astype(np.int32)
    rows, _, _, _ = random_rows(rng, n_columns=3)
    noise = rng.random((n_columns, n_rows)) < np.linspace(0.1, 0.9, n_columns)[:, None]
    codes = np.where(noise, rng.integers(0, 3, (n_columns, n_rows)), y).astype(np.uint8)
    made = rows.codes.__class__(codes, np.empty((0, n_rows), np.uint16), np.arange(n_columns), np.full(n_columns, 3))
    rows = rows.__class__(made, y, np.ones(n_rows, dtype=np.int64), 2)
    lazy, eager = (SubsetEngine(rows, tables_of(rows), "cmim") for _ in range(2))
    left = list(range(n_columns))
    for _ in range(20):
        found, exact = lazy.score(additions(left)), eager.score(additions(left), exact=True)
        best = np.sort(exact)[-2:]
        np.testing.assert_array_equal(found[exact >= best[0]], exact[exact >= best[0]])
        assert (found[exact < best[0]] < best[0]).all()
        winner = left[int(np.argmax(exact))]
        assert winner == left[int(np.argmax(found))]
        assert lazy.apply(add([winner])) == eager.apply(add([winner]))
        left.remove(winner)
    assert lazy.n_pairs < eager.n_pairs / 2


def test_only_single_additions():
    rows, _, _, _ = random_rows(np.random.default_rng(4), n_columns=3)
    engine = SubsetEngine(rows, tables_of(rows), "jmi")
    for move in (add([0, 1]), drop([0])):
        with pytest.raises(ValueError, match="only adds single columns"):
            engine.score([move])
