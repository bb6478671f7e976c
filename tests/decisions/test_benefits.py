"""The expected-benefit rule against brute force, and what decisions brought."""

import numpy as np
import pytest
from draws import draws

from bayesieve.decisions import (
    best_actions,
    expected_benefits,
    mailing_benefits,
    profit_curve,
    read_benefits,
    realized_benefits,
    total_profit,
)
from bayesieve.exceptions import DataError, ParameterError


def brute_action(probabilities, benefits):
    """One row, plain Python: the first action that no other one beats."""
    best, most = 0, None
    for a, line in enumerate(benefits):
        expects = sum(p * b for p, b in zip(probabilities, line, strict=True))
        if most is None or expects > most:
            best, most = a, expects
    return best


@pytest.mark.parametrize("seed", range(draws(8, 20)))
@pytest.mark.parametrize("per_row", [False, True])
def test_rule_against_brute_force(seed, per_row):
    generator = np.random.default_rng(seed)
    n_rows, n_actions, n_classes = 40, *generator.integers(1, 5, size=2) + np.array([0, 1])
    # Eighths, so that sums are exact and ties are real.
    probabilities = generator.multinomial(8, np.full(n_classes, 1 / n_classes), size=n_rows) / 8
    shape = (n_rows, n_actions, n_classes) if per_row else (n_actions, n_classes)
    given = generator.integers(-2, 3, size=shape).astype(float)
    benefits = read_benefits(given, n_classes, n_rows)
    actions = best_actions(expected_benefits(probabilities, benefits))
    rows = given if per_row else np.repeat(given[None], n_rows, axis=0)
    assert actions.tolist() == [brute_action(p, b) for p, b in zip(probabilities.tolist(), rows.tolist(), strict=True)]
    truth = generator.integers(0, n_classes, size=n_rows)
    brought = [rows[i, actions[i], truth[i]] for i in range(n_rows)]
    assert realized_benefits(actions, truth, benefits).tolist() == brought


def test_a_letter_is_sent_where_probability_times_gift_exceeds_the_postage():
    p = np.array([0.01, 0.05, 0.068, 0.5])
    benefits = mailing_benefits([100.0, 10.0, 10.0, 1.0], 0.68)
    expected = expected_benefits(np.column_stack([1 - p, p]), benefits)
    np.testing.assert_allclose(expected[:, 1], p * [100, 10, 10, 1] - 0.68, atol=1e-12)
    assert best_actions(expected).tolist() == [1, 0, int(expected[2, 1] > 0), 0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[0, 1, 2]], "actions × 2 classes, or 3 rows × actions × classes, got the shape"),
        (np.zeros((4, 2, 2)), "got the shape"),
        ("much", "must be numbers"),
        ([[0, np.nan], [0, 0]], "the benefit of action 0, class 1 is nan"),
    ],
)
def test_refused_benefits(given, words):
    with pytest.raises(DataError, match=words):
        read_benefits(given, 2, 3)


def test_total_and_interval():
    realized = np.array([0.0] * 900 + [-0.68] * 90 + [14.32] * 10)
    profit = total_profit(realized, realized != 0)
    assert profit.total == pytest.approx(10 * 14.32 - 90 * 0.68)
    assert (profit.n_rows, profit.n_acted) == (1000, 100)
    # The bootstrap of a sum has the standard deviation sqrt(n) s.
    spread = realized.std() * np.sqrt(1000)
    assert profit.high - profit.low == pytest.approx(2 * 1.96 * spread, rel=0.1)
    assert profit == total_profit(realized, realized != 0)
    assert profit != total_profit(realized, realized != 0, seed=1)
    assert str(profit).startswith("82.00 (95% interval")
    with pytest.raises(ParameterError, match="level"):
        total_profit(realized, realized != 0, level=95)
    with pytest.raises(DataError, match="profit of 0 rows"):
        total_profit(np.empty(0), np.empty(0, dtype=bool))


def test_interval_covers():
    generator = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        drawn = generator.choice([0.0, -1.0, 6.0], p=[0.5, 0.4, 0.1], size=300)
        profit = total_profit(drawn, drawn != 0, n_draws=200)
        inside += profit.low <= 300 * 0.2 <= profit.high
    assert inside >= 180


def test_curve():
    curve = profit_curve(np.array([0.5, 2.0, 0.5, -1.0]), np.array([1.0, 3.0, -2.0, -1.0]))
    assert curve.n_acted.tolist() == [0, 1, 3, 4]
    assert curve.total.tolist() == [0.0, 3.0, 2.0, 1.0]
    assert curve.expected.tolist() == [0.0, 2.0, 3.0, 2.0]
    assert curve.best == 1
    assert profit_curve(np.empty(0), np.empty(0)).total.tolist() == [0.0]
    with pytest.raises(DataError, match="one value per row"):
        profit_curve(np.zeros(2), np.zeros(3))
