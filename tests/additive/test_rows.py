"""Rows that a scorecard learns from: what does not fit is refused, and units of sums."""

import numpy as np
import pytest

from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.rows import PairRows, gradient_bits


@pytest.mark.parametrize(("name", "value"), [("n_bins", 33), ("n_bins", 1), ("weights", -1.0)])
def test_what_does_not_fit_is_refused(name, value):
    rows = {
        "codes": np.array([[1]], dtype=np.uint8),
        "n_bins": np.array([2]),
        "target": np.array([1]),
        "weights": np.array([1.0]),
        "fold": np.array([0]),
    }
    PairRows(**rows)
    with pytest.raises(ValueError, match=r"n_bins|Weights"):
        PairRows(**(rows | {name: np.array([value])}))


def test_scores_of_all_tables_have_an_axis_of_tables():
    rows = PairRows(
        np.zeros((1, 4), dtype=np.uint8),
        np.array([2]),
        np.arange(4) % 3,
        np.ones(4),
        np.arange(4) % 2,
        loss=loss_of_classes(3),
    )
    same, own = np.ones((4, 3)), np.arange(36.0).reshape(3, 4, 3)
    assert rows.of_tables(same).shape == (3, 4, 3)
    np.testing.assert_array_equal(rows.of_tables(own), own)
    np.testing.assert_array_equal(rows.by_table(same), same[None])


@pytest.mark.parametrize("total", [1.0, 1e3, 1e9, 2.0**50])
@pytest.mark.parametrize("share", [1e-6, 1.0])
def test_sums_of_gradients_fit_their_bits(total, share):
    bits = gradient_bits(total, max(1.0, share * total))
    assert total * 2.0**bits <= 2.0**61
    assert max(1.0, share * total) * 2.0**bits <= 2.0**50
    assert bits <= 40
