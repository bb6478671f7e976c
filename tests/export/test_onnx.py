"""Models of ONNX, run by onnxruntime, give the probabilities and the classes of the model in Python."""

from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from mixed_models import MODELS, mixed, new_rows
from pair_models import make_model
from sklearn.linear_model import LogisticRegression

from bayesieve import (
    BenefitClassifier,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
)
from bayesieve.bins import Groups, Intervals
from bayesieve.exceptions import ExportError
from bayesieve.export import export_onnx, onnx_inputs
from bayesieve.export.onnx_graph import codes_by_position, n_levels, number_steps, thresholds_by_level


def run(model, X, **options):
    exported = export_onnx(model, **options)
    graph = onnx.load_from_string(exported).graph
    read = {name for node in graph.node for name in node.input}
    assert {constant.name for constant in graph.initializer} <= read  # a runtime warns of others
    session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
    return session.run(["label", "probabilities"], onnx_inputs(model, X, **options))


def assert_same(model, X, **options):
    label, probabilities = run(model, X, **options)
    assert np.abs(probabilities - model.predict_proba(X)).max() < 1e-12
    assert label.tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_and_classes(name):
    X, y = mixed()
    model = MODELS[name].fit(X, y)
    assert_same(model, new_rows(X))


def test_three_classes_and_pairs():
    X, y = mixed(n_classes=3)
    assert_same(SelectiveNaiveBayes().fit(X, y), new_rows(X))
    for n_classes in (2, 3):
        X, _, _, model = make_model(n_classes)
        assert model.scorecard_.pairs
        X.loc[0, "region"], X.loc[1, "age"] = None, np.nan
        assert_same(model, X)


def test_files_and_what_cannot_be_exported(tmp_path):
    X, y = mixed()
    model = SelectiveNaiveBayes().fit(X, y)
    content = export_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == content
    with pytest.raises(ExportError, match="the category 'York', which stands for a missing value"):
        export_onnx(model, missing_text="York")
    assert_same(model, new_rows(X), missing_text="(none)")
    with pytest.raises(ExportError, match="fit without calibration"):
        export_onnx(SelectiveNaiveBayes(calibration="isotonic", cv=2).fit(X, y))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_of_the_largest_expected_benefit(n_classes):
    X, y = mixed(n_classes=n_classes)
    matrix = np.random.default_rng(1).normal(size=(4, n_classes))
    assert_same(BenefitClassifier(SelectiveNaiveBayes(), benefit_matrix=matrix).fit(X, y), new_rows(X))
    if n_classes == 2:
        amounts = np.where(y == "yes", 3.0 + X["whole"], 0.0)
        for amount, pos_label in (("bins", "yes"), (None, "no")):
            model = BenefitClassifier(SelectiveNaiveBayes(), amount, cost=3.0, pos_label=pos_label)
            model.fit(X, y, amounts=amounts)
            assert len(set(model.predict(X))) == 2 or amount is None
            assert_same(model, new_rows(X))


def test_a_scorecard_of_three_classes():
    X, y = mixed(500, n_classes=3)
    model = ScorecardClassifier().fit(X, y, sample_weight=np.arange(500) % 3 + 1.0)
    assert_same(model, new_rows(X))


def test_rows_at_the_bounds_and_next_to_them():
    X, y = mixed(400)
    model = SelectiveNaiveBayes().fit(X[["amount", "whole"]], y)
    bounds = np.concatenate([table.partition.bounds for table in model.scorecard_.tables])
    values = np.concatenate([bounds, *(np.nextafter(bounds, side) for side in (-np.inf, np.inf))])
    rows = pd.DataFrame({"amount": values, "whole": values[::-1]})
    assert np.unique(model.predict_proba(rows), axis=0).shape[0] > 10
    assert_same(model, rows)
    assert_same(model, rows.astype(np.float32).astype(np.float64))


