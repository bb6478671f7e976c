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
