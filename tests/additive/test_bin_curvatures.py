"""Curvatures of bins, which weigh them when they are merged, against sums over rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bayesieve.additive.merged_bins import bin_curvatures

LEAST = 0.1  # of the curvature of a row that has the share of each class as its probability


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_curvatures_are_sums_over_rows(n_classes):
    rng = np.random.default_rng(n_classes)
    n_rows = 200
    scores = rng.normal(scale=3.0, size=n_rows if n_classes == 2 else (n_rows, n_classes))
    rows = SimpleNamespace(
        n_classes=n_classes,
        target=rng.integers(0, n_classes, n_rows).astype(np.float64),
        weights=rng.uniform(0.5, 2.0, n_rows),
        codes=[rng.integers(0, 4, n_rows), rng.integers(0, 7, n_rows)],
        bases=[SimpleNamespace(gaps=np.zeros(n)) for n in (4, 7)],
    )
    odds = np.exp(np.column_stack([np.zeros(n_rows), scores]) if n_classes == 2 else scores)
    p = odds / odds.sum(axis=1, keepdims=True)
    shares = np.array([rows.weights[rows.target == c].sum() for c in range(n_classes)]) / rows.weights.sum()
    of_rows = np.maximum(p * (1 - p), LEAST * shares * (1 - shares)) * rows.weights[:, None]
    for found, codes, n_bins in zip(bin_curvatures(rows, [0, 1], scores), rows.codes, (4, 7), strict=True):
        expected = np.array([of_rows[codes == v].sum(axis=0) for v in range(n_bins)])
        expected = expected[:, 1] if n_classes == 2 else expected
        assert_allclose(found if found.shape == expected.shape else found.T, expected, rtol=1e-6, atol=2e-6)
