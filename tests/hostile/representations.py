"""One case: a column in one representation at the fit and in another at prediction; the same answer, or a sentence."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hostile.damage import rng_of
from hostile.tables import choose
from hostile.watched import watched

import bayesieve
from bayesieve.exceptions import DataError

_EPOCH = datetime.datetime(2020, 1, 1)


def _frame(values):
    return pd.DataFrame({"c": values})


def _objects(make, k):
    values = np.empty(len(k), object)
    values[:] = [make(int(each)) for each in k]
    return _frame(values)


def _dates(k):
    return np.datetime64("2020-01-01") + k.astype("m8[D]")


def _moment(each):
    return _EPOCH + datetime.timedelta(each)


def _clock(each):
    return datetime.time(each // 60, each % 60)


# The kind of values, and a frame of one column made of integers from 0 to 99.
REPRESENTATIONS = {
    "int64": ("number", _frame),
    "int8": ("number", lambda k: _frame(k.astype(np.int8))),
    "float64": ("number", lambda k: _frame(k.astype(float))),
    "float32": ("number", lambda k: _frame(k.astype(np.float32))),
    "Int64": ("number", lambda k: _frame(k).astype("Int64")),
    "int64[pyarrow]": ("number", lambda k: _frame(k).astype("int64[pyarrow]")),
    "object numbers": ("number", lambda k: _objects(int, k)),
    "decimals": ("number", lambda k: _objects(decimal.Decimal, k)),
    "categories of numbers": ("number", lambda k: _frame(pd.Categorical(k))),
    "polars numbers": ("number", lambda k: pl.DataFrame({"c": k})),
    "arrow numbers": ("number", lambda k: pa.table({"c": k})),
    "int 20200131": ("day as number", lambda k: _frame([int(f"{_moment(int(i)):%Y%m%d}") for i in k])),
    "epoch seconds": ("time as number", lambda k: _frame(1_577_836_800 + 86_400 * k)),
    "M8[ns]": ("date", lambda k: _frame(_dates(k).astype("M8[ns]"))),
    "M8[s]": ("date", lambda k: _frame(_dates(k).astype("M8[s]"))),
    "object dates": ("date", lambda k: _objects(lambda each: _moment(each).date(), k)),
    "UTC": ("date", lambda k: _frame(pd.Series(_dates(k).astype("M8[ns]")).dt.tz_localize("UTC"))),
    "timestamp[pyarrow]": ("date", lambda k: _frame(_dates(k).astype("M8[us]")).astype("timestamp[us][pyarrow]")),
    "polars dates": ("date", lambda k: pl.DataFrame({"c": _dates(k)})),
    "arrow dates": ("date", lambda k: pa.table({"c": pa.array([_moment(int(i)).date() for i in k])})),
    "m8[ns]": ("duration", lambda k: _frame(k.astype("m8[D]").astype("m8[ns]"))),
    "object durations": ("duration", lambda k: _objects(datetime.timedelta, k)),
    "polars durations": ("duration", lambda k: pl.DataFrame({"c": k.astype("m8[D]").astype("m8[us]")})),
    "object times": ("time of day", lambda k: _objects(_clock, k)),
    "polars times": ("time of day", lambda k: pl.DataFrame({"c": [_clock(int(i)) for i in k]})),
    "text": ("text", lambda k: _frame([f"v{i // 20}" for i in k])),
    "string": ("text", lambda k: _frame([f"v{i // 20}" for i in k]).astype("string")),
    "categories": ("text", lambda k: _frame(pd.Categorical([f"v{i // 20}" for i in k]))),
    "dictionary[pyarrow]": ("text", lambda k: _dictionary([f"v{i // 20}" for i in k])),
    "polars text": ("text", lambda k: pl.DataFrame({"c": [f"v{i // 20}" for i in k]})),
    "polars categories": ("text", lambda k: pl.DataFrame({"c": [f"v{i // 20}" for i in k]}).cast(pl.Categorical)),
    "arrow dictionary": ("text", lambda k: pa.table({"c": pa.array(_words(k)).dictionary_encode()})),
    "text of dates": ("text of dates", lambda k: _frame(_dates(k).astype(str))),
    "text of numbers": ("text of numbers", lambda k: _frame(k.astype(str))),
    "bool": ("bit", lambda k: _frame(k > 50)),
    "boolean": ("bit", lambda k: _frame(k > 50).astype("boolean")),
    "0 and 1": ("bit", lambda k: _frame((k > 50).astype(int))),
}
_MODELS = {
    "ScorecardClassifier": lambda: bayesieve.ScorecardClassifier(keep=["c"], n_jobs=1),
    "SelectiveNaiveBayes": lambda: bayesieve.SelectiveNaiveBayes(keep=["c"], n_features=1, cv=0, n_jobs=1),
    "equal frequency": lambda: bayesieve.SelectiveNaiveBayes(
        keep=["c"], n_features=1, cv=0, bins="best", discretizer="equal_frequency", n_jobs=1
    ),
    "one bin per value": lambda: bayesieve.SelectiveNaiveBayes(
        keep=["c"], n_features=1, cv=0, bins="best", discretizer=None, n_jobs=1
    ),
}


def _words(k):
    return [f"v{i // 20}" for i in k]


def _dictionary(words):
    return _frame(words).astype(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))


_NUMBERS = {"number", "day as number", "time as number", "bit"}
_TEXTS = {"text", "text of dates", "text of numbers"}
"""Nothing tells that numbers, or texts, stand for something else."""


def try_representations(seed, pair=None):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    k = rng.integers(0, 100, 80)
    y = (k + rng.normal(size=80) * 10 > 50).astype(int)
    (trained, (kind, make)), (given, (other, make_other)) = pair or [choose(rng, REPRESENTATIONS) for _ in range(2)]
    name, model = choose(rng, _MODELS)
    with watched() as outcome:
        fitted = model().fit(make(k), y)
        expected = fitted.predict_proba(make(k))
        try:
            answer = fitted.predict_proba(make_other(k))
        except DataError:
            outcome.word = "refused"
            if kind == other:
                raise
        else:
            problem = _silent(kind, other, answer, expected)
            outcome.problems += [problem] if problem else []
    return f"{name} fitted to {trained}, given {given}", outcome


def _silent(kind, other, answer, expected):
    """Return what is wrong with an answer that was given without a word."""
    if kind == other and not np.array_equal(answer, expected):
        return "another answer to the same values"
    if kind != other and not ({kind, other} <= _NUMBERS or {kind, other} <= _TEXTS):
        return "an answer to values of another kind"
    return None
