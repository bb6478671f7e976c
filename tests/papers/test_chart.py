"""Charts: where points are drawn, round ticks, and saved results."""

import json
import re
from xml.etree import ElementTree

import pytest

from bayesieve.papers.chart import Bars, Boxes, Chart, Panel, Series
from bayesieve.papers.saved_result import count_parts, dump_result, plain_result
from bayesieve.papers.svg import arrow
from bayesieve.report.chart import log_ticks, nice_ticks


def test_ticks_of_short_and_long_log_axes():
    assert log_ticks(0.9, 210.0) == [1, 2, 5, 10, 20, 50, 100, 200]
    assert log_ticks(6.1, 13.8) == nice_ticks(6.1, 13.8) == [8, 10, 12]


@pytest.mark.parametrize("log", [False, True])
def test_points_are_in_order_and_ticks_are_round(log):
    panel = Panel("title", "x", "y", [Series("a", [1, 10, 100], [2.0, 4.0, 8.0], "points")], log_x=log)
    svg = Chart("all", [panel]).svg()
    ElementTree.fromstring(svg)
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    xs, ys = ([float(place) for place in each] for each in zip(*circles[1:], strict=True))  # after the legend
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)  # upwards
    assert (xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)) == log
    assert (">100</text>" in svg) or (">80</text>" in svg)


def test_a_wide_logarithmic_axis_has_numbers_at_powers_of_ten_only():
    def ticks(high):
        svg = Chart("", [Panel("", "", "", [Series("a", [1, high], [1, 2])], log_x=True)]).svg()
        return [each for each in ("1", "2", "5", "10", "1000", "1e+06") if f">{each}</text>" in svg]

    assert ticks(1e6) == ["1", "2", "10", "1000", "1e+06"]  # 2 is a number of the other axis
    assert ticks(20) == ["1", "2", "5", "10"]


def test_bars_have_their_heights():
    svg = Chart("bars", [Bars("", "recall", ["one", "two"], {"a": [0.2, 0.4], "b": [0.6, 0.3]})]).svg()
    heights = [float(each) for each in re.findall(r'height="([\d.]+)" fill="#', svg)[2:]]  # after the legend
    assert len(heights) == 4
    assert heights[2] / heights[1] == pytest.approx(0.4 / 0.6, abs=0.01)  # from zero
    ElementTree.fromstring(Chart("boxes", [Boxes("", "recall", {"a & b": [0, 0.1, 0.2, 0.3, 0.4]})]).svg())


def test_names_have_distinct_colors_and_those_that_share_one_differ_by_their_lines():
    names = [f"line {i}" for i in range(16)]
    svg = Chart("", [Panel("", "", "", [Series(name, [1, 2], [1, 2]) for name in names])]).svg()
    assert len(set(re.findall(r'<polyline [^>]*stroke="(#\w+)"', svg))) == 16
    styles = ("line", "dashed", "dotted", "dash-dot")
    pair = [Series(style, [1, 2], [1, 2], style, "same") for style in styles]
    lines = re.findall(r"<polyline [^>]*/>", Chart("", [Panel("", "", "", pair)]).svg())
    assert len(set(re.findall(r'stroke="(#\w+)"', "".join(lines)))) == 1
    assert len({re.sub(r"points=\S+", "", each) for each in lines}) == 4
    with pytest.raises(AssertionError, match="only 16 colors"):
        Chart("", [Panel("", "", "", [Series(str(i), [1], [1]) for i in range(17)])]).svg()


def test_arrows_have_heads():
    assert arrow(0, 0, 0, 10).count("<polygon ") == 1
    assert 'points="0.0,10.0 ' in arrow(0, 0, 0, 10)


def test_a_saved_result_is_rounded_and_has_one_line_per_list():
    summary = {"rows": [{"error": 1 / 3, "sizes": [1, 2, 3]}], "title": "a [b] c", 5: None}
    jobs = [("table", "donor 1"), ("table", "donor 2"), ("table", 1), ("votes", "spect", 0)]
    parts = count_parts(jobs, {("table", "donor 2"), ("table", 1)}.__contains__)
    assert parts == {"table donor": [1, 2], "table": [1, 1], "votes spect": [0, 1]}
    result = plain_result("004", "bayesieve reproduce 004", parts, summary)
    assert result["summary"]["rows"][0]["error"] == 0.333333
    assert not result["complete"]
    text = dump_result(result)
    assert json.loads(text) == result
    assert '"sizes": [ 1, 2, 3 ]' in text
