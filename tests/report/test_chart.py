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
        "errors": [[0.1] * n_bins],
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


def ticks_of(svg):
    """Return the numbers below the axis."""
    found = re.findall(r'<text x="[^"]+" y="207" text-anchor="middle">([^<]+)</text>', svg)
    return [float(each.replace(",", "")) for each in reversed(found)]


def test_the_axis_of_integers_has_integers_and_does_not_leave_the_values():
    codes = drawn([0.5, 1.5], value_range=[0.0, 2.0], are_integers=True)
    assert ticks_of(codes) == [0.0, 1.0, 2.0]
    count = drawn([0.5], value_range=[0.0, 9.0], are_integers=True)
    assert all(tick.is_integer() for tick in ticks_of(count))
    assert {0.0, 1.0} <= set(ticks_of(count))
    years = drawn([2000.0, 2003.0], value_range=[1990.0, 2010.0], are_integers=True)
    assert all(tick.is_integer() for tick in ticks_of(years))


def test_the_axis_of_positive_values_does_not_begin_below_0():
    low, high = map(
        float, re.search(r'data-x="(\S+) (\S+) ', drawn([1.0, 60.0, 120.0], value_range=[0.4, 500.0])).groups()
    )
    assert low == 0.0
    assert 120.0 < high < 140.0


def test_a_skewed_axis_of_integers_is_drawn():
    svg = drawn([1.0, 10.0, 100.0, 1e3, 1e4, 1e5], value_range=[0.0, 2e5], are_integers=True)
    assert "logarithmic" in svg
    assert all(tick.is_integer() for tick in ticks_of(svg))


def test_each_line_has_a_band_of_its_own():
    lines = [[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    shown = drawn([1.0, 2.0], lines=lines, errors=[[0.1] * 3, [0.2] * 3])
    assert 'class="band k0"' in shown
    assert 'class="band k1"' in shown
    assert 'class="band"' in drawn([1.0, 2.0])
    assert "band" not in drawn([1.0, 2.0], errors=None)


def test_points_in_time_are_days_on_the_axis_where_these_differ():
    times = ["2021-03-03 15:01:40", "2021-04-02 22:55:10", "2021-05-02 15:01:40"]
    svg = drawn([1.0, 2.0, 3.0], bound_labels=times)
    assert all(f">{time[:10]}<" in svg for time in times)
    assert "15:01" not in svg
    svg = drawn([1.0, 2.0], bound_labels=["2021-03-03 15:01:40", "2021-03-03 19:30:00"])
    assert ">2021-03-03 15:01:40<" in svg
    assert ">10:30:00<" in drawn([1.0, 2.0], bound_labels=["10:30:00", "11:30:00"])
