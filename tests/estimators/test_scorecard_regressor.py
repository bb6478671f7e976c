"""A scorecard of a number: its laws, its parts, what it explains and refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_friedman1
from sklearn.model_selection import LeaveOneGroupOut

from bayesieve import (
    BinsDisplay,
    Column,
    ReliabilityDisplay,
    Report,
    ScorecardClassifier,
    ScorecardRegressor,
    drift,
    export,
    load,
)
from bayesieve.additive.number_losses import spread, standardize
from bayesieve.exceptions import DataError, ModelFileError, NothingSelectedWarning, ParameterError
from bayesieve.models.number_scorecard import NumberScale


def friedman(n_rows, seed=0, noise=1.0):
    X, y = make_friedman1(n_rows, n_features=8, noise=noise, random_state=seed)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]), y


@pytest.fixture(scope="module")
def data():
    return friedman(700)


@pytest.fixture(scope="module")
def model(data):
    return ScorecardRegressor().fit(*data)


def test_it_finds_the_columns_and_the_pair_of_the_truth(model):
    assert sorted(table.name for table in model.scorecard_.tables) == ["x0", "x1", "x2", "x3", "x4"]
    assert model.pairs_ == [("x0", "x1")]
    X, y = friedman(2000, seed=1)
    assert model.score(X, y) > 0.93  # the noise alone leaves 0.96


@pytest.mark.parametrize(("factor", "shift"), [(1000.0, 5e6), (0.3048, 0.0), (1e-200, 0.0), (1e300, 0.0)])
def test_another_unit_of_the_target_gives_the_same_model(data, model, factor, shift):
    X, y = data
    other = ScorecardRegressor(link="identity").fit(X, factor * y + shift)
    assert other.selection_.path.order == model.selection_.path.order
    assert other.pairs_ == model.pairs_
    assert_allclose((other.predict(X) - shift) / factor, model.predict(X), atol=1e-12 * y.std() + 1e-16 * shift)


def test_backends_threads_and_the_order_of_rows_change_no_bit(data, model):
    X, y = data
    order = np.random.default_rng(0).permutation(len(y))
    predicted = model.predict(X)
    for other in (ScorecardRegressor(backend="reference"), ScorecardRegressor(n_jobs=2)):
        assert_array_equal(other.fit(X, y).predict(X), predicted)
    assert_array_equal(ScorecardRegressor().fit(X.iloc[order], y[order]).predict(X), predicted)


def test_a_weight_of_k_is_k_copies():
    X, y = friedman(60)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    groups = np.arange(60) // 6
    copies = np.repeat(np.arange(60), weights)
    split = LeaveOneGroupOut().split
    weighted = ScorecardRegressor(cv=list(split(X, groups=groups))).fit(X, y, sample_weight=weights)
    copied = ScorecardRegressor(cv=list(split(copies, groups=groups[copies]))).fit(X.iloc[copies], y[copies])
    assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9)


def test_explanations_and_the_table_add_up_to_predictions(data, model):
    X, _ = data
    predicted = model.predict(X[:20])
    for explained, prediction in zip(model.explain(X[:20]), predicted, strict=True):
        assert_allclose(explained.start + sum(each.points for each in explained.contributions), prediction)
        assert explained.interval[0] < prediction < explained.interval[1]
        assert f"predicted {prediction:.6g}" in str(explained)
    table = model.scorecard()
    assert_allclose(table["points"][0], model.explain(X[:1])[0].start)
    columns = table[table["column"].isin([each.name for each in model.scorecard_.tables])]
    assert_allclose(columns.groupby("column")["count"].sum(), len(X))
    by_column = columns["points"] * columns["count"]
    assert_allclose(by_column.groupby(columns["column"]).sum() / len(X), 0.0, atol=0.01 * model.scorecard_.scale.unit)
    assert len(model.explain(X[:2]).to_frame()) == 2 * len(model.explain(X[:1])[0].contributions)


def test_select_and_stages_are_models_of_their_sizes(data, model):
    X, _ = data
    for size, predicted in model.staged_predict(X):
        assert_array_equal(model.select(size).predict(X), predicted)
    assert model.select(2).n_features_ == 2


def test_what_the_path_records_is_the_error_in_the_unit_of_the_target(data, model):
    _, y = data
    frame = model.path_.to_frame()
    assert_allclose(-model.path_.phases[0].score, y.std(), rtol=1e-2)
    assert frame["root mean squared error"].iloc[-1] < 0.5 * y.std()
    assert "log-likelihood" in model.why_["x0 × x1"]["reason"]


def test_a_model_file_predicts_the_same_bits(data, model, tmp_path):
    X, _ = data
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert_array_equal(loaded.predict_interval(X), model.predict_interval(X))
    assert loaded.scorecard().equals(model.scorecard())
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    (tmp_path / "model.json").write_text(text.replace('"unit":', '"unit":-'), encoding="utf-8")
    with pytest.raises(ModelFileError):
        load(tmp_path / "model.json")


def test_a_checkpoint_resumes_and_knows_its_target(data, model, tmp_path):
    X, y = data
    for _ in range(2):
        assert_array_equal(ScorecardRegressor(checkpoint=tmp_path).fit(X, y).predict(X), model.predict(X))
    assert_allclose(ScorecardRegressor(checkpoint=tmp_path).fit(X, 2.0 * y).predict(X), 2.0 * model.predict(X))


def test_missing_values_categories_and_directions():
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 600)
    size = rng.normal(size=600)
    y = 3.0 * size + 5.0 * (kind == "b") + rng.normal(size=600)
    X = pd.DataFrame({"kind": kind, "size": np.where(rng.random(600) < 0.2, np.nan, size)})
    free = ScorecardRegressor(n_pairs=0).fit(X, y)
    assert free.n_features_ == 2
    rising = ScorecardRegressor(n_pairs=0, columns={"size": Column(monotone="increasing")}).fit(X, y)
    grid = pd.DataFrame({"kind": "a", "size": np.linspace(-3, 3, 50)})
    assert (np.diff(rising.predict(grid)) >= 0).all()
    neutral = ScorecardRegressor(n_pairs=0, missing="neutral").fit(X, y).scorecard()
    assert neutral[neutral["bin"] == "missing"]["points"].tolist() == [0.0]


@pytest.mark.parametrize("seed", range(4))
def test_noise_selects_nothing(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 10)), rng.normal(size=300)
    with pytest.warns(NothingSelectedWarning, match="No column"):
        model = ScorecardRegressor().fit(X, y)
    assert_allclose(model.predict(X), y.mean())


def test_intervals_of_the_mean_cover_the_truth():
    rng = np.random.default_rng(0)
    X = rng.random((1500, 6))
    truth = 2.0 * np.sin(6.0 * X[:, 0]) + 12.0 * (X[:, 1] - 0.5) ** 2 + (X[:, 3] > 0.6)
    model = ScorecardRegressor(n_pairs=0).fit(X[:500], truth[:500] + rng.normal(size=500))
    ends = model.predict_interval(X[500:], level=0.9)
    covered = ((ends[:, 0] <= truth[500:]) & (truth[500:] <= ends[:, 1])).mean()
    assert 0.85 < covered < 0.99
    assert (np.diff(model.predict_interval(X, level=0.5)) < np.diff(model.predict_interval(X))).all()


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
@pytest.mark.parametrize("value", [0.0, 7.0, -1e308, 1e308, 5e-324])
def test_a_target_of_one_number_is_predicted(value):
    X, _ = friedman(50)
    assert_array_equal(ScorecardRegressor().fit(X, np.full(50, value)).predict(X), value)


@pytest.mark.parametrize("largest", [1e308, 1e-300, 1e12])
def test_extreme_targets_are_predicted(largest):
    X, y = friedman(200)
    predicted = ScorecardRegressor().fit(X, np.where(y > y.mean(), largest, -largest)).predict(X)
    assert np.isfinite(predicted).all()
    assert np.corrcoef(predicted / largest, y)[0, 1] > 0.6


def test_few_rows_are_fitted():
    X, y = friedman(10)
    for n in range(2, 10):
        with pytest.warns(NothingSelectedWarning):
            predicted = ScorecardRegressor().fit(X[:n], y[:n]).predict(X)
        assert_allclose(predicted, y[:n].mean())


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (lambda y: None, "requires y to be passed"),
        (lambda y: np.where(y > 20, np.nan, y), "contains NaN"),
        (lambda y: np.where(y > 20, np.inf, y), "contains infinity"),
        (lambda y: np.where(y > 20, "high", "low"), "use a ScorecardClassifier for classes"),
        (lambda y: [object()] * len(y), "use a ScorecardClassifier for classes"),
        (lambda y: pd.to_datetime(y, unit="D"), "use a ScorecardClassifier for classes"),
        (lambda y: y[:-1], "inconsistent lengths"),
        (lambda y: np.column_stack([y, y]), "1d array"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(target, message):
    X, y = friedman(50)
    with pytest.raises(DataError, match=message):
        ScorecardRegressor().fit(X, target(y))


def test_what_is_for_classes_refuses_numbers(data, model):
    X, y = data
    for refused in (
        lambda: export.export_sql(model),
        lambda: export.export_onnx(model),
        lambda: export.export_pmml(model),
        lambda: export.scorecard_csv(model),
        lambda: export.model_card(model),
        lambda: drift(model, X),
        lambda: Report.from_fitted(model, X, y),
        lambda: Report.from_estimator(model, X, y),
        lambda: BinsDisplay.from_estimator(model, "x0"),
        lambda: ReliabilityDisplay.from_estimator(model, X, y),
    ):
        with pytest.raises(ParameterError):
            refused()
    with pytest.raises(ParameterError, match="level"):
        model.predict_interval(X, level=1.0)


def test_equal_rows_of_another_number_are_different_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 3, 400).astype(str)})
    y = rng.normal(size=400) + (X["a"] == "1")
    model = ScorecardRegressor(n_pairs=0).fit(X, y)
    assert model.scorecard_.mass == 400.0  # nothing counts less


def test_standard_units_are_exact_far_from_one():
    numbers, weights = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0])
    mean, deviation = spread(numbers, weights)
    assert (mean, deviation) == (2.75, np.sqrt((1.75**2 + 0.75**2 + 2 * 1.25**2) / 4))
    for exponent in (-1000, 0, 1000):
        scaled = np.ldexp(numbers, exponent)
        assert spread(scaled, weights) == (np.ldexp(mean, exponent), np.ldexp(deviation, exponent))
        scale = NumberScale(*spread(scaled, weights))
        assert_array_equal(standardize(scaled, scale), standardize(numbers, NumberScale(mean, deviation)))
        assert_allclose(scale.numbers(standardize(scaled, scale)), scaled, rtol=1e-15)


def test_a_classifier_of_the_same_rows_is_as_it_was(data):
    X, y = data
    model = ScorecardClassifier(n_features=2).fit(X, y > y.mean())
    assert model.scorecard_.class_mass == (float((y <= y.mean()).sum()), float((y > y.mean()).sum()))
