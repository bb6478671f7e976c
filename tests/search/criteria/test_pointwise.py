import numpy as np
import pytest
from draws import draws

from bayesieve.search.criteria import CRITERIA
from bayesieve.search.criteria.pointwise import Pointwise, exact_sums
from bayesieve.search.criteria.ranking import tie_rows


def sums_by_hand(losses, weights, target, n_classes):
    totals = [0] * n_classes
    for loss, weight, c in zip(losses.tolist(), weights.tolist(), target.tolist(), strict=True):
        totals[c] += loss * weight
    return tuple(totals)


@pytest.mark.parametrize("n_rows", [0, 1, 17, 2**15, 2**15 + 1, 70_000])
@pytest.mark.parametrize("largest_loss", [1, 2**40, 2**62 - 1])
@pytest.mark.parametrize("largest_weight", [1, 1000, 2**32 - 1])
def test_sums_equal_python_integers(n_rows, largest_loss, largest_weight):
    rng = np.random.default_rng([n_rows, largest_loss, largest_weight])
    losses = rng.integers(0, largest_loss, n_rows, endpoint=True)
    weights = rng.integers(0, largest_weight, n_rows, endpoint=True)
    target = rng.integers(0, 3, n_rows, dtype=np.int32)
    assert exact_sums(losses, weights, target, 3) == sums_by_hand(losses, weights, target, 3)


def test_a_full_block_of_the_largest_products_does_not_overflow():
    n_rows = 2**15
    losses, weights = np.full(n_rows, 2**62 - 1), np.full(n_rows, 2**32 - 1)
    target = np.zeros(n_rows, dtype=np.int32)
    assert exact_sums(losses, weights, target, 1) == (n_rows * (2**62 - 1) * (2**32 - 1),)


def test_a_class_without_rows_has_no_loss():
    sums = exact_sums(np.array([5]), np.array([2]), np.array([1], dtype=np.int32), 3)
    assert sums == (0, 10, 0)
    assert all(type(total) is int for total in sums)


def pairs_by_hand(keys, positive, weights):
    rows = list(zip(keys.tolist(), positive.tolist(), weights.tolist(), strict=True))
    statistic = 0
    for key, is_positive, weight in rows:
        for other_key, other_positive, other_weight in rows:
            if is_positive and not other_positive:
                statistic += weight * other_weight * (2 * (key > other_key) + (key == other_key))
    return statistic


def pair_statistic(keys, positive, weights):
    return CRITERIA["auc"].measure_ties(tie_rows(keys, positive, weights)[1])


@pytest.mark.parametrize("seed", range(draws(8, 20)))
@pytest.mark.parametrize("largest_weight", [1, 9, 2**31, 2**40])
def test_pair_statistic_equals_the_double_loop(seed, largest_weight):
    rng = np.random.default_rng([seed, largest_weight])
    n_rows = int(rng.integers(1, 60))
    keys = rng.integers(-4, 5, n_rows) * 2 ** int(rng.integers(0, 59))
    positive = rng.random(n_rows) < rng.choice([0.0, 0.2, 0.5, 1.0])
    weights = rng.integers(0, largest_weight, n_rows, endpoint=True)
    assert pair_statistic(keys, positive, weights) == pairs_by_hand(keys, positive, weights)


def test_pair_statistic_on_both_sides_of_64_bits():
    keys, positive = np.array([0, 1, 1, 2]), np.array([False, True, False, True])
    for weight in (2**29, 2**30, 2**31, 2**35, 2**45):
        assert pair_statistic(keys, positive, np.full(4, weight)) == (2 + 1 + 2 + 2) * weight**2


def score_of(name, measure, mass):
    """Return a segment's score, which is linear in its measure."""
    slopes, constant = CRITERIA[name].line(mass, mass)
    return sum(slope * part for slope, part in zip(slopes, measure, strict=True)) + constant


def test_equal_error_counts_are_equal_scores_whatever_their_classes():
    # 1/10 + 2/10 and 3/10 are one number, though not in floating point.
    one = 2**40
    assert float(score_of("balanced_error", (1 * one, 0, 2 * one), (10, 10, 10))) == -0.1
    assert float(score_of("balanced_error", (0, 3 * one, 0), (10, 10, 10))) == -0.1


def test_balanced_error_leaves_out_classes_without_rows():
    one = 2**40
    assert score_of("balanced_error", (one, 0, 0), (2, 0, 4)) == -0.25


def test_areas_are_weighted_by_the_prior():
    # Classes of 1, 1 and 2 rows; one-vs-rest areas 1, 0 and 1/2, as statistics of 2 x pairs = 6, 6 and 8.
    statistics, mass = (6, 0, 4), (1, 1, 2)
    assert score_of("auc", statistics, mass) == (1 * 1 + 1 * 0 + 2 * 0.5) / 4
    # pi/2 + (1 - pi) area, with the same weights: 1/8 + 3/4, 1/8 and 1/4 + 1/4.
    assert score_of("lift", statistics, mass) == (1 * 0.875 + 1 * 0.125 + 2 * 0.5) / 4


@pytest.mark.parametrize("name", ["auc", "lift"])
def test_the_area_is_one_half_where_nothing_can_be_ranked(name):
    assert score_of(name, (0,), (0, 5)) == 0.5
    assert score_of(name, (0, 0, 0), (7, 0, 0)) == 0.5


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=lambda criterion: criterion.name)
def test_rows_without_weight_have_no_loss(criterion):
    if isinstance(criterion, Pointwise):
        slopes, _ = criterion.line((0, 0), (3, 4))
        assert slopes == (0, 0)
