"""Votes against the sum over all patterns of votes, and the laws that their state obeys."""

from fractions import Fraction
from itertools import product
from math import ceil, prod

import numpy as np
import pytest

from bayesieve.exceptions import ParameterError
from bayesieve.models import VOTE_ONE, Votes, read_votes

RULES = ["any", "all", "majority", 1, 2, 5, 0.3, 0.75, 1.0]
START = np.array([VOTE_ONE // 4 * 3, VOTE_ONE // 4])


def needed(votes, k):
    """Return how many of k votes decide, as documented."""
    if isinstance(votes, int):
        return min(votes, k)
    share = {"any": Fraction(1, 10**9), "all": 1, "majority": Fraction(1, 2)}.get(votes) or Fraction(str(votes))
    return ceil(share * k)


def by_patterns(votes, n):
    """Return P(at least n votes): the sum over all patterns of the product of what each voter does, exactly."""
    pairs = [(VOTE_ONE - vote, vote) for vote in votes]
    patterns = (pattern for pattern in product([0, 1], repeat=len(votes)) if sum(pattern) >= n)
    total = sum(prod(pair[vote] for pair, vote in zip(pairs, pattern, strict=True)) for pattern in patterns)
    return Fraction(total, VOTE_ONE ** len(votes))


def state_of(model, votes):
    """Return the state after some columns, each a vote of every row in multiples of 2^-50."""
    state = model.begin(START, len(votes[0]))
    for j, column in enumerate(votes):
        state = add(model, state, j, column)
    return state


def table_of(column):
    """Return a table with a code a row, and that of unseen values."""
    whole = np.append(column, START[1])
    return np.stack([VOTE_ONE - whole, whole], axis=1)


def add(model, state, j, column, weight=1.0):
    return model.shift(state, j, table_of(column), np.arange(len(column)), 0.0, weight)


def drop(model, state, j, column):
    return model.shift(state, j, table_of(column), np.arange(len(column)), 1.0, 0.0)


def draw(rng, k, n_rows):
    """Return votes, certain ones too."""
    votes = rng.integers(1, VOTE_ONE, size=(k, n_rows))
    return np.where(rng.random((k, n_rows)) < 0.2, rng.choice([1, VOTE_ONE - 1], size=(k, n_rows)), votes)


@pytest.mark.parametrize("votes", RULES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 12])
def test_beliefs_are_sums_over_all_patterns(votes, k):
    rng = np.random.default_rng([k, RULES.index(votes)])
    drawn = draw(rng, k, 4 if k < 12 else 1)
    beliefs = Votes(read_votes(votes)).predictions(state_of(Votes(read_votes(votes)), drawn))
    for i in range(drawn.shape[1]):
        reached = by_patterns(drawn[:, i].tolist(), needed(votes, k))
        for c, exact in enumerate((1 - reached, reached)):
            assert beliefs.probabilities[c, i] == pytest.approx(float(exact), rel=1e-11)
            assert beliefs.scores[c, i] / 2**40 == pytest.approx(float(np.log(float(exact))), rel=1e-11, abs=2e-12)


@pytest.mark.parametrize(("votes", "same"), [("any", 1), ("all", 12), ("all", 1.0), ("majority", 0.5)])
def test_rules_that_are_the_same(votes, same):
    drawn = draw(np.random.default_rng(1), 6, 20)
    found, expected = (
        model.predictions(state_of(model, drawn)).scores
        for model in (Votes(read_votes(votes)), Votes(read_votes(same)))
    )
    np.testing.assert_allclose(found, expected, atol=2)


@pytest.mark.parametrize("votes", RULES)
def test_adding_then_removing_is_the_identity(votes):
    rng, model = np.random.default_rng(2), Votes(read_votes(votes))
    drawn = draw(rng, 7, 30)
    state = state_of(model, drawn[:5])
    expected = model.predictions(state).scores
    longer = add(model, add(model, state, 5, drawn[5]), 6, drawn[6])
    for back in ((5, 6), (6, 5)):
        found = longer
        for j in back:
            found = drop(model, found, j, drawn[j])
            model.predictions(found)
        assert (model.predictions(found).scores == expected).all()


@pytest.mark.parametrize("votes", RULES)
def test_a_thousand_columns_are_finite(votes):
    """Products of a thousand probabilities of 2^-50 are far below any float64."""
    model = Votes(read_votes(votes))
    rows = np.array([1, VOTE_ONE - 1, VOTE_ONE // 2, VOTE_ONE // 100])
    scores = model.predictions(state_of(model, [rows] * 1000)).scores / 2**40
    log_p, log_q = np.log(rows / VOTE_ONE), np.log((VOTE_ONE - rows) / VOTE_ONE)
    assert np.isfinite(scores).all()
    if votes in ("any", 1) and not read_votes(votes).is_unanimous:
        np.testing.assert_allclose(scores[0], 1000 * log_q, rtol=1e-9, atol=1e-9)
    if read_votes(votes).is_unanimous:
        np.testing.assert_allclose(scores[1], 1000 * log_p, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.exp(scores).sum(axis=0), 1.0, atol=1e-10)


def test_nobody_says_the_class_shares():
    assert Votes(read_votes("any")).predictions(
        Votes(read_votes("any")).begin(START, 2)
    ).probabilities == pytest.approx(np.array([[0.75, 0.75], [0.25, 0.25]]))


def test_tables_are_m_estimates():
    """Bins of (3, 1) and (0, 2) of four negative and four positive rows; one more bin holds the others."""
    counts = np.array([[3, 1], [0, 2], [3, 1], [0, 0]])
    offsets, mass = np.array([0, 4]), np.array([6, 4])
    plain = Votes(read_votes("any")).learn(counts, offsets, mass, 1.0).entries[:, 1] / VOTE_ONE
    assert plain == pytest.approx([(1 + 0.4) / 5, (2 + 0.4) / 3, (1 + 0.4) / 5, 0.4])
    balanced = Votes(read_votes("any"), 2.0, balanced=True).learn(counts, offsets, mass, 1.0).entries[:, 1] / VOTE_ONE
    light, heavy = 10 / 12, 10 / 8  # weights that give both classes five of ten rows
    expected = [(heavy + 1) / (heavy + 3 * light + 2), (2 * heavy + 1) / (2 * heavy + 2)]
    assert balanced == pytest.approx([*expected, expected[0], 0.5])


@pytest.mark.parametrize("votes", [0, -1, 0.0, 1.5, "some", True, None])
def test_rules_that_are_refused(votes):
    with pytest.raises(ParameterError, match="votes must be"):
        read_votes(votes)


@pytest.mark.parametrize("weight", [0.5, 0.3, 1.0, 1.5])
@pytest.mark.parametrize("rule", ["any", "all"])
def test_a_weight_moves_a_vote_from_the_share_of_the_class(rule, weight):
    """A vote is the share plus the weight times its difference from the share, and never certain."""
    model = Votes(read_votes(rule))
    column = np.array([VOTE_ONE // 8, VOTE_ONE // 2, VOTE_ONE - 1, VOTE_ONE // 4])
    votes = START[1] + np.rint(weight * (column - START[1])).astype(np.int64)
    votes = np.clip(votes, 1, VOTE_ONE - 1)
    codes = np.arange(4, dtype=np.uint8)
    weighted = model.shift(model.begin(START, 4), 0, table_of(column), codes, 0.0, weight)
    plain = model.shift(model.begin(START, 4), 0, table_of(votes), codes, 0.0, 1.0)
    assert weight == 1.0 or (votes != column).any()
    np.testing.assert_array_equal(model.predictions(weighted).scores, model.predictions(plain).scores)
    again = model.shift(weighted, 0, table_of(column), codes, weight, 1.0)
    whole = model.shift(model.begin(START, 4), 0, table_of(column), codes, 0.0, 1.0)
    np.testing.assert_array_equal(model.predictions(again).scores, model.predictions(whole).scores)
