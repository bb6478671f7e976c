"""Critical values decide as SciPy's p-values do, for every value that a statistic can have."""

import numpy as np
import pytest
from scipy import stats

from bayesieve.datasets.window_tests import f_bounds, ks_bound, u_bound

LEVELS = [0.001, 0.005, 0.05, 0.1, 0.5, 0.9]


def halves_with(half, n_pairs):
    """Return two samples of which ``n_pairs`` pairs have the second larger, all values distinct."""
    full, rest = divmod(n_pairs, half)
    # `full` values above everything, one above `rest` values, the others below everything.
    first = np.arange(half) + 0.0
    second = np.concatenate([np.full(full, half) + np.arange(full), -1.0 - np.arange(half - full)])
    if rest:
        second[full] = rest - 0.5
    return first, second


@pytest.mark.parametrize("half", [2, 3, 5, 15])
def test_u_of_every_number_of_pairs(half):
    for n_pairs in range(half * half + 1):
        p = stats.mannwhitneyu(*halves_with(half, n_pairs), method="exact").pvalue
        difference = abs(2 * n_pairs - half * half)
        for level in LEVELS:
            assert (difference >= u_bound(half, level)) == (p <= level), (n_pairs, level)


# Where p rounds to a little more than 1, SciPy falls back on its approximation, which is above all levels here too.
@pytest.mark.filterwarnings("ignore:ks_2samp. Exact calculation unsuccessful:RuntimeWarning")
@pytest.mark.parametrize("half", [2, 3, 5, 15, 20, 25])
def test_ks_of_every_distance(half):
    for distance in range(half + 1):
        # The second sample's first `distance` values come after all others.
        first = np.arange(half) + 0.0
        second = np.concatenate([np.arange(half - distance) + 0.5, 100.0 + np.arange(distance)])
        if distance == 0:
            second = first
        found = stats.ks_2samp(first, second, method="exact")
        m = round(found.statistic * half)
        for level in LEVELS:
            assert (m >= ks_bound(half, level)) == (found.pvalue <= level), (m, level)


@pytest.mark.parametrize("freedom", [(14, 14), (24, 24), (49, 50), (3, 80)])
def test_f_bounds_have_half_the_level_in_each_tail(freedom):
    for level in LEVELS:
        low, high = f_bounds(freedom, level)
        assert stats.f.cdf(low, *freedom) == pytest.approx(level / 2, rel=1e-9)
        assert stats.f.sf(high, *freedom) == pytest.approx(level / 2, rel=1e-9)
