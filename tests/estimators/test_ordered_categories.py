"""Ordered categories are binned as the numbers of their places are, wherever their order comes from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cut_tables import cut

from bayesieve import (
    BoostClassifier,
    Column,
    MODLDiscretizer,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    load,
)
from bayesieve.data import MemoryBlocks, RawBlock, RawBlocks
from bayesieve.exceptions import DataError, ParameterError

LEVELS = ["none", "1 - 10%", "11 - 23%", "24 - 36%", "37 - 49%", "50 - 62%", "63 - 100%"]


def shares(n_rows=900):
    """Return a table with text, the places of its values, and classes whose odds rise with the place."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, len(LEVELS), n_rows)
    y = (rng.random(n_rows) < 1 / (1 + np.exp(2.0 - 0.6 * place))).astype(int)
    text = np.array(LEVELS, dtype=object)[place]
    text[rng.random(n_rows) < 0.1] = None
    table = pd.DataFrame({"share": text, "noise": rng.normal(size=n_rows)})
    return table, table.assign(share=np.where(table["share"].isna(), np.nan, place)), y


TEXT, PLACES, Y = shares()
IN_ORDER = TEXT.astype({"share": pd.CategoricalDtype([*LEVELS, "more"], ordered=True)})
FORMS = {
    "pandas": IN_ORDER,
    "polars": pl.from_pandas(TEXT).with_columns(pl.col("share").cast(pl.Enum([*LEVELS, "more"]))),
    "arrow": pa.Table.from_pandas(IN_ORDER),
}


def labels_of(partition):
    return [label for group in partition.groups for label in group]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [ScorecardClassifier, SelectiveNaiveBayes, BoostClassifier])
def test_a_type_with_an_order_is_binned_as_numbers_are(make, form):
    model, numbers = (make(n_features=1).fit(X, Y) for X in (FORMS[form], PLACES))
    assert np.array_equal(model.predict_proba(FORMS[form]), numbers.predict_proba(PLACES))
    partition = model.partitions_["share"]
    assert partition.ordered
    assert labels_of(partition) == [*LEVELS, "more"]
    assert partition.n_bins == numbers.partitions_["share"].n_bins > 3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_order_that_is_given_is_that_of_the_type_in_memory_and_in_blocks(n_classes):
    y = Y + (n_classes > 2) * (PLACES["noise"].to_numpy() > 1)
    options = {"n_jobs": 1, "columns": {"share": Column(ordered=[*LEVELS, "more"])}}
    expected = ScorecardClassifier(n_jobs=1).fit(IN_ORDER, y).predict_proba(TEXT)
    for model in (
        ScorecardClassifier(**options).fit(TEXT, y),
        ScorecardClassifier(**options).fit(cut(TEXT, y), None),
        ScorecardClassifier(n_jobs=1).fit(cut(IN_ORDER, y), None),
    ):
        assert np.array_equal(model.predict_proba(TEXT), expected)
    assert not np.array_equal(ScorecardClassifier(n_jobs=1).fit(TEXT, y).predict_proba(TEXT), expected)


def test_the_reverse_order_is_the_same_model_and_a_model_file_keeps_the_order(tmp_path):
    models = [
        ScorecardClassifier(n_jobs=1, columns={"share": {"ordered": order}}).fit(TEXT, Y)
        for order in (LEVELS, LEVELS[::-1])
    ]
    assert np.array_equal(*(model.predict_proba(TEXT) for model in models))
    assert labels_of(models[1].partitions_["share"]) == LEVELS[::-1]
    models[1].save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.partitions_["share"] == models[1].partitions_["share"]
    assert loaded.get_params()["columns"] == models[1].columns
    assert np.array_equal(loaded.predict_proba(TEXT), models[1].predict_proba(TEXT))


def test_points_may_be_monotone_along_the_order():
    other = [*LEVELS[:2], LEVELS[5], *LEVELS[2:5], LEVELS[6]]  # one value is out of place
    for direction, sign in (("increasing", 1), ("decreasing", -1)):
        order = other[::sign]
        model = ScorecardClassifier(columns={"share": Column(ordered=order, monotone=direction)}).fit(TEXT, Y)
        card = model.scorecard()
        points = card.loc[(card["column"] == "share") & (card["bin"] != "missing"), "points"].to_numpy()
        assert len(points) > 2
        assert (sign * np.diff(points) >= 0).all()
    with pytest.raises(DataError, match=r"columns\['share'\]: monotone is for numbers and ordered categories"):
        ScorecardClassifier(columns={"share": Column(monotone="increasing")}).fit(TEXT, Y)
    ScorecardClassifier(columns={"share": Column(monotone="increasing")}).fit(IN_ORDER, Y)


def test_bins_of_other_estimators_follow_the_order():
    bins = MODLDiscretizer(monotone={"share": "increasing"}).fit(IN_ORDER, Y)
    assert labels_of(bins.partitions_["share"]) == [*LEVELS, "more"]
    rates = bins.binning_table("share")
    assert rates["weight of evidence"].iloc[:-1].is_monotonic_increasing
    votes = VoteClassifier("any", n_features=1).fit(IN_ORDER, Y)
    assert labels_of(votes.partitions_["share"]) == [*LEVELS, "more"]


def test_a_simplified_model_joins_neighbors():
    model = ScorecardClassifier(n_features=1).fit(IN_ORDER, Y).simplify(3)
    (table,) = model.scorecard_.tables
    assert labels_of(table.partition) == [*LEVELS, "more"]
    assert table.partition.n_bins == 3  # the last for missing values


def test_what_an_order_must_be():
    def fit(X, **columns):
        ScorecardClassifier(columns=columns).fit(X, Y)

    with pytest.raises(DataError, match="Column 'share' has the value '63 - 100%', which its order does not have"):
        fit(TEXT, share=Column(ordered=LEVELS[:-1]))
    with pytest.raises(DataError, match="Column 'share' has numbers, which are in order: leave out its order"):
        fit(PLACES, share=Column(ordered=[0, 1]))
    with pytest.raises(ParameterError, match=r"columns\['share'\]: ordered lists 'none' twice"):
        fit(TEXT, share=Column(ordered=["none", "none"]))
    with pytest.raises(ParameterError, match="ordered lists the values of one column; give a mapping of columns"):
        ScorecardClassifier(columns=Column(ordered=LEVELS)).fit(TEXT, Y)


def test_blocks_have_one_order():
    other = TEXT.astype({"share": pd.CategoricalDtype(LEVELS[::-1], ordered=True)})
    rows = [RawBlock(IN_ORDER[:400], Y[:400], None), RawBlock(other[400:], Y[400:], None)]
    targets = [RawBlock(None, block.y, None) for block in rows]
    blocks = RawBlocks(MemoryBlocks(rows), MemoryBlocks(targets), IN_ORDER[:0])
    with pytest.raises(DataError, match="Column 'share' has different orders of its categories in different blocks"):
        ScorecardClassifier(n_jobs=1).fit(blocks, None)