@pytest.mark.parametrize("bins", [Intervals(np.array([-1.0, 2.0]), True, special=(0.0, 2.0, 9.0)),
                                  Intervals(np.array([]), False, joined=0, special=(np.inf,)),
                                  Intervals(np.array([3.0]), False),
                                  Groups(((0.0, 5.0), (-0.5, np.inf)), True, other=1),
                                  Groups(((True,), (False,)), False)])  # fmt: skip
def test_steps_are_the_codes_of_numbers(bins):
    cuts, codes = number_steps(bins)
    near = np.array([-np.inf, -1.0, -0.5, 0.0, 1.0, 2.0, 3.0, 5.0, 9.0, 1e300, np.inf])
    numbers = np.unique([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])  # labels are sorted
    expected = bins.bins_of(SimpleNamespace(name="x", labels=numbers, ordered=True, scale=bins.scale))
    assert codes[cuts.searchsorted(np.append(numbers, np.nan))].tolist() == expected.tolist()
    assert (np.diff(codes) != 0).all()
    for levels in (n_levels(cuts), n_levels(cuts) + 2):
        places = _searched(np.append(numbers, np.nan), cuts, levels)
        assert codes_by_position(codes, levels)[places].tolist() == expected.tolist()


def _searched(numbers, cuts, levels):
    """Return the place of each number among thresholds by levels; a first column has no thresholds."""
    thresholds = thresholds_by_level([np.array([]), cuts], levels)
    places = []
    for number in numbers:
        place = 0
        for level in thresholds:
            place = 2 * place + bool(number <= level[1, place])
        places.append(place)
    return places


@pytest.mark.parametrize("n_bounds", range(9))
def test_a_search_finds_the_number_of_thresholds_that_are_not_below(n_bounds):
    cuts = np.arange(n_bounds, dtype=np.float64)
    numbers = [*(cuts - 0.5), *cuts, n_bounds, np.inf, np.nan]
    assert _searched(numbers, cuts, n_levels(cuts)) == [int((number <= cuts).sum()) for number in numbers]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_rows", [0, 1])
def test_no_row_and_one_row(n_classes, n_rows):
    X, y = mixed(400, n_classes=n_classes)
    model = SelectiveNaiveBayes().fit(X, y)
    session = onnxruntime.InferenceSession(export_onnx(model), providers=["CPUExecutionProvider"])
    inputs = {name: values[:n_rows] for name, values in onnx_inputs(model, X).items()}
    labels, probabilities = session.run(["label", "probabilities"], inputs)
    assert labels.shape == (n_rows,)
    assert probabilities.shape == (n_rows, n_classes)
    assert np.allclose(probabilities, model.predict_proba(X)[:n_rows])


def test_many_columns_and_long_tables_are_read_in_several_batches():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=600)
    X = pd.DataFrame({f"x{j}": rng.normal(size=600) + y * (j % 3) for j in range(40)})
    X["text"] = rng.choice([f"t{v}" for v in range(300)], size=600)
    for model in (SelectiveNaiveBayes(weights="averaged"), VoteClassifier("majority", cv=0)):
        assert_same(model.fit(X, y), X)


def test_columns_may_have_any_name_but_those_of_the_outputs():
    X, y = mixed()
    names = ["c0", "v0", "_value_0", "__constant_0", "day 🗓"]
    assert_same(SelectiveNaiveBayes().fit(X.set_axis(names, axis=1), y), new_rows(X).set_axis(names, axis=1))
    for name, words in (("label", "'label' has the name of an output"), ("", "has an empty name")):
        model = SelectiveNaiveBayes().fit(X[["amount"]].set_axis([name], axis=1), y)
        with pytest.raises(ExportError, match=words):
            export_onnx(model)


def test_a_classifier_of_another_library_is_refused():
    X, y = mixed()
    inner = BenefitClassifier(LogisticRegression()).fit(X[["whole"]], y)
    with pytest.raises(ExportError, match="A LogisticRegression cannot be exported to ONNX"):
        export_onnx(inner)
    by_column = BenefitClassifier(SelectiveNaiveBayes(), "whole", cost=1.0).fit(X, y)
    with pytest.raises(ExportError, match="of a column, 'whole', cannot be exported as ONNX; export it as SQL"):
        export_onnx(by_column)
