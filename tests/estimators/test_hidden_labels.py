"""Categories in few rows are in no model, page or file, and count as new ones do, in the fit as everywhere else."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut
from numpy.testing import assert_array_equal
from sql_databases import DATABASES, close

from bayesieve import (
    BoostClassifier,
    Column,
    MODLDiscretizer,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    load,
)
from bayesieve.export import export_sql

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
NAMES = np.where(Y ^ (RNG.random(300) < 0.15), "Smith", "Jones").astype(object)
RARE = np.flatnonzero(RNG.random(300) < 0.2)
NAMES[RARE] = [f"Mr. Rare {k:03d}" for k in RARE]
X = pd.DataFrame({"name": NAMES, "age": Y + RNG.normal(size=300)})


@pytest.fixture(scope="module")
def model():
    return ScorecardClassifier("best", n_pairs=[("name", "age")]).fit(X, Y)


def test_no_label_of_one_row_is_in_model_page_or_files(model, tmp_path):
    assert "name" in model.scorecard_.names
    model.save(tmp_path / "model.json")
    Report.from_estimator(model, X, Y, what_if=True, compare=False, cv=2).save(tmp_path / "page.html")
    texts = [repr(vars(model)), (tmp_path / "model.json").read_text(), (tmp_path / "page.html").read_text()]
    texts += [export_sql(model), str(model.scorecard())]
    assert not [text for text in texts if "Mr. Rare" in text]
    assert all("Smith" in text for text in texts[1:3])
    plain = ScorecardClassifier("best", columns={"name": Column(min_rows=1)}).fit(X, Y)
    plain.save(tmp_path / "plain.json")
    assert "Mr. Rare" in (tmp_path / "plain.json").read_text()


def test_new_labels_are_as_those_that_are_not_listed(model, tmp_path):
    new = X.iloc[RARE[:5]].assign(name="never seen")
    expected = model.predict_proba(X.iloc[RARE[:5]])
    assert_array_equal(model.predict_proba(new), expected)
    model.save(tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict_proba(new), expected)
    json.loads((tmp_path / "model.json").read_text())


@pytest.mark.parametrize("database", DATABASES)
def test_databases_agree(model, database):
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(pd.concat([X, X.iloc[RARE[:5]].assign(name="new")], ignore_index=True))
    frame = table.with_row_index("id").with_columns(polars.col("id").cast(polars.Int64))
    found = database(export_sql(model, keys=["id"]), frame)
    assert close(found, ["probability"], model.predict_proba(table)[:, 1:]) < 1e-12


def test_onnx_agrees(model):
    onnxruntime = pytest.importorskip("onnxruntime")
    from bayesieve.export import export_onnx, onnx_inputs

    new = X.assign(name=np.where(np.arange(300) % 7, X["name"], "new"))
    found = onnxruntime.InferenceSession(export_onnx(model)).run(None, onnx_inputs(model, new))[1]
    assert np.abs(np.asarray(found) - model.predict_proba(new)).max() < 1e-6


def test_blocks_are_memory(model):
    options = {"columns": {"name": Column(min_rows=3)}, "n_features": "best"}
    expected = ScorecardClassifier(**options).fit(X, Y)
    blocks = ScorecardClassifier(**options).fit(cut(X, Y, ends=(0, 100, 101)), None)
    assert_array_equal(blocks.predict_proba(X), expected.predict_proba(X))
    assert blocks.partitions_["name"] == expected.partitions_["name"]
    assert "Mr. Rare" not in repr(expected.partitions_["name"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: SelectiveNaiveBayes(keep=["name"], cv=0),
        lambda: SelectiveNaiveBayes(keep=["name"], bins="best", cv=0),
        lambda: VoteClassifier(n_features=1, keep=["name"], cv=0),
        lambda: BoostClassifier("confidence", keep=["name"], cv=0),
    ],
)
@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.UnseenValuesWarning")
def test_other_models_list_no_label_of_one_row(make, tmp_path):
    model = make().fit(X, Y)
    assert "name" in model.get_feature_names_out()
    model.save(tmp_path / "model.json")
    Report.from_estimator(model, X, Y, what_if=True, compare=False, cv=2).save(tmp_path / "page.html")
    stored = [pickle.dumps(model), *(place.read_bytes() for place in tmp_path.iterdir())]
    assert [(b"Mr. Rare" in each, b"Smith" in each) for each in stored] == [(False, True)] * len(stored)
    new = X.assign(name=np.where(np.isin(np.arange(300), RARE), "never seen", X["name"]))
    assert_array_equal(model.predict_proba(new), model.predict_proba(X))
    assert_array_equal(load(tmp_path / "model.json").predict_proba(new), model.predict_proba(X))


def test_a_discretizer_lists_no_label_of_one_row():
    found = MODLDiscretizer().fit(X[["name"]], Y)
    assert b"Mr. Rare" not in pickle.dumps(found)
    codes, new = (np.asarray(found.transform(pd.DataFrame({"name": names})))[:, 0] for names in (NAMES[RARE], ["new"]))
    assert (codes == new).all()


def test_columns_of_few_rare_labels_list_them_without_a_limit():
    few = X.assign(
        name=np.where(np.arange(300) == RARE[0], NAMES[RARE[0]], np.where(Y ^ (np.arange(300) % 7 == 0), "a", "b"))
    )
    assert "Mr. Rare" in repr(ScorecardClassifier("best").fit(few, Y).partitions_["name"])
    hidden = ScorecardClassifier("best", columns=Column(min_rows=5)).fit(few, Y)
    assert "Mr. Rare" not in repr(hidden.partitions_["name"])


def test_a_column_without_listed_labels_is_its_missing_values():
    names = np.where(Y ^ (RNG.random(300) < 0.1), np.array([f"n{k}" for k in range(300)], dtype=object), None)
    table = X.assign(name=names)
    model = ScorecardClassifier("best").fit(table, Y)
    assert [model.partitions_["name"].describe(code) for code in range(2)] == ["other", "missing"]
    assert_array_equal(model.predict_proba(table.assign(name="x"))[:3], model.predict_proba(table.assign(name="y"))[:3])
