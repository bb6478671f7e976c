"""Final tables of a scorecard from all rows in blocks: where they end, and that blocks do not matter."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut
from sklearn.metrics import log_loss

from bayesieve import ScorecardClassifier
from bayesieve.additive import blocks, train
from bayesieve.additive.fit import start_fit
from bayesieve.data import open_parquet
from bayesieve.data.blocks import parquet_frame
from bayesieve.exceptions import InterruptedSearchWarning, SampledModelWarning
from bayesieve.fit import block_folds


def table_of(n_rows, n_classes=2, seed=0):
    """Return numbers with gaps, a category of 30 values and a product, and classes that depend on them."""
    rng, effects = np.random.default_rng(seed), np.random.default_rng(7)
    x, category = rng.normal(size=(n_rows, 4)), rng.integers(0, 30, n_rows)
    scores = np.sin(x) @ effects.normal(size=(4, n_classes)) + effects.normal(size=(30, n_classes))[category]
    scores[:, 0] += 1.5 * x[:, 0] * x[:, 1]
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    table = pd.DataFrame(x, columns=["a", "b", "c", "d"]).assign(k=[f"v{i}" for i in category])
    table.loc[rng.random(n_rows) < 0.1, "c"] = np.nan
    return table, y


@pytest.fixture
def few(monkeypatch):
    """Let a sample have 600 rows."""
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 600)


def seen(monkeypatch):
    """Return a list that all rows of the next fits are added to."""
    made = []

    def make(*args):
        made.append(blocks.make_all_rows(*args))
        return made[-1]

    monkeypatch.setattr(train, "make_all_rows", make)
    return made


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_do_not_matter(n_classes, few):
    table, y = table_of(2000, n_classes)
    weights = np.random.default_rng(1).integers(0, 3, len(y)) / 4
    alone = ScorecardClassifier("best", n_pairs=[("a", "b")]).fit(cut(table, y, weights, ends=(0,)), None)
    many = ScorecardClassifier("best", n_pairs=[("a", "b")]).fit(cut(table, y, weights), None)
    assert alone.path_.phases[-1].name == "final fit on all rows"
    np.testing.assert_array_equal(many.predict_proba(table), alone.predict_proba(table))


def test_pairs_of_several_classes_are_found_in_the_sample_whatever_the_blocks(few):
    table, y = table_of(2000, 3)
    alone, many = (ScorecardClassifier("best").fit(cut(table, y, **ends), None) for ends in ({"ends": (0,)}, {}))
    assert alone.pairs_ == many.pairs_ == [("a", "b")]
    np.testing.assert_array_equal(many.predict_proba(table), alone.predict_proba(table))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_more_rows_help(n_classes, few, monkeypatch):
    table, y = table_of(4000, n_classes)
    fresh, truth = table_of(4000, n_classes, seed=1)
    options = {"n_features": "best", "n_pairs": [("a", "b")]}
    every = ScorecardClassifier(**options).fit(cut(table, y), None)
    monkeypatch.setattr(train, "make_all_rows", lambda *_: None)
    sample = ScorecardClassifier(**options).fit(cut(table, y), None)
    monkeypatch.setattr(block_folds, "_MOST_ROWS", len(y))
    memory = ScorecardClassifier(**options).fit(table, y)
    losses = [log_loss(truth, each.predict_proba(fresh)) for each in (memory, every, sample)]
    assert losses[1] - losses[0] < 0.2 * (losses[2] - losses[0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_tied_members_end_where_all_rows_in_memory_have_them(n_classes, few, monkeypatch):
    table, y = table_of(2000, n_classes)
    made = seen(monkeypatch)
    monkeypatch.setattr(blocks, "SMALL_MOVE", 1e-7)
    monkeypatch.setattr(blocks, "SMALL_MOVE_PER_ROW", 0.0)
    kept = []
    monkeypatch.setattr(blocks.AllRows, "_additive", lambda self, fit, model: kept.append(model) or fit)
    ScorecardClassifier("best", n_pairs=0).fit(cut(table, y, ends=(0,)), None)
    (rows,), (model,) = made, kept
    (block,) = rows.blocks.reduce(lambda block: [block], lambda a, b: a + b)
    every = rows.layout.rows(block)
    every = replace(every, bases=rows.sample.bases, missing=rows.sample.missing)
    for (priors, _), state in list(zip(model.priors, model.states, strict=True))[:2]:
        here, there = start_fit(every, priors, None), start_fit(every, priors, None, start=state)
        here.run(range(every.n_columns), 300, 1e-9)
        np.testing.assert_allclose(there.scores, here.scores, atol=1e-2)


def test_a_rare_value_that_the_sample_lacks_has_its_score(monkeypatch):
    table, y = table_of(4000)
    table.loc[np.flatnonzero(y == 1)[1:600:20], "k"] = "rare"  # positive rows only
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 400)
    made = seen(monkeypatch)
    model = ScorecardClassifier("best", n_pairs=0).fit(cut(table, y), None)
    sampled = [len(codes) for codes in made[0].sample.codes]
    assert sampled[0] <= 400
    rare, common = (model.predict_proba(table.assign(k=value))[:, 1].mean() for value in ("rare", "v1"))
    assert rare > 0.8 > common


def test_monotone_tables_stay_monotone(few):
    table, y = table_of(2000)
    model = ScorecardClassifier("best", n_pairs=0, columns={"a": {"monotone": "increasing"}}).fit(cut(table, y), None)
    grid = pd.concat([table.iloc[:1]] * 50, ignore_index=True).assign(a=np.linspace(-3, 3, 50))
    assert (np.diff(model.predict_proba(grid)[:, 1]) >= 0).all()


def test_parquet_and_a_checkpoint_end_with_the_same_bits(tmp_path, few, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr(parquet_frame, "_MIN_ROWS", 128)
    table, y = table_of(1500)
    polars.from_pandas(table.assign(y=y)).write_parquet(tmp_path / "a.parquet")
    frame = open_parquet(tmp_path / "a.parquet", memory="1MiB", n_jobs=2)
    options = {"n_features": "best", "n_pairs": [("a", "b")], "checkpoint": tmp_path / "journal"}
    expected = ScorecardClassifier("best", n_pairs=[("a", "b")]).fit(cut(table, y), None).predict_proba(table)
    calls = []
    whole_sums = blocks.AllRows.whole_sums

    def interrupted(self, model):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole_sums(self, model)

    monkeypatch.setattr(blocks.AllRows, "whole_sums", interrupted)
    with pytest.warns(InterruptedSearchWarning):
        stopped = ScorecardClassifier(**options).fit(frame.drop("y"), frame["y"])
    assert stopped.path_.phases[-1].name == "final fit"
    assert stopped.n_features_ == len(stopped.path_.phases[-1].columns)
    resumed = ScorecardClassifier(**options).fit(frame.drop("y"), frame["y"])
    np.testing.assert_array_equal(resumed.predict_proba(table), expected)


def test_passes_are_few(few, monkeypatch):
    table, y = table_of(4000)
    calls = []
    whole_sums = blocks.AllRows.whole_sums
    monkeypatch.setattr(blocks.AllRows, "whole_sums", lambda self, model: calls.append(1) or whole_sums(self, model))
    ScorecardClassifier("best", n_pairs=0).fit(cut(table, y), None)
    assert 2 <= len(calls) <= 5


def test_a_small_sample_of_many_entries_never_makes_it_worse(monkeypatch):
    rng = np.random.default_rng(0)
    table, y = table_of(4000)
    table["many"] = [f"w{i}" for i in rng.integers(0, 400, len(y))]
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 400)
    every = ScorecardClassifier("best", n_pairs=0).fit(cut(table, y), None)
    monkeypatch.setattr(train, "make_all_rows", lambda *_: None)
    sample = ScorecardClassifier("best", n_pairs=0).fit(cut(table, y), None)
    fresh, truth = table_of(4000, seed=1)
    fresh["many"] = [f"w{i}" for i in rng.integers(0, 400, len(truth))]
    assert log_loss(truth, every.predict_proba(fresh)) < log_loss(truth, sample.predict_proba(fresh))


def test_another_size_is_that_of_the_sample_and_says_so(few, recwarn):
    table, y = table_of(2000)
    model = ScorecardClassifier(n_pairs=0).fit(cut(table, y), None)
    selected, other = model.n_features_, 1
    assert selected > other
    same = model.select(selected)
    assert not recwarn.list
    np.testing.assert_array_equal(same.predict_proba(table), model.predict_proba(table))
    with pytest.warns(SampledModelWarning, match=f"size 1 .* that of size {selected} .* n_features=1"):
        model.select(other)
    asked = ScorecardClassifier(n_features=other, n_pairs=0).fit(cut(table, y), None)
    assert asked.path_.phases[-1].name == "final fit on all rows"
    small = ScorecardClassifier(n_pairs=0).fit(*table_of(500))
    small.select(other)  # all rows are in memory: no warning, which would be an error here
