"""Thresholds against their definitions: every cut tried, in fractions, on copies of the rows."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from bayesieve.decisions import Threshold, find_threshold, read_threshold
from bayesieve.exceptions import DataError, ParameterError, UnreachedFloorWarning

rows = st.lists(st.tuples(st.integers(-4, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=12).filter(
    lambda rows: any(weight for *_, weight in rows)
)


def arrays(rows, scale=1):
    scores, truth, weights = (np.array(each) for each in zip(*rows, strict=True))
    return scores.astype(np.int64) * scale, truth.astype(int), weights.astype(np.int64)


def quality(name, a, b, c, d):
    if name == "chi2":
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        return Fraction((a * d - b * c) ** 2, margins) if margins else Fraction(0)
    if name == "ber":
        recall, alarms = (
            Fraction(part, part + rest) if part + rest else Fraction(0) for part, rest in ((a, c), (b, d))
        )
        return recall - alarms if a + c and b + d else Fraction(0)
    return Fraction(2 * a, 2 * a + b + c) if 2 * a + b + c else Fraction(0)


def brute_force(name, rows):
    """Return the accepted scores of the best cut among all that make sense."""
    copies = [(score, truth) for score, truth, weight in rows for _ in range(weight)]
    distinct = sorted({score for score, _ in copies}, reverse=True)
    positive = sum(truth for _, truth in copies)
    found = []
    for k in range(len(distinct) + 1):
        kept = distinct[:k]
        a = sum(truth for score, truth in copies if score in kept)
        b = sum(not truth for score, truth in copies if score in kept)
        c, d = positive - a, len(copies) - positive - b
        if a * d > b * c or k in (0, len(distinct)):
            found.append((-quality(name, a, b, c, d), abs(a + b - positive), k))
    return distinct[: min(found)[2]]


@pytest.mark.parametrize("name", ["chi2", "ber", "f1"])
@given(rows)
def test_the_best_cut(name, rows):
    scores, truth, weights = arrays(rows)
    threshold = find_threshold(read_threshold(name), scores, truth, weights)
    assert sorted(set(scores[threshold.accepts(scores) & (weights > 0)]), reverse=True) == brute_force(name, rows)


@pytest.mark.parametrize("name", ["chi2", "ber", "f1"])
@given(rows, st.sampled_from([2**20, 2**45]))
def test_heavy_weights_change_nothing(name, rows, factor):
    scores, truth, weights = arrays(rows)
    light = find_threshold(read_threshold(name), scores, truth, weights)
    heavy = find_threshold(read_threshold(name), scores, truth, weights * factor)
    assert light.cut == heavy.cut


@given(rows)
def test_probabilities_are_cut_as_log_odds_are(rows):
    scores, truth, weights = arrays(rows, 2**40)
    floats = 1 / (1 + np.exp(-scores / 2.0**40))
    for rule in ("chi2", "ber", "f1", "bayes"):
        one, other = (find_threshold(read_threshold(rule), each, truth, weights) for each in (scores, floats))
        counted = weights > 0
        assert one.accepts(scores)[counted].tolist() == other.accepts(floats)[counted].tolist()


def test_the_cut_is_in_the_middle_of_its_neighbours():
    truth = np.array([0, 0, 1, 1])
    assert find_threshold(read_threshold("chi2"), np.array([1, 2, 8, 9]), truth).cut == 5
    assert find_threshold(read_threshold("chi2"), np.array([0.1, 0.25, 0.75, 0.9]), truth).cut == 0.5
    next_to = np.array([0.1, 0.5, np.nextafter(0.5, 1), 0.9])
    assert find_threshold(read_threshold("chi2"), next_to, truth).cut == 0.5
    assert find_threshold(read_threshold("chi2"), np.array([-(2**62), 0, 1, 2**62]), truth).cut == 0


def test_equal_chi_squares_accept_as_many_as_there_are():
    # Cuts 1 and 3 of 4 rows: (1*2)^2 / (1*3) = (1*2)^2 / (3*1); two of four rows are positive, so both are as near.
    scores, truth = np.array([4, 3, 2, 1]), np.array([1, 0, 1, 0])
    assert find_threshold(read_threshold("chi2"), scores, truth).accepts(scores).tolist() == [True, False, False, False]


@pytest.mark.parametrize("name", ["chi2", "ber", "f1"])
def test_without_a_useful_cut_all_or_none_are_accepted(name):
    same = np.zeros(5, dtype=np.int64)
    many = find_threshold(read_threshold(name), same, np.array([1, 1, 1, 1, 0]))
    assert many.accepts(same).all()
    none = find_threshold(read_threshold(name), np.arange(3), np.zeros(3))
    assert not none.accepts(np.arange(3)).any()
    assert none.recall is None
    everyone = find_threshold(read_threshold(name), np.arange(3), np.ones(3))
    assert everyone.accepts(np.arange(3)).all()
    assert everyone.precision == 1


@given(rows, st.integers(1, 19).map(lambda k: k / 20))
def test_a_recall_floor_by_definition(rows, recall):
    scores, truth, weights = arrays(rows)
    positives = sorted(score for score, is_positive, weight in rows if is_positive for _ in range(weight))
    place = floor((len(positives) + 1) * (1 - Fraction(str(recall))))
    rule = read_threshold(("recall", recall))
    if place == 0:
        with pytest.warns(UnreachedFloorWarning, match=f"recall of {recall:g} cannot be guaranteed"):
            threshold = find_threshold(rule, scores, truth, weights)
        assert threshold.accepts(scores).all()
        return
    threshold = find_threshold(rule, scores, truth, weights)
    assert threshold.accepts(scores).tolist() == (scores >= positives[place - 1]).tolist()
    hits = sum(score >= positives[place - 1] for score in positives)
    assert threshold.recall == pytest.approx(hits / len(positives))
    expected = binomtest(hits, len(positives)).proportion_ci(method="exact")
    assert threshold.interval == pytest.approx((expected.low, expected.high))


@given(rows, st.integers(1, 19).map(lambda k: k / 20))
def test_a_precision_floor_by_definition(rows, precision):
    scores, truth, weights = arrays(rows)
    kept = []
    for lowest in set(scores[weights > 0]):
        accepted = [is_positive for score, is_positive, weight in rows if score >= lowest for _ in range(weight)]
        if accepted.count(False) + 1 <= (len(accepted) + 1) * (1 - Fraction(str(precision))):
            kept.append(lowest)
    rule = read_threshold(("precision", precision))
    if not kept:
        with pytest.warns(UnreachedFloorWarning, match="no row is predicted positive"):
            threshold = find_threshold(rule, scores, truth, weights)
        assert not threshold.accepts(scores).any()
        return
    threshold = find_threshold(rule, scores, truth, weights)
    assert threshold.accepts(scores).tolist() == (scores >= min(kept)).tolist()
    assert threshold.precision >= precision


def test_a_recall_of_95_percent_asks_for_19_positive_rows():
    rule = read_threshold(("recall", 0.95))
    scores = np.arange(40.0) / 40
    truth = np.arange(40) % 2
    with pytest.warns(UnreachedFloorWarning):
        find_threshold(rule, scores[:37], truth[:37])
    assert find_threshold(rule, scores[:39], truth[:39]).accepts(scores[:39]).sum() == 38


@pytest.mark.parametrize("rule", [("recall", 0.5), ("precision", 0.5)])
def test_units_of_a_half_are_half_rows(rule):
    rng = np.random.default_rng(0)
    scores, truth, weights = rng.integers(0, 20, 50), rng.integers(0, 2, 50), rng.integers(1, 4, 50)
    whole = find_threshold(read_threshold(rule), scores, truth, weights)
    halves = find_threshold(read_threshold(rule), scores, truth, 2 * weights, unit=0.5)
    assert whole == halves


@pytest.mark.parametrize(("probability", "nats"), [(0.5, 0.0), (0.75, np.log(3)), (0.1, -np.log(9))])
def test_a_probability_is_a_cut(probability, nats):
    rule = read_threshold(probability)
    assert find_threshold(rule, np.array([0.2]), np.array([1])) == Threshold(probability, rule)
    cut = find_threshold(rule, np.array([5]), np.array([1])).cut
    assert isinstance(cut, int)
    assert cut / 2**40 == pytest.approx(nats, abs=1e-11)


def test_bayes_is_one_half():
    scores = np.array([-1, 0, 1])
    assert find_threshold(read_threshold("bayes"), scores, scores).accepts(scores).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("gini", "threshold must be 'bayes'.* got 'gini'"),
        (1.5, "got 1.5"),
        (0, "got 0"),
        (True, "got True"),
        (None, "got None"),
        (("recall", 1.0), "threshold=.'recall', .* needs a number between 0 and 1, got 1.0"),
        (("precision", "x"), "needs a number between 0 and 1, got 'x'"),
        (("f1", 0.5), "got .'f1', 0.5"),
        (float("nan"), "got nan"),
        (np.array([0.1, 0.2]), "got array"),
    ],
)
def test_what_is_not_a_threshold(rule, message):
    with pytest.raises(ParameterError, match=message):
        read_threshold(rule)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (([0.1, np.nan], [0, 1], [1, 1]), "is NaN"),
        (([0.1, 0.2], [0, 1], [0, 0]), "No row has a positive weight"),
        (([0.1, 0.2], [0], [1, 1]), "one value per row"),
    ],
)
def test_rows_that_say_nothing(rows, message):
    with pytest.raises(DataError, match=message):
        find_threshold(read_threshold("chi2"), *(np.array(each) for each in rows))
