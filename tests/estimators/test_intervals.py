"""Intervals of class probabilities: their shapes and what they depend on, what keeps them, and what they hold."""

import json
import pickle
from io import StringIO
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from benchmarks.intervals import coverage, draw_rows
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes, load
from bayesieve.cli.app import app
from bayesieve.data.document import seal
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.models.intervals import has_errors


def people(n_classes=2, n_rows=400):
    """Return a table with gaps and two columns that interact, and classes."""
    rng = np.random.default_rng(n_classes)
    table = draw_rows(rng, n_rows)
    scores = np.zeros((n_rows, n_classes))
    scores[:, -1] = table["x0"] + 2.0 * np.sign(table["x1"] * table["x2"]) + (table["c4"] == "v1")
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    table.loc[rng.random(n_rows) < 0.2, "x0"] = np.nan
    return table, np.array(["a", "b", "c", "d"])[y]


@pytest.fixture(scope="module", params=[2, 3])
def model(request):
    table, y = people(request.param)
    return ScorecardClassifier("best", n_jobs=1).fit(table, y), table


def test_shapes_and_levels(model):
    model, table = model
    p, narrow, wide = model.predict_proba(table), model.predict_interval(table, 0.5), model.predict_interval(table)
    n_classes = len(model.classes_)
    own = p[:, 1] if n_classes == 2 else p
    assert wide.shape == narrow.shape == (*own.shape, 2)
    ends = [0.0 * own, wide[..., 0], narrow[..., 0], own, narrow[..., 1], wide[..., 1], 1.0 + 0.0 * own]
    assert all((before < after).all() for before, after in pairwise(ends))
    assert_array_equal(model.predict_interval(table.iloc[:5]), wide[:5])


@pytest.mark.parametrize("level", [0, 1, 0.0, 1.5, -0.9, np.nan, None, "0.9"])
def test_levels_that_make_no_sense_are_refused(model, level):
    with pytest.raises(ParameterError, match="level must be a number above 0 and below 1"):
        model[0].predict_interval(model[1], level)


def test_the_positive_class_has_the_interval():
    table, y = people()
    second, first = (ScorecardClassifier(2, pos_label=label, n_jobs=1).fit(table, y) for label in ("b", "a"))
    assert_allclose(first.predict_interval(table), 1.0 - second.predict_interval(table)[:, ::-1], atol=1e-12)


def test_another_class_prior_moves_intervals_as_it_moves_probabilities():
    table, y = people()
    model, moved = (ScorecardClassifier(2, class_prior=prior, n_jobs=1).fit(table, y) for prior in (None, [0.9, 0.1]))
    before, after = (each.predict_interval(table)[:, 1] for each in (model, moved))
    shift = (np.log(after / (1.0 - after)) - np.log(before / (1.0 - before)))[(before > 0.1) & (before < 0.9)]
    assert shift.mean() < -1.0
    assert_allclose(np.ptp(shift), 0.0, atol=0.05)  # but for half a row


def test_every_size_has_intervals(model):
    model, table = model
    for size in ScorecardClassifier(n_jobs=1).fit(*people(len(model.classes_))).selection_.by_size:
        assert model.predict_interval(table).shape[0] == len(table), size


def test_what_keeps_intervals(model, tmp_path):
    model, table = model
    expected = model.predict_interval(table)
    model.save(tmp_path / "model.json")
    for kept in (load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(kept.predict_interval(table), expected)


def saved(model, path, change):
    """Save a model whose plain data is changed."""
    model.save(path)
    document = json.loads(path.read_text())
    change(document["model"])
    del document["checksum"]
    path.write_text(json.dumps(seal(document)))
    return path


def test_files_without_standard_errors_predict_the_same_and_say_so(model, tmp_path):
    model, table = model
    old = load(saved(model, tmp_path / "old.json", lambda plain: plain.pop("errors")))
    assert_array_equal(old.predict_proba(table), model.predict_proba(table))
    assert not has_errors(old.scorecard_)
    with pytest.raises(ParameterError, match="has no standard errors, as its file was written before they were kept"):
        old.predict_interval(table)
    old.save(tmp_path / "again.json")
    assert "errors" not in json.loads((tmp_path / "again.json").read_text())["model"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda errors: errors["start"].pop(), "standard errors of each class, card and pair"),
        (lambda errors: errors["cards"].pop(), "standard errors of each class, card and pair"),
        (lambda errors: errors["pairs"].append([]), "standard errors of each class, card and pair"),
        (lambda errors: errors["cards"][0].pop(), "lists of 2 values each"),
        (lambda errors: errors["cards"][0][0].__setitem__(1, -0.1), "standard errors of 0 or more"),
        (lambda errors: errors["start"].__setitem__(0, "0"), "a list of finite numbers"),
        (lambda errors: errors.update(more=[]), "unknown 'more'"),
    ],
)
def test_damaged_standard_errors_are_refused(change, message, tmp_path):
    model = ScorecardClassifier(2, n_jobs=1).fit(*people())
    with pytest.raises(ModelFileError, match=message):
        load(saved(model, tmp_path / "model.json", lambda plain: change(plain["errors"])))


