"""Equal-width and equal-frequency cuts against the definition, tried out border by border."""

from fractions import Fraction

import numpy as np
import pytest
from cases import summarize
from hypothesis import given, strategies as st

from bayesieve.bins import EqualFrequency, EqualWidth, Groups
from bayesieve.data import Column
from bayesieve.data.column import read_column

RULES = [EqualFrequency(), EqualWidth(), EqualFrequency(3), EqualWidth(4), EqualFrequency(1)]
LARGEST = np.finfo(float).max
TINY = 5e-324

floats = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 2.0, 3.0])
columns = st.lists(st.tuples(floats | st.just(float("nan")), st.integers(0, 4)), min_size=1, max_size=40)


def column_of(values):
    return read_column("a", np.asarray(values, dtype=float), nominal=False)


def learn(rule, values, weights=None):
    return rule.learn(summarize(column_of(values), weights))


def encode(partition, values):
    column = column_of(values)
    return partition.bins_of(column)[column.ids].tolist()


def left_of(distinct, bounds):
    """Return how many distinct values lie left of each bound."""
    return [sum(value <= bound for value in distinct) for bound in bounds]


def frequency_cuts(values, n_bins):
    """For each aim i N / n, the border whose cumulative count is nearest, the lower one on equality."""
    distinct = sorted(set(values))
    counts = [sum(value <= edge for value in values) for edge in distinct]
    borders = range(1, len(distinct) + 1)
    cuts = set()
    for i in range(1, n_bins):
        aim = Fraction(i * len(values), n_bins)
        cuts.add(min(borders, key=lambda cut, aim=aim: abs(counts[cut - 1] - aim)))
    return sorted(cut for cut in cuts if cut < len(distinct))


def width_cuts(values, n_bins):
    """For each aim low + i (high - low) / n, the border right of all values not above it."""
    distinct = sorted({Fraction(value) for value in values})
    low, high = distinct[0], distinct[-1]
    aims = [low + (high - low) * i / n_bins for i in range(1, n_bins)]
    cuts = {sum(value <= aim for value in distinct) for aim in aims}
    return sorted(cut for cut in cuts if 0 < cut < len(distinct))


@given(columns, st.integers(2, 12))
def test_equal_frequency_is_the_nearest_border(column, n_bins):
    copies = [value for value, weight in column for _ in range(weight) if not np.isnan(value)]
    if not any(weight for _, weight in column):
        return
    partition = learn(EqualFrequency(n_bins), *zip(*column, strict=True))
    if copies:
        assert left_of(sorted(set(copies)), partition.bounds) == frequency_cuts(copies, n_bins)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=40), st.sampled_from([2, 4, 8]))
def test_equal_width_is_the_border_right_of_the_aim(values, n_bins):
    # Powers of two as numbers of intervals: the aims of integers are exact in binary.
    partition = learn(EqualWidth(n_bins), values)
    assert left_of(sorted(set(values)), partition.bounds) == width_cuts(values, n_bins)


@given(columns, st.sampled_from(RULES))
def test_weights_are_copies(column, rule):
    values, weights = zip(*column, strict=True)
    if not any(weights):
        return
    weighted = learn(rule, values, weights)
    copied = learn(rule, np.repeat(values, weights))
    assert repr(weighted) == repr(copied)


@given(columns, st.sampled_from(RULES))
def test_no_part_is_empty_and_equal_values_share_one(column, rule):
    values, weights = (np.array(part) for part in zip(*column, strict=True))
    if not weights.any():
        return
    partition = learn(rule, values, weights)
    codes = np.array(encode(partition, values))
    assert partition.n_bins <= rule.n_bins + 1
    assert set(codes[weights > 0].tolist()) == set(range(partition.n_bins))
    for value in set(values[~np.isnan(values)].tolist()):
        assert len(set(codes[values == value].tolist())) == 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20), st.sampled_from(RULES))
def test_codes_follow_the_order_at_any_magnitude(values, rule):
    partition = learn(rule, values)
    assert np.isfinite(partition.bounds).all()
    assert (np.diff(encode(partition, sorted(values))) >= 0).all()


@pytest.mark.parametrize("rule", RULES)
def test_constant_columns_are_one_part(rule):
    assert learn(rule, [7.0] * 5).n_bins == 1


@pytest.mark.parametrize("rule", RULES[:4])
@pytest.mark.parametrize(
    ("low", "high"), [(1, 2), (-LARGEST, LARGEST), (0, TINY), (-TINY, 0), (LARGEST, np.nextafter(LARGEST, 0))]
)
def test_two_values_are_two_bins(rule, low, high):
    partition = learn(rule, [high, low, low, high])
    assert encode(partition, sorted([low, high])) == [0, 1]


def test_hand_made_cuts():
    # Ten values, five intervals: borders after 2, 4, 6 and 8 values, halfway to the next.
    assert learn(EqualFrequency(5), range(10)).bounds.tolist() == [1.5, 3.5, 5.5, 7.5]
    # Width 25: aims 25, 50 and 75; 25 belongs to the left.
    assert learn(EqualWidth(4), [0, 25, 26, 60, 100]).bounds.tolist() == [25.5, 43.0, 80.0]
    # Nothing lies between 50 and 75: those two aims share a border.
    assert learn(EqualWidth(4), [0, 10, 30, 100]).bounds.tolist() == [20.0, 65.0]
    # Six of ten rows are 1: aims 2.5, 5 and 7.5 are nearest to the border after 6, which they share.
    assert learn(EqualFrequency(4), [1] * 6 + [2] * 4).bounds.tolist() == [1.5]


@pytest.mark.parametrize("rule", RULES)
def test_missing_is_the_last_part(rule):
    partition = learn(rule, [1.0, 2.0, np.nan, 3.0])
    assert partition.missing
    assert encode(partition, [np.nan]) == [partition.n_bins - 1]
    assert partition.describe(partition.n_bins - 1) == "missing"


@pytest.mark.parametrize("rule", RULES)
def test_missing_rows_of_no_weight_are_not_there(rule):
    partition = learn(rule, [1.0, 2.0, np.nan, 3.0], [1, 1, 0, 1])
    assert not partition.missing
    assert encode(partition, [np.nan]) == [partition.n_bins]


@pytest.mark.parametrize("rule", RULES)
def test_all_missing(rule):
    partition = learn(rule, [np.nan, np.nan])
    assert partition.n_bins == 1
    assert encode(partition, [np.nan, 3.0]) == [0, 1]


@pytest.mark.parametrize("rule", RULES)
def test_nominal_columns_keep_their_values_apart(rule):
    column = Column("a", ("x", "y", "z"), np.array([0, 2, 3, 2], dtype=np.int32))
    assert rule.learn(summarize(column)) == Groups((("x",), ("z",)), missing=True)


@pytest.mark.parametrize("rule", RULES)
def test_the_target_is_not_looked_at(rule):
    rng = np.random.default_rng(0)
    column = column_of(rng.integers(0, 50, 200))
    targets = [np.zeros(200), np.arange(200) % 2, column.values > 25]
    assert len({repr(rule.learn(summarize(column, target=target))) for target in targets}) == 1
