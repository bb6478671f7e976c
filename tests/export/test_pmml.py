"""Scorecards of PMML, evaluated by the rules of its specification, give the predictions of the model in Python."""

import datetime
import operator
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from mixed_models import MODELS, mixed, new_rows
from pair_models import make_model

from bayesieve import BenefitClassifier, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import ExportError, NothingSelectedWarning
from bayesieve.export import export_pmml

SPACE = {"p": "http://www.dmg.org/PMML-4_4"}
READ = {
    "double": float,
    "string": str,
    "boolean": lambda text: text == "true",
    "dateTime": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
}
COMPARE = {"equal": operator.eq, "lessOrEqual": operator.le, "greaterThan": operator.gt, "lessThan": operator.lt}
FUNCTIONS = {
    **COMPARE,
    "+": operator.add,
    "*": operator.mul,
    "/": operator.truediv,
    "exp": np.exp,
    "if": lambda test, yes, no: yes if test else no,
}
ADDITIVE = [name for name in MODELS if "vote" not in name and name not in ("majority", "brier")]


class Engine:
    """An evaluator of PMML's scorecards that is as short as can be."""

    def __init__(self, content):
        root = ElementTree.fromstring(content)
        self.types = {each.get("name"): each.get("dataType") for each in root.iterfind(".//p:DataField", SPACE)}
        self.card = root.find("p:Scorecard", SPACE)

    def score(self, row):
        total, moved = float(self.card.get("initialScore")), {}
        assert self.card.get("reasonCodeAlgorithm") == "pointsAbove"
        for each in self.card.iterfind("p:Characteristics/p:Characteristic", SPACE):
            attributes = each.iterfind("p:Attribute", SPACE)
            points = next(float(a.get("partialScore")) for a in attributes if self.fits(a[0], row))
            total += points
            moved[each.get("reasonCode")] = points - float(each.get("baselineScore"))
        reasons = sorted(moved, key=lambda name: -moved[name])
        return total, [name for name in reasons if moved[name] > 1e-9]

    def fits(self, predicate, row):
        tag = predicate.tag.partition("}")[2]
        if tag == "True":
            return True
        if tag == "CompoundPredicate":
            return {"and": all, "or": any}[predicate.get("booleanOperator")](self.fits(each, row) for each in predicate)
        name, value = predicate.get("field"), row[predicate.get("field")]
        if pd.isna(value) or predicate.get("operator") == "isMissing":
            return bool(pd.isna(value)) and predicate.get("operator") == "isMissing"
        return COMPARE[predicate.get("operator")](value, READ[self.types[name]](predicate.get("value")))

    def results(self, row):
        known = {}
        known["log_odds"], reasons = self.score(row)
        for each in self.card.iterfind("p:Output/p:OutputField[@feature='transformedValue']", SPACE):
            known[each.get("name")] = self.value(each[0], known)
        return known["log_odds"], known["probability"], known["predicted"], reasons

    def value(self, expression, known):
        tag = expression.tag.partition("}")[2]
        if tag == "FieldRef":
            return known[expression.get("field")]
        if tag == "Constant":
            return READ[expression.get("dataType")](expression.text or "")
        return FUNCTIONS[expression.get("function")](*(self.value(each, known) for each in expression))


def assert_same(model, X):
    engine, expected = Engine(export_pmml(model)), model.predict_proba(X)[:, model.positive_index_]
    found = [engine.results(row) for row in X.to_dict("records")]
    assert np.abs(np.array([each[1] for each in found]) - expected).max() < 1e-12
    assert [each[2] for each in found] == model.predict(X).tolist()
    if hasattr(model, "reason_codes"):
        reasons = model.reason_codes(X, 2).drop(columns="adverse").itertuples(index=False)
        for each, own in zip(found, reasons, strict=True):
            assert [name for name in own if not pd.isna(name)] == each[3][:2]


@pytest.mark.parametrize("name", ADDITIVE)
def test_predictions_and_reasons(name):
    X, y = mixed()
    assert_same(MODELS[name].fit(X, y), new_rows(X))


def test_pairs_and_missing_values():
    X, _, _, model = make_model(2)
    assert model.scorecard_.pairs
    X.loc[0, "region"], X.loc[1, "age"] = None, np.nan
    assert_same(model, X)


def test_reasons_are_for_the_positive_class():
    X, y = mixed()
    for positive in (0, 1):
        assert_same(ScorecardClassifier(pos_label=np.unique(y)[positive]).fit(X, y), X)


