"""One case: a table is fitted in one file format, and its rows come in another; the same answer, or a sentence."""

import datetime
import gzip
import tempfile
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from hostile.damage import rng_of
from hostile.tables import choose
from hostile.watched import watched

import bayesieve
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.data import read_file
from bayesieve.exceptions import DataError, DecimalGuessWarning


def _day(k):
    return datetime.date(2020, 1, 1) + datetime.timedelta(int(k))


# Columns of values made of an integer from 0 to 99.
COLUMNS = {
    "integer": int,
    "negative": lambda k: -int(k),
    "above 2^53": lambda k: 2**53 + int(k),
    "float": lambda k: float(k) / 7,
    "tiny": lambda k: float(k) * 1e-300,
    "three decimals": lambda k: round(1 + float(k) / 1000, 3),
    "some missing": lambda k: None if k % 7 == 0 else float(k) / 4,
    "first missing": lambda k: None if k < 90 else int(k),
    "bool": lambda k: bool(k > 50),
    "text": lambda k: "uvwxyz"[int(k) // 20],
    "missing text": lambda k: [None, "u", "v"][int(k) // 34],
    "none": lambda k: ["none", "some"][int(k) // 50],
    "capitals": lambda k: ["a", "A", "á"][int(k) // 34],
    "quotes": lambda k: ['say "no"', "a,b", "c;d", "e\tf"][int(k) // 25],
    "postal code": lambda k: f"{int(k):05d}",
    "text of numbers": lambda k: f"{k / 100:.2f}",
    "percent": lambda k: f"{int(k)}%",
    "money": lambda k: f"${1000 + int(k):,}.50",
    "thousands": lambda k: f"{1000 + int(k):,}",
    "date": _day,
    "moment": lambda k: datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=int(k)),
    "microseconds": lambda k: datetime.datetime(2020, 1, 1, 0, 0, 0, int(k) + 1),
    "time of day": lambda k: datetime.time(int(k) // 5, 30),
    "duration": lambda k: datetime.timedelta(minutes=int(k)),
    "dotted date": lambda k: f"{_day(k):%d.%m.%Y}",
    "day as number": lambda k: int(f"{_day(k):%Y%m%d}"),
}


def _comma(value):
    return f"{value}".replace(".", ",") if isinstance(value, float) else value


def _semicolons(frame, path):
    frame.write_csv(path, separator=";")


def _decimal_commas(frame, path):
    floats = [name for name in frame.columns if frame[name].dtype == pl.Float64]
    texts = [pl.Series(name, [None if v is None else _comma(v) for v in frame[name]]) for name in floats]
    frame.with_columns(texts).write_csv(path, separator=";")


def _compressed(frame, path):
    path.write_bytes(gzip.compress(frame.write_csv().encode()))


# The end of the file's name, and what writes it.
FORMATS = {
    "CSV": (".csv", lambda frame, path: frame.write_csv(path)),
    "quoted": (".csv", lambda frame, path: frame.write_csv(path, quote_style="always")),
    "BOM": (".csv", lambda frame, path: frame.write_csv(path, include_bom=True)),
    "semicolons": (".csv", _semicolons),
    "decimal commas": (".csv", _decimal_commas),
    "TSV": (".tsv", lambda frame, path: frame.write_csv(path, separator="\t")),
    "gzip": (".csv.gz", _compressed),
    "Parquet": (".parquet", lambda frame, path: frame.write_parquet(path)),
    "Feather": (".feather", lambda frame, path: frame.write_ipc(path)),
    "JSON lines": (".jsonl", lambda frame, path: frame.write_ndjson(path)),
    "Excel": (".xlsx", lambda frame, path: frame.write_excel(path)),
}


def try_formats(seed, pair=None, kind=None):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    k = rng.integers(0, 100, 60)
    y = (k + rng.normal(size=60) * 10 > 50).astype(int)
    name, make = choose(rng, COLUMNS) if kind is None else (kind, COLUMNS[kind])
    trained, given = pair or [choose(rng, FORMATS)[0] for _ in range(2)]
    values = pl.Series([make(each) for each in k], strict=False)
    frame = pl.DataFrame({"c": values, "row": range(60)})  # a CSV of one column loses its missing values
    text = f"{name}: fitted to {trained}, given {given}"
    # A spreadsheet has milliseconds, and its durations are numbers.
    rounds = (name == "microseconds" and "Excel" in (trained, given)) or (name == "duration" and given == "Excel")
    with tempfile.TemporaryDirectory() as folder, watched() as outcome, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        places = _written(frame, Path(folder), (trained, given))
        if places is None:
            outcome.word = "not made"
            return text, outcome
        first, second = places
        model = bayesieve.ScorecardClassifier(keep=["c"], drop=["row"], n_jobs=1).fit(read_file(first), y)
        expected = model.predict_proba(read_new_rows(model, first)[1])
        try:
            answer = model.predict_proba(read_new_rows(model, second)[1])
        except DataError:
            outcome.word = "refused"
            if trained == given:
                raise
        else:
            is_told = any(issubclass(each.category, DecimalGuessWarning) for each in caught)
            if not np.array_equal(answer, expected) and not is_told and not rounds:
                outcome.problems.append("another answer to the same rows, without a word")
    return text, outcome


def _written(frame, folder, formats):
    """Return the files of a frame; None if a format has no such values."""
    places = []
    for number, name in enumerate(formats):
        suffix, write = FORMATS[name]
        places.append(folder / f"{number}{suffix}")
        try:
            write(frame, places[-1])
        except (pl.exceptions.PolarsError, TypeError):
            return None
    return places
