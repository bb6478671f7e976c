"""Categories that are ranges of numbers are recognized, with their order."""

import pytest

from bayesieve.data.range_labels import order_of_numbered, order_of_ranges

IN_ORDER = [
    ["none", "1 - 10%", "11 - 23%", "24 - 50%", "> 50%"],
    ["<500", "500-999", "1000-1999", "5000+"],
    ["18-25", "26-35", "36-45", "over 45"],
    ["under 10 years", "10 to 19 years", "20 to 29 years"],
    ["0", "200-499", "1,000-4,999", "5,000-9,999"],
    ["$1 - $99", "$100 - $499", "$500+"],
    ["0 - 0.5", "0.5 - 1.5", "1.5 - 10"],
    ["<1", "1", "2", "3", "20", ">20"],
    ["never", "1", "2", ">2"],
    ["<10", "10/49", "50-99", "100-500", "500-999", "10000+"],
    ["[0-10)", "[10-20)", "[20-30)", ">200"],
    ["(-5, 0]", "(0, 12.5]", "(12.5, 100]"],
]


@pytest.mark.parametrize("labels", IN_ORDER)
def test_ranges_have_an_order_however_they_are_sorted(labels):
    for each in (labels, sorted(labels), labels[::-1]):
        assert order_of_ranges(each) == tuple(labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c"],
        ["1", "2", "3"],
        ["1-2", "3-4"],
        ["0-9", "10-19", "20-29", "unknown"],
        ["1 - 5", "3 - 8", "9 - 10"],
        ["2020-01-01", "2020-02-01", "2020-03-01"],
        ["1-2", "3-4", "5-6", "5 - 6"],
        ["a 1-2", "b 3-4", "c 5-6"],
        [">7", ">8", "1", "2"],
        ["1-Highest", "2-High", "3-Good"],
    ],
)
def test_other_categories_have_none(labels):
    assert order_of_ranges(labels) is None


def test_numbered_words_have_the_order_of_their_numbers():
    labels = ["1-Highest", "2-High", "3-Good", "10. Lowest"]
    assert order_of_numbered(sorted(labels)) == tuple(labels)
    for others in (["1-High", "1-Low", "2-Good"], ["1-High", "2-Low", "unknown"], ["1-High", "2-Low"], ["1", "2", "3"]):
        assert order_of_numbered(others) is None
