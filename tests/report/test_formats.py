"""Numbers as the report shows them."""

import pytest

from bayesieve.report import formats


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1, "1"), (0.00042, "4.2e-4"), (0.25, "0.25"), (0.123456, "0.1235"), (0.9912345, "0.991235")],
)
def test_probabilities_have_four_digits_of_what_is_small(value, text):
    assert formats.probability(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.5, "+0.50"), (-0.001, "0.00"), (-1.0, "-1.00")])
def test_signed_numbers(value, text):
    assert formats.signed(value) == (text if value is not None else formats.decimal(None))


def test_a_share_is_not_minus_zero():
    assert [formats.percent(value) for value in (-0.0001, -0.0, -0.001, 0.2)] == ["0.0%", "0.0%", "-0.1%", "20.0%"]


def test_times_are_in_utc_and_other_text_stays():
    assert formats.show_time("2026-01-02T03:04:05+00:00") == "2026-01-02 03:04 UTC"
    assert formats.show_time("long ago") == "long ago"


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (12345.6, "12,346"), (0.00001, "< 0.0001"), (1.2345, "1.23")])
def test_digits(value, text):
    assert formats.digits(value) == text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("accuracy", 0.0104, "1.0%"),
        ("accuracy", 0.0005, "0.05%"),
        ("accuracy", 0.0, "0.0%"),
        ("log_loss", 0.0005, "0.0005"),
    ],
)
def test_a_standard_error_that_is_not_zero_is_not_shown_as_zero(name, value, text):
    assert formats.score_error(name, value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.7, "0.700"), (0.9996, "0.9996"), (0.99997, "above 0.9999"), (1.0, "1.000")]
)
def test_an_area_below_1_is_not_shown_as_1(value, text):
    assert formats.area(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.25, "0.250"), (0.00004, "4.0e-5"), (0.9996, "0.9996"), (0.99996, "0.99996"), (1.0, "1.000")]
)
def test_ends_of_groups_differ(value, text):
    assert formats.upper_end(value) == text


def test_lists_and_rows_left_out_have_their_number():
    assert [formats.join_words(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert formats.rows_left_out(1, "y") == "1 row has no 'y' and is left out."
    assert formats.rows_left_out(1200, "y") == "1,200 rows have no 'y' and are left out."
    assert formats.format_counts([(str(c), 5) for c in range(7)], most=5).endswith("5 of class 4 and 2 more classes")
