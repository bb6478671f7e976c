"""The axis of a step plot: linear, or nearly logarithmic where the bounds are crowded."""

import itertools
import re

import pytest

from bayesieve.report.chart import Steps, step_plot


def drawn(bounds, **changes):
    n_bins = len(bounds) + 1
    fields = {
        "bounds": bounds,
        "lines": [[float(i) for i in range(n_bins)]],
        "errors": [0.1] * n_bins,
        "n_rows": [10.0] * n_bins,
        "labels": [f"bin {i}" for i in range(n_bins)],
        "tooltips": [],
        "bound_labels": None,
    }
    return str(step_plot(Steps(**(fields | changes)), "income", "log-odds"))


def places_of_steps(svg):
    """Return the horizontal places at which the line has its bounds."""
    path = re.search(r'class="[^"]*held-out[^"]*"[^>]*?(?:points|d)="([^"]+)"', svg)
    assert path
    numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*", path[1])]
    return sorted(set(numbers[0::2]))


def test_even_bounds_have_a_linear_axis():
    svg = drawn([1.0, 2.0, 3.0, 4.0, 5.0])
    assert "logarithmic" not in svg
    inner = places_of_steps(svg)[1:-1]
    gaps = [b - a for a, b in itertools.pairwise(inner)]
    assert max(gaps) - min(gaps) < 0.5


@pytest.mark.parametrize("bounds", [[1.0, 10.0, 100.0, 1e3, 1e4, 1e5], [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]])
def test_powers_of_ten_have_equal_distances(bounds):
    svg = drawn(bounds)
    assert "income (logarithmic scale)" in svg
    inner = places_of_steps(svg)[1:-1]
    gaps = [b - a for a, b in itertools.pairwise(inner)]
    assert len(inner) == len(bounds)
    assert max(gaps) - min(gaps) < 0.5


def test_a_skewed_axis_may_have_zero_and_negative_numbers():
    svg = drawn([-1000.0, -1.0, 0.0, 1.0, 10.0, 100.0, 1e5])
    assert "income (logarithmic scale)" in svg
    inner = places_of_steps(svg)[1:-1]
    assert len(inner) == 7
    assert min(b - a for a, b in itertools.pairwise(inner)) > 3  # none is hidden behind its neighbor
