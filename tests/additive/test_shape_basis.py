"""The basis of a column's shape, and what pairs add to rows, by their definitions."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from bayesieve.additive.members import FittedPairs
from bayesieve.additive.shape_data import column_basis


@pytest.mark.parametrize("has_missing", [False, True])
def test_lines_of_a_column_of_numbers(has_missing):
    rng = np.random.default_rng(0)
    mass = rng.integers(1, 50, 9).astype(np.float64)
    first = int(has_missing)
    means = np.sort(rng.normal(size=9 - first))
    basis = column_basis(mass, (means, (means[1], means[-2])), has_missing=has_missing)
    own = mass[first:] / mass.sum()
    for line in (basis.line, basis.rank, basis.square):
        assert_array_equal(line[:first], 0.0)
        assert_allclose([own @ line[first:], own @ line[first:] ** 2], [0.0, 1.0], atol=1e-6)
    assert own @ (basis.line * basis.square)[first:] == pytest.approx(0.0, abs=1e-6)
    assert basis.line[first] == basis.line[first + 1]  # clipped
    shares = (np.cumsum(mass[first:]) - mass[first:] / 2) / mass[first:].sum()
    assert np.corrcoef(basis.rank[first:] - own @ basis.rank[first:], norm.ppf(shares))[0, 1] == pytest.approx(1.0)
    # Half of the variance is shared equally by the steps between numbers, half by the rows on both sides.
    n_steps = 8 - first
    steps = (1.0 / n_steps + (mass[1:] + mass[:-1]) / 2 / mass.sum()) / 2
    assert_allclose(basis.gaps[first:-1], steps[first:], atol=1e-6)
    assert basis.gaps[-1] == 1.0
    assert not has_missing or basis.gaps[0] == 1.0


def test_normal_scores_of_the_rarest_ranks_are_clipped():
    basis = column_basis(np.array([1.0, 10.0, 1e6, 10.0, 1.0]), (np.arange(5.0), (0.0, 4.0)), has_missing=False)
    assert basis.rank[0] == basis.rank[1] < basis.rank[2] < basis.rank[3] == basis.rank[4]
    assert basis.line[0] < basis.line[1]


def test_pairs_add_tables_without_the_fold_to_held_out_rows():
    rng = np.random.default_rng(1)
    tables, codes = rng.normal(size=(2, 3, 4)), rng.integers(0, 3, (3, 20))
    terms = [
        SimpleNamespace(
            columns=(0, k + 1), table=table, out_of_fold=rng.normal(size=20), log_bayes_factor=3.0, gain=4.0
        )
        for k, table in enumerate(tables)
    ]
    rows = SimpleNamespace(weights=np.full(20, 2.0), n_rows=20, score_shape=(), fold=lambda f: (5 * f, 5 * f + 5))
    data = SimpleNamespace(rows=rows, contribution=lambda pair, table: table[codes[pair[0]], codes[pair[1]]])
    pairs = FittedPairs.of_terms(terms, data)
    assert [each.gain for each in pairs.tables] == [0.1, 0.1]
    fitted = sum(data.contribution(term.columns, term.table) for term in terms)
    assert_array_equal(pairs.of_fold(rows, None), fitted)
    added = pairs.of_fold(rows, 1)
    held_out = terms[0].out_of_fold + terms[1].out_of_fold
    assert_allclose(added[5:10], held_out[5:10], atol=2.0**-40)
    assert_array_equal(np.delete(added, np.s_[5:10]), np.delete(fitted, np.s_[5:10]))
