"""The share of two columns against the formula of symmetric uncertainty, written out over pairs of codes."""

from collections import Counter
from math import log

import numpy as np
import pytest
from cases import make_segments, plain_case, random_case
from draws import draws

from bayesieve.explain.selection_reasons import closest_partners
from bayesieve.fit.memory_learning import sampled_rows


def entropy(masses):
    total = sum(masses.values())
    return -sum(mass / total * log(mass / total) for mass in masses.values() if mass)


def share_of(first, second, weights):
    """Return 2 I(a; b) / (H(a) + H(b)), and 0 where both are constant."""
    own, theirs, pairs = Counter(), Counter(), Counter()
    for a, b, weight in zip(first, second, weights, strict=True):
        own[a] += weight
        theirs[b] += weight
        pairs[a, b] += weight
    if not sum(own.values()):
        return 0.0
    entropies = entropy(own) + entropy(theirs)
    return 2 * (entropies - entropy(pairs)) / entropies if entropies else 0.0


def segment_of(*columns, weights=None):
    columns = [[int(code) for code in column] for column in columns]
    n_rows = len(columns[0])
    units = [1] * n_rows if weights is None else [int(weight) for weight in weights]
    (segment,) = make_segments(plain_case(columns, [i % 2 for i in range(n_rows)], units=units))
    return segment


def shares(segment):
    """Return the share of each column with each other, 0 where it is not a partner."""
    everyone = range(segment.codes.n_columns)
    found = {}
    for j in everyone:
        for k in everyone:
            partner = closest_partners(segment, [j], [k])
            found[j, k] = partner[j][1] if partner else 0.0
            assert not partner or partner[j][0] == k
    return found


def joined(codes, n_codes):
    """Join neighboring codes to 16, if there are more."""
    return codes if n_codes <= 16 else [code * 16 // int(n_codes) for code in codes]


def test_formula():
    rng = np.random.default_rng(0)
    for _ in range(draws(50, 150)):
        for segment in make_segments(random_case(rng)):
            columns = [joined(segment.codes.column(j).tolist(), n) for j, n in enumerate(segment.codes.n_bins + 1)]
            weights = segment.weights.tolist()
            for (j, k), share in shares(segment).items():
                narrow = segment.codes.is_narrow(j) and segment.codes.is_narrow(k)
                expected = share_of(columns[j], columns[k], weights) if narrow and j != k else 0.0
                assert share == pytest.approx(expected, abs=2e-9)


def test_the_closest_of_several_is_found():
    rng = np.random.default_rng(1)
    for _ in range(100):
        n_rows = int(rng.integers(5, 60))
        columns = rng.integers(0, 3, (6, n_rows))
        columns[3] = np.where(rng.random(n_rows) < 0.3, columns[3], columns[0])
        weights = rng.integers(1, 4, n_rows)
        segment = segment_of(*columns, weights=weights)
        asked, chosen = rng.permutation(6)[:4].tolist(), rng.permutation(6)[:3].tolist()
        partners = closest_partners(segment, asked, chosen)
        for j in asked:
            possible = {k: share_of(columns[j].tolist(), columns[k].tolist(), weights) for k in chosen if k != j}
            best = max(possible.values())
            if j not in partners:
                assert best < 1e-9
                continue
            partner, share = partners[j]
            assert share == pytest.approx(best, abs=2e-9)
            assert possible[partner] == pytest.approx(best, abs=2e-9)


@pytest.mark.parametrize("largest", [2, 2**31])
def test_a_duplicate_and_a_renamed_copy_share_everything(largest):
    rng = np.random.default_rng(2)
    column = rng.integers(0, 4, 300)
    segment = segment_of(column, column, 3 - column, weights=rng.integers(1, largest, 300))
    assert closest_partners(segment, [0, 1, 2], [0]) == {1: (0, 1.0), 2: (0, 1.0)}
    assert closest_partners(segment, [0], [2]) == {0: (2, 1.0)}


def test_of_equal_shares_the_first_chosen_counts():
    column = np.arange(40) % 4
    segment = segment_of(column, column, 3 - column)
    assert closest_partners(segment, [0], [2, 1])[0] == (2, 1.0)
    assert closest_partners(segment, [0], [1, 2])[0] == (1, 1.0)


def test_independent_columns_share_nothing():
    rows, columns, _ = (part.ravel() for part in np.indices((4, 5, 3)))  # every pair equally often
    assert closest_partners(segment_of(rows, columns), [0, 1], [0, 1]) == {}
    rng = np.random.default_rng(3)
    found = closest_partners(segment_of(*rng.integers(0, 3, (2, 1000))), [0], [1])
    assert found[0][1] < 0.01


def test_constant_columns_have_no_partner():
    segment = segment_of([0] * 20, [0] * 20, np.arange(20) % 2)
    assert closest_partners(segment, [0, 1, 2], [0, 1]) == {}


def test_weights_are_copies():
    rng = np.random.default_rng(4)
    for _ in range(draws(20, 50)):
        n_rows = int(rng.integers(2, 40))
        columns = rng.integers(0, 3, (4, n_rows))
        weights = rng.integers(0, 5, n_rows)
        if not weights.any():
            continue
        copies = np.repeat(columns, weights, axis=1)
        assert shares(segment_of(*columns, weights=weights)) == shares(segment_of(*copies))


def test_columns_of_two_bytes_are_left_out():
    wide = np.arange(300)
    segment = segment_of(wide, wide % 2, wide % 4)
    assert set(closest_partners(segment, [0, 1, 2], [0, 1, 2])) == {1, 2}
    assert closest_partners(segment, [1], [0]) == {}


def test_blocks_join_without_a_seam(monkeypatch):
    rng = np.random.default_rng(5)
    segment = segment_of(*rng.integers(0, 3, (7, 30)))
    whole = closest_partners(segment, range(7), [2, 5, 6])
    monkeypatch.setattr("bayesieve.explain.selection_reasons._BLOCK", 3)
    assert closest_partners(segment, range(7), [2, 5, 6]) == whole


@pytest.mark.parametrize("n_rows", [1, 2, 999, 1000, 1001, 1999, 12_345, 1_000_000])
def test_a_thousand_rows_evenly_spread(n_rows):
    rows = sampled_rows(n_rows)
    assert len(rows) == min(n_rows, 1000)
    assert (rows[0], rows[-1]) == (0, n_rows - 1)
    gaps = np.diff(rows)
    assert n_rows == 1 or (gaps.min() > 0 and gaps.max() - gaps.min() <= 1)


def test_many_rows_are_measured_on_those():
    rng = np.random.default_rng(6)
    columns = rng.integers(0, 3, (2, 5000))
    columns[1] = np.where(rng.random(5000) < 0.5, columns[0], columns[1])
    rows = sampled_rows(5000)
    expected = closest_partners(segment_of(*columns[:, rows]), [0], [1])
    assert closest_partners(segment_of(*columns), [0], [1]) == expected