def test_fewer_bins_are_less_sure():
    table, y = people(n_rows=1000)
    model = ScorecardClassifier(3, n_jobs=1).fit(table, y)
    widths = [np.ptp(each.predict_interval(table), axis=1).mean() for each in (model, model.simplify(3))]
    assert widths[0] < widths[1] < 2.0 * widths[0]


def test_a_value_that_training_did_not_have_could_have_the_effect_of_any():
    table, y = people(n_rows=1000)
    own = ScorecardClassifier(3, keep="c12", n_jobs=1).fit(table, y).scorecard_["c12"]
    squares = own.contributions(1) ** 2 + own.errors[:-1, 1] ** 2
    assert_allclose(own.errors[-1, 1] ** 2, (own.bin_mass * squares).sum() / own.bin_mass.sum(), rtol=0.01)


def test_neutral_missing_values_have_the_variance_of_the_average_row():
    table, y = people(n_rows=1000)
    own = ScorecardClassifier(2, keep="x0", missing="neutral", n_jobs=1).fit(table, y).scorecard_["x0"]
    mass, squares = own.bin_mass[:-1], own.errors[:-2, 1] ** 2
    assert_allclose(own.errors[-2, 1] ** 2, (mass * squares).sum() / mass.sum(), rtol=1e-3)


def test_more_rows_are_surer():
    table, y = people(n_rows=4000)
    few, many = (ScorecardClassifier(3, n_jobs=1).fit(table[:n], y[:n]) for n in (500, 4000))
    widths = [np.ptp(each.predict_interval(table), axis=1).mean() for each in (few, many)]
    assert widths[0] > 1.5 * widths[1]


def test_sparse_tables_have_the_same_intervals():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 6)) < 0.7, 0.0, rng.normal(size=(300, 6)))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    dense, sparse = ScorecardClassifier(n_jobs=1).fit(X, y), ScorecardClassifier(n_jobs=1).fit(csr_array(X), y)
    assert_array_equal(sparse.predict_interval(csr_array(X)), dense.predict_interval(X))


def test_rows_of_weight_three_are_surer():
    table, y = people()
    once, thrice = (ScorecardClassifier(2, n_jobs=1).fit(table, y, w * np.ones(len(y))) for w in (1, 3))
    assert_allclose(thrice.scorecard_.start_errors.max(), once.scorecard_.start_errors.max() / 3**0.5, rtol=0.2)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_matter(threads):
    table, y = people(3)
    expected = ScorecardClassifier(n_jobs=1).fit(table, y).predict_interval(table)
    assert_array_equal(ScorecardClassifier(n_jobs=threads).fit(table, y).predict_interval(table), expected)


def test_dask_collections():
    frames = pytest.importorskip("dask.dataframe")
    for n_classes in (2, 3):
        table, y = people(n_classes)
        model = ScorecardClassifier(2, n_jobs=1).fit(table, y)
        lazy = model.predict_interval(frames.from_pandas(table, npartitions=3), 0.8)
        assert_array_equal(lazy.compute(scheduler="synchronous"), model.predict_interval(table, 0.8))


def test_models_without_points_that_are_fitted_together_have_no_intervals():
    assert not hasattr(SelectiveNaiveBayes(), "predict_interval")


@pytest.mark.parametrize(("n_rows", "n_classes", "has_pair"), [(1000, 2, False), (2000, 2, True), (1000, 3, False)])
def test_intervals_hold_simulated_truths(n_rows, n_classes, has_pair):
    """With more tables, the means are 0.87 to 0.95: ``python -m benchmarks intervals``."""
    shares = [coverage(n_rows, n_classes, has_pair, seed, "best")[0] for seed in range(3)]
    assert 0.85 < np.mean(shares) < 0.96, shares


# ---- Where they are shown


@pytest.mark.parametrize("max_bins", [None, 4])
def test_points_of_a_scorecard_have_standard_errors(model, max_bins):
    model, _ = model
    shown, card = model.scorecard(max_bins), (model if max_bins is None else model.simplify(max_bins)).scorecard_
    suffix = "" if len(card.classes) == 2 else f" {card.classes[1]}"
    errors = shown[f"standard error{suffix}"].to_numpy()
    assert (errors[1:] > 0.0).all()
    expected = [each.contribution_errors(1).ravel() for each in (*card.tables, *card.pairs)]
    assert_allclose(errors[1:], np.concatenate(expected))


