"""Bounds of plain days are days, and those of times are times."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl

from bayesieve import MODLDiscretizer, ScorecardClassifier


def table(n_rows=600):
    rng = np.random.default_rng(0)
    days = rng.integers(0, 900, n_rows)
    y = (days + rng.normal(scale=150, size=n_rows) > 400).astype(int)
    times = pl.Series("day", [datetime(2019, 1, 1) + timedelta(days=int(day)) for day in days])
    return times, y


def test_bounds_of_plain_days_are_days():
    times, y = table()
    days = times.cast(pl.Date)
    for column in (days, times):  # a time of midnight is a day, too
        X = pl.DataFrame({"day": column})
        model = ScorecardClassifier(n_features=1).fit(X, y)
        bins = model.scorecard()["bin"].to_list()[1:]
        assert len(bins) > 2
        assert all(":" not in text for text in bins)
        (partition,) = model.partitions_.values()
        assert not (partition.bounds % 86_400e6).any()
        assert ":" not in MODLDiscretizer().fit(X, y).partitions_["day"].describe(0)
        day = np.array(days.to_list(), dtype="datetime64[us]").astype(np.int64)
        counted = np.bincount(np.searchsorted(partition.bounds, day), minlength=partition.n_bins)
        assert counted.tolist() == partition.counts.sum(axis=1).tolist()


def test_bounds_of_times_are_times():
    times, y = table()
    X = pl.DataFrame({"day": times + pl.Series([timedelta(hours=i % 24) for i in range(len(y))])})
    model = ScorecardClassifier(n_features=1).fit(X, y)
    assert any(":" in text for text in model.scorecard()["bin"])
