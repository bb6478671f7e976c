"""exp by multiplication, and what SQL quotes."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from bayesieve.exceptions import ExportError
from bayesieve.export.literals import balanced_sum, comment, identifier, label, number
from bayesieve.export.sql import LOWEST, power_stages


@pytest.fixture
def base():
    with closing(sqlite3.connect(":memory:")) as opened:
        yield opened


def test_powers_are_exponentials():
    x = np.append(np.linspace(LOWEST, 0, 2001), -np.logspace(-12, 2, 200))
    value = x
    for stage in power_stages(["x"]):
        value = eval(stage["x"], {"x": value})
    assert np.abs(value / np.exp(x) - 1).max() < 1e-11
    assert value[2000] == 1


@pytest.mark.parametrize("text", ["a", "it's", '"', "'; DROP TABLE t; --", "back\\slash", "🦊", "%s", "a\nb", ""])
def test_texts_come_back_from_a_database(text, base):
    assert base.execute(f"SELECT {label(text, 'x')}").fetchone() == (text,)
    if text:
        found = base.execute(f"SELECT 1 AS {identifier(text)}")
        assert found.description[0][0] == text


def test_numbers_come_back_exactly(base):
    rng = np.random.default_rng(0)
    values = np.rint(rng.normal(size=500) * 2**43) / 2**40
    query = "SELECT " + ", ".join(map(number, values.tolist()))
    assert base.execute(query).fetchone() == tuple(values.tolist())


def test_sums_comments_and_what_has_no_form():
    terms = [str(i) for i in range(1000)]
    text = balanced_sum(terms)
    assert eval(text) == sum(range(1000))
    depth = np.cumsum([(mark == "(") - (mark == ")") for mark in text]).max()
    assert depth == 10
    assert comment("a\nDROP TABLE t") == "-- a DROP TABLE t"
    with pytest.raises(ExportError, match="of type bytes"):
        label(b"x", "column")
