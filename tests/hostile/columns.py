"""Values that break programs: one line per kind of column, of target and of weights, each a function of (rng, n)."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

NUMBERS = [
    np.inf, -np.inf, np.nan, -0.0, 0.0, 5e-324, -5e-324, 2.2e-308, 1e308, -1e308, 1.7976931348623157e308, 1e-300,
    2.0**53, 2.0**53 + 2, 1.0, -1.0, 0.1, 1 + 2**-52, 3.4e38, 1e-45, 65504.0,
]  # fmt: skip
INTEGERS = [2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63), -(2**63) + 1, 2**62, 0, 1, -1, 2**31, 2**32]
TEXTS = [
    "", " ", "a", "A", "b", "é", "e\u0301", "日本", "\u2028", "\u202e", "😀", "nan", "None", "NA", "\x00", "a\x00b",
    "'", '"', "--", "</script>", "=cmd", "\\", "\n", "1", "1.0", "01", "x" * 300, "\ud800",
]  # fmt: skip
OBJECTS = [
    1, 1.0, True, "1", None, float("nan"), "a", b"a", (1,), datetime.date(2020, 1, 1), decimal.Decimal("1.0"), 2**70,
    -0.0, float("inf"), 1 + 2j, [1], {}, object, pd.NA, pd.NaT, np.float32(0.1), np.int8(3),
]  # fmt: skip


def pick(rng, values, n):
    """Return n of some values, as a list."""
    return [values[i] for i in rng.integers(0, len(values), n)]


def _objects(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _rounded(rng, n):
    return rng.normal(size=n).round(rng.integers(0, 4))


def _dates(rng, n):
    days = (np.datetime64("1677-09-22", "ns") + rng.integers(0, 1 << 31, n).astype("timedelta64[s]")).astype("M8[ns]")
    return np.where(rng.random(n) < 0.1, np.datetime64("NaT"), days)


def _few_objects(rng, n):
    values = _objects([None] * n)
    few = pick(rng, OBJECTS, int(rng.integers(1, 5)))
    for i in range(n):
        values[i] = few[int(rng.integers(len(few)))]
    return values


def _levels(rng, n, values, **options):
    return pd.Series(pd.Categorical(pick(rng, values, n), **options))


# Columns that a fit accepts, so that many cases reach the end.
MILD_COLUMNS = {
    "normal": _rounded,
    "integer": lambda rng, n: rng.integers(-3, 4, n),
    "large integer": lambda rng, n: np.array(pick(rng, INTEGERS, n), np.int64),
    "unsigned": lambda rng, n: np.array(pick(rng, [0, 1, 2**64 - 1, 2**63, 2**53 + 1], n), np.uint64),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "text": lambda rng, n: _objects(pick(rng, TEXTS[:-1], n)),
    "category": lambda rng, n: _levels(rng, n, ["x", "y", None], categories=["y", "x", "unused"]),
    "ordered": lambda rng, n: _levels(rng, n, [3, 1, 2], categories=[2, 1, 3, 9], ordered=True),
    "Int64": lambda rng, n: pd.Series(pick(rng, [None, 0, 1, 2], n), dtype="Int64"),
    "Float64": lambda rng, n: pd.Series(pick(rng, [None, 0, 1, 2], n), dtype="Float64"),
    "boolean": lambda rng, n: pd.Series(pick(rng, [True, False, None], n), dtype="boolean"),
    "string": lambda rng, n: pd.Series(pick(rng, ["q", None, "", "é"], n), dtype="string"),
    "all missing": lambda rng, n: np.full(n, np.nan),
    "minus zero": lambda rng, n: np.full(n, -0.0),
    "float32": lambda rng, n: _rounded(rng, n).astype(np.float32),
    "int8": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "objects and None": lambda rng, n: _objects(pick(rng, [None, 0.0, 1.0, 2.0], n)),
    "dates": _dates,
}
COLUMNS = MILD_COLUMNS | {
    "numbers": lambda rng, n: np.array(pick(rng, NUMBERS, n), float),
    "some numbers": lambda rng, n: np.where(rng.random(n) < 0.3, NUMBERS[int(rng.integers(21))], _rounded(rng, n)),
    "large objects": lambda rng, n: _objects(pick(rng, [2**70, -(2**70), 1, 0, 10**400], n)),
    "surrogates": lambda rng, n: _objects(pick(rng, TEXTS, n)),
    "objects": _few_objects,
    "days": lambda rng, n: _objects(pick(rng, [datetime.date(1900, 1, 1), datetime.date(2199, 12, 1)], n)),
    "durations": lambda rng, n: rng.integers(0, 1 << 30, n).astype("m8[s]").astype("m8[ns]"),
    "zone": lambda rng, n: pd.Series(pd.to_datetime(rng.integers(0, 1 << 30, n), unit="s", utc=True)),
    "period": lambda rng, n: pd.Series(pd.period_range("2020-01", periods=max(n, 1), freq="M")[:n]),
    "None": lambda rng, n: np.full(n, None, object),
    "constant": lambda rng, n: np.full(n, NUMBERS[int(rng.integers(len(NUMBERS)))]),
    "float16": lambda rng, n: _rounded(rng, n).astype(np.float16),
    "long double": lambda rng, n: _rounded(rng, n).astype(np.longdouble),
    "complex": lambda rng, n: _rounded(rng, n) + 1j * _rounded(rng, n),
    "bytes": lambda rng, n: np.array(pick(rng, [b"a", b"b", b""], n), "S1"),
    "decimal": lambda rng, n: _objects([decimal.Decimal(int(i)) / 3 for i in rng.integers(0, 7, n)]),
    "object numbers": lambda rng, n: _rounded(rng, n).astype(object),
}


def _two(rng, n, low=0, high=1, kind=object):
    return np.array([low, high], kind)[rng.integers(0, 2, n)]


def _some(rng, n, value):
    target = _two(rng, n, "a", "b") if value is None else _two(rng, n, kind=float)
    target[: max(1, n // 5)] = value
    return target


MILD_TARGETS = {
    "two": lambda rng, n: _two(rng, n, kind=int),
    "three": lambda rng, n: rng.integers(0, 3, n),
    "text": lambda rng, n: _two(rng, n, "no", "yes", str),
    "floats": lambda rng, n: _two(rng, n, 0, 2, float),
    "bool": lambda rng, n: _two(rng, n, kind=bool),
    "category": lambda rng, n: _levels(rng, n, ["u", "v"], categories=["v", "u", "unused"]),
    "rare": lambda rng, n: (np.arange(n) == 0).astype(int),
    "list": lambda rng, n: _two(rng, n, kind=int).tolist(),
    "polars": lambda rng, n: pl.Series("y", _two(rng, n, kind=int)),
    "arrow": lambda rng, n: pa.chunked_array([pa.array(_two(rng, n, kind=int))]),
    "markup": lambda rng, n: _two(rng, n, "</script>", "é\u2028'\""),
    "large": lambda rng, n: _two(rng, n, 2**63 - 1, 2**63 - 2, np.int64),
}
TARGETS = MILD_TARGETS | {
    "one": lambda rng, n: np.zeros(n, int),
    "NaN": lambda rng, n: _some(rng, n, np.nan),
    "None": lambda rng, n: _some(rng, n, None),
    "nullable": lambda rng, n: pd.Series(pick(rng, [0, 1, None], n), dtype="Int64"),
    "objects": lambda rng, n: _objects(pick(rng, OBJECTS[:8], n)),
    "continuous": lambda rng, n: rng.normal(size=n),
    "dates": lambda rng, n: np.array(["2020-01-01", "2021-01-01"], "M8[D]")[rng.integers(0, 2, n)],
    "too long": lambda rng, n: np.append(_two(rng, n, kind=int), 1),
    "matrix": lambda rng, n: _two(rng, n, kind=int).reshape(-1, 1),
    "many": lambda rng, n: np.arange(n),
    "blank": lambda rng, n: _two(rng, n, "", " ", str),
    "minus zero": lambda rng, n: np.array([-0.0, 0.0, 1.0])[rng.integers(0, 3, n)],
    "objects above 64 bits": lambda rng, n: _two(rng, n, 2**70, 1),
}

MILD_WEIGHTS = {
    "none": lambda rng, n: None,
    "some zero": lambda rng, n: (rng.random(n) < 0.5) * 1.0,
    "fractions": lambda rng, n: rng.random(n),
    "integers": lambda rng, n: rng.integers(0, 4, n),
    "halves": lambda rng, n: np.where(np.arange(n) % 2, 2.0, 0.5),
}
WEIGHTS = MILD_WEIGHTS | {
    "zero": lambda rng, n: np.zeros(n),
    "huge": lambda rng, n: np.full(n, 1e300),
    "huge sum": lambda rng, n: np.full(n, 1.7e308),
    "2^60": lambda rng, n: np.full(n, 2.0**60),
    "negative": lambda rng, n: rng.normal(size=n),
    "NaN": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, 1.0),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.3, np.inf, 1.0),
    "too long": lambda rng, n: np.ones(n + 1),
    "tiny": lambda rng, n: np.full(n, 5e-324),
    "very different": lambda rng, n: rng.choice([1e-300, 1.0, 1e15, 1 / 3], n),
    "different": lambda rng, n: rng.choice([1.0, 1e9], n),
    "text": lambda rng, n: np.array(["a"] * n),
    "only one": lambda rng, n: np.arange(n) == 0,
    "objects": lambda rng, n: np.array([1] * n, object),
}