def test_points_for_unseen_values_have_the_error_of_any_bin():
    model = ScorecardClassifier(2, n_jobs=1).fit(*people())
    shown = model.scorecard(base_score=600, spread_intercept=True)
    unseen = shown[shown["bin"] == "unseen"]["standard error"].to_numpy()
    expected = [each.errors[-1] for each in model.scorecard_.tables]
    expected += [each.errors[-1, -1] for each in model.scorecard_.pairs]
    assert_allclose(unseen, np.max(expected, axis=1))


def test_explanations_have_them(model):
    model, table = model
    rows = table.iloc[:20]
    ends, p = model.predict_interval(rows), model.predict_proba(rows)
    for i, row in enumerate(model.explain(rows)):
        c = model.classes_.tolist().index(row.favored)
        assert_allclose(row.interval, ends[i] if len(model.classes_) == 2 else ends[i, c])
        assert row.interval[0] < p[i, c] < row.interval[1]
        assert all(each.error > 0.0 for each in row.contributions)
        assert "90% interval" in str(row)
        assert row.to_frame()["standard_error"].notna().sum() == len(row.contributions)
    variance = sum(each.error**2 for each in row.contributions) + (model.scorecard_.start_errors**2).max()
    if len(model.classes_) == 2:
        half = np.diff(np.log(np.array(row.interval) / (1.0 - np.array(row.interval))))[0] / 2.0
        assert_allclose(half, 1.645 * variance**0.5, rtol=0.05)  # but for half a row
    reasons = model.explain(rows).reasons(2)
    assert_allclose(reasons["lower"], [each.interval[0] for each in model.explain(rows)])


def test_explanations_of_other_models_have_none():
    table, _ = people()
    (row,) = SelectiveNaiveBayes(n_features=1).fit(table, table["x3"] > 0.0).explain(table.iloc[:1])
    assert row.interval is None
    assert row.contributions[0].error is None
    assert "interval" not in str(row)
    assert "standard_error" not in row.to_frame()


def test_displays_draw_them():
    pytest.importorskip("matplotlib").use("Agg")
    from bayesieve import BinsDisplay, RowExplanationDisplay

    table, y = people()
    model = ScorecardClassifier(2, n_pairs=0, n_jobs=1).fit(table, y)
    shown = BinsDisplay.from_estimator(model, model.path_.order[0])
    assert_array_equal(shown.errors, model.scorecard_[model.path_.order[0]].contribution_errors(1))
    assert len(shown.rate_ax_.containers) == 1
    assert RowExplanationDisplay.from_estimator(model, table.iloc[:1]).bars_.errorbar is not None


class TestCommandLine:
    """``predict --interval`` and ``explain``."""

    @pytest.fixture
    def run(self, model, tmp_path):
        model, table = model
        model.save(tmp_path / "m.json")
        table.iloc[:30].to_csv(tmp_path / "t.csv", index=False)

        def run(command, *options):
            arguments = [command, tmp_path / "m.json", tmp_path / "t.csv", *options]
            return CliRunner().invoke(app, list(map(str, arguments)))

        return run

    def test_intervals_are_columns(self, run, model):
        model, table = model
        found = pd.read_csv(StringIO(run("predict", "--interval", "--level", 0.8).stdout))
        expected = model.predict_interval(table.iloc[:30], 0.8)
        labels = ["b"] if len(model.classes_) == 2 else model.classes_.tolist()
        names = [f"{side}_{label}" for label in labels for side in ("lower", "upper")]
        assert_allclose(found[names].to_numpy(), expected.reshape(30, -1), atol=1e-12)
        assert not any(name.startswith("lower") for name in pd.read_csv(StringIO(run("predict").stdout)))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--level", 0.8], "--level is for --interval; give both."),
            (["--interval", "--level", 1], "level must be a number above 0 and below 1, got 1.0."),
        ],
    )
    def test_what_makes_no_sense_is_one_sentence(self, run, options, message):
        result = run("predict", *options)
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())

    def test_rows_are_explained_with_them(self, run):
        assert "90% interval" in run("explain").output
        assert "±" in run("explain").output
        document = json.loads(run("explain", "--json").stdout)
        assert document["interval"][0] < document["probability"] < document["interval"][1]
        assert document["contributions"][0]["error"] > 0.0

    def test_models_without_them_say_so(self, tmp_path):
        table, _ = people()
        SelectiveNaiveBayes(n_features=1).fit(table, table["x3"] > 0.0).save(tmp_path / "m.json")
        table.to_csv(tmp_path / "t.csv", index=False)
        result = CliRunner().invoke(app, ["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv"), "--interval"])
        assert "--interval needs a ScorecardClassifier; this model is a SelectiveNaiveBayes." in result.output