def test_texts_that_xml_escapes():
    rng = np.random.default_rng(0)
    values = ["<a & b>", '"quoted"', "back\\slash", " blank ", "two\nlines\tand a tab", "", "é🦊"]
    X = pd.DataFrame({"a < b": np.array(values, dtype=object)[rng.integers(len(values), size=400)]})
    y = (X["a < b"].str.len().to_numpy() + rng.normal(size=400) > 6).astype(int)
    assert_same(ScorecardClassifier().fit(X, y), X)


def test_times_of_day():
    rng = np.random.default_rng(1)
    hours = rng.integers(24, size=300)
    X = pd.DataFrame({"at": [datetime.time(int(hour), 30) for hour in hours]})
    assert_same(SelectiveNaiveBayes().fit(X, (hours + rng.normal(size=300) > 12).astype(int)), X)


def test_files_and_what_cannot_be_exported(tmp_path):
    X, y = mixed()
    model = SelectiveNaiveBayes().fit(X, y)
    content = export_pmml(model, tmp_path / "model.pmml")
    assert (tmp_path / "model.pmml").read_bytes() == content
    assert len(export_pmml(model, max_bins=2)) < len(content)
    with pytest.raises(ExportError, match="for two classes; this model has 3"):
        export_pmml(SelectiveNaiveBayes().fit(*mixed(n_classes=3)))
    with pytest.raises(ExportError, match="fit without calibration"):
        export_pmml(SelectiveNaiveBayes(calibration="isotonic", cv=2).fit(X, y))
    with pytest.raises(ExportError, match="The column 'probability' has the name of a result"):
        export_pmml(SelectiveNaiveBayes().fit(X.rename(columns={"amount": "probability"}), y))
    with pytest.raises(ExportError, match="a character that XML cannot express"):
        export_pmml(SelectiveNaiveBayes().fit(X.rename(columns={"amount": "a\x01b"}), y))
    with pytest.raises(ExportError, match="A BenefitClassifier cannot be exported as PMML"):
        export_pmml(BenefitClassifier(SelectiveNaiveBayes(), benefit_matrix=np.eye(2)).fit(X, y))
    with pytest.warns(NothingSelectedWarning):
        empty = ScorecardClassifier().fit(np.arange(40)[:, None] // 2 % 7, np.arange(40) % 2)
    with pytest.raises(ExportError, match="uses no column"):
        export_pmml(empty)


def test_values_that_have_no_type_in_pmml_are_refused():
    X, y = mixed()
    for values, message in (([1j, 2j], "has values of type complex"), ([1, "a"], "has values of several types")):
        X["value"] = np.array(values, dtype=object)[np.unique(y, return_inverse=True)[1]]
        with pytest.raises(ExportError, match=message):
            export_pmml(SelectiveNaiveBayes().fit(X[["value"]], y))


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"),
        np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]"),
        np.array([0, 10**400], object),
    ],
)
def test_classes_that_pmml_cannot_express_are_refused(classes):
    X, y = mixed()
    model = SelectiveNaiveBayes().fit(X, classes[(y == y[0]).astype(int)])
    with pytest.raises(ExportError, match="neither texts nor numbers that PMML can express"):
        export_pmml(model)


JPMML = """
import sys
import pandas as pd
from jpmml_evaluator import make_evaluator
from jpmml_evaluator.py4j import Py4JBackend

document, rows, results = sys.argv[1:]
make_evaluator(document, backend=Py4JBackend()).verify().evaluateAll(pd.read_pickle(rows)).to_pickle(results)
Py4JBackend.destroyGateway()
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="Java is missing")
def test_another_engine(tmp_path):
    pytest.importorskip("jpmml_evaluator")
    X, _, _, model = make_model(2)
    X.loc[0, "region"], X.loc[1, "age"] = None, np.nan
    files = [tmp_path / "model.pmml", tmp_path / "rows.pkl", tmp_path / "results.pkl"]
    export_pmml(model, files[0])
    X.to_pickle(files[1])
    subprocess.run([sys.executable, "-c", JPMML, *files], check=True, timeout=60)  # it leaves pipes open
    results = pd.read_pickle(files[2])
    assert np.abs(results["probability"].to_numpy(float) - model.predict_proba(X)[:, 1]).max() < 1e-12
    assert results["predicted"].tolist() == model.predict(X).tolist()
