"""Displays show the numbers that results have, and draw them."""

from itertools import pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest
from pair_models import make_model
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from bayesieve import (
    BenefitClassifier,
    BinsDisplay,
    BoostSelector,
    FilterSelector,
    MODLDiscretizer,
    NaiveBayesSelector,
    PairDisplay,
    ProfitCurveDisplay,
    ReliabilityDisplay,
    SelectionPathDisplay,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
)
from bayesieve.exceptions import DataError, OutputError, ParameterError
from bayesieve.explain.displays.axes import open_axes
from bayesieve.explain.displays.bins_display import label_bins

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed(monkeypatch):
    with matplotlib.rc_context({"backend": "agg"}):
        yield
    pyplot.close("all")


def table(n_rows=200, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    columns = {f"c{j}": y * (j < 3) + rng.normal(size=n_rows) for j in range(6)}
    town = np.array(["$a$", "b_{", "it's <b>"])[(y + (rng.random(n_rows) < 0.3)) % 3]
    return pd.DataFrame({**columns, "town $x^": town}), y


SEARCHED = [
    NaiveBayesSelector(cv=3, n_features=4),
    NaiveBayesSelector("floating", "auc", cv=0),
    SelectiveNaiveBayes(),
    VoteSelector(n_features=3),
    VoteClassifier(n_features=3),
    BoostSelector(n_features=3),
    FilterSelector("mrmr", n_features=4),
]


@pytest.mark.parametrize("estimator", SEARCHED, ids=lambda each: type(each).__name__)
def test_the_path_has_the_best_value_of_each_size(estimator):
    X, y = table()
    fitted = estimator.fit(X, y)
    shown = SelectionPathDisplay.from_estimator(fitted)
    best = fitted.path_.best_by_size()
    sign = -1 if fitted.path_.is_loss else 1
    assert shown.n_features.tolist() == list(best)
    np.testing.assert_allclose(sign * shown.value, [visit.score for visit in best.values()])
    assert shown.selected == len(fitted.path_.order) > 0
    drawn = shown.line_.lines[0].get_xydata()
    np.testing.assert_array_equal(drawn, np.column_stack([shown.n_features, shown.value]))
    shown.figure_.canvas.draw()


def test_another_metric_of_the_path():
    X, y = table()
    fitted = NaiveBayesSelector(cv=3, n_features=4, scoring=["auc", "log_loss"]).fit(X, y)
    ranks, losses = (SelectionPathDisplay.from_estimator(fitted, metric=name) for name in ("auc", "log_loss"))
    np.testing.assert_allclose(ranks.value, fitted.cv_results_["mean_test_auc"])
    np.testing.assert_allclose(losses.value, -fitted.cv_results_["mean_test_log_loss"])
    folds = np.array([fitted.cv_results_[f"split{i}_test_auc"] for i in range(3)])
    np.testing.assert_allclose(ranks.error, folds.std(axis=0, ddof=1) / np.sqrt(3))
    assert losses.is_loss
    assert not ranks.is_loss
    with pytest.raises(ParameterError, match="auc, log_loss"):
        SelectionPathDisplay.from_estimator(fitted, metric="error")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [MODLDiscretizer(), SelectiveNaiveBayes()], ids=lambda each: type(each).__name__)
def test_bins_are_counted_from_the_rows(n_classes, estimator):
    X, y = table(n_classes=n_classes)
    fitted = estimator.fit(X, y)
    for label in range(n_classes):
        shown = BinsDisplay.from_estimator(fitted, "town $x^", label=label)
        np.testing.assert_allclose(shown.share.sum(), 1)
        np.testing.assert_allclose(shown.share @ shown.rate, np.mean(y == label))
        for bin_label, share, rate in zip(shown.bin_labels, shown.share, shown.rate, strict=True):
            inside = np.array([town in bin_label for town in X["town $x^"]])
            assert share == pytest.approx(inside.mean())
            assert rate == pytest.approx(np.mean(y[inside] == label))
        assert [bar.get_height() for bar in shown.bars_] == shown.share.tolist()
        shown.figure_.canvas.draw()
    assert BinsDisplay.from_estimator(fitted, "c0").label == n_classes - 1


def test_reliability_is_that_of_its_groups_and_of_scikit_learn():
    X, y = table(400)
    model = LogisticRegression(solver="liblinear").fit(X.iloc[:200, :6], y[:200])
    y_prob = model.predict_proba(X.iloc[200:, :6])[:, 1]
    shown = ReliabilityDisplay.from_estimator(model, X.iloc[200:, :6], y[200:], n_groups=8, color="green")
    assert shown.split.brier == pytest.approx(brier_score_loss(y[200:], y_prob))
    assert shown.groups.weight.sum() == 200
    assert shown.groups.weight @ shown.groups.observed == pytest.approx(y[200:].sum())
    np.testing.assert_array_equal(shown.line_.get_ydata(), shown.groups.observed)
    other = ReliabilityDisplay.from_estimator(model, X.iloc[200:, :6], y[200:], n_groups=8, pos_label=0, ax=shown.ax_)
    np.testing.assert_allclose(other.groups.observed, 1 - shown.groups.observed[::-1])
    assert other.figure_ is shown.figure_
    doubled = ReliabilityDisplay.from_predictions(y[200:], y_prob, sample_weight=np.full(200, 2.0), n_groups=8)
    assert doubled.split.calibration == pytest.approx(shown.split.calibration)


def test_the_profit_curve_ends_where_all_are_acted_upon():
    X, y = table(300)
    amounts = np.where(y == 1, 5.0 + np.arange(300) % 4, 0.0)
    donors = BenefitClassifier(SelectiveNaiveBayes(cv=0), cost=3.0).fit(X, y, amounts=amounts)
    shown = ProfitCurveDisplay.from_estimator(donors, X, y, amounts=amounts)
    assert shown.curve.total[-1] == pytest.approx(amounts.sum() - 3.0 * 300)
    decided = donors.realized_benefit(X, y, amounts=amounts)
    assert shown.n_recommended == decided.n_acted
    at = np.searchsorted(shown.curve.n_acted, shown.n_recommended)
    assert shown.curve.total[at] == pytest.approx(decided.total)
    np.testing.assert_array_equal(shown.line_.get_ydata(), shown.curve.total)
    shown.figure_.canvas.draw()


def test_what_cannot_be_drawn_is_refused():
    X, y = table(n_classes=3)
    bins = MODLDiscretizer().fit(X, y)
    with pytest.raises(NotFittedError):
        SelectionPathDisplay.from_estimator(NaiveBayesSelector())
    with pytest.raises(ParameterError, match="MODLDiscretizer has none"):
        SelectionPathDisplay.from_estimator(bins)
    with pytest.raises(ParameterError, match="not a class; the classes are 0, 1, 2"):
        BinsDisplay.from_estimator(bins, "c0", label=7)
    with pytest.raises(ParameterError, match="'c5' was not selected"):
        BinsDisplay.from_estimator(SelectiveNaiveBayes(n_features=1).fit(X, y), "c5")
    with pytest.raises(ParameterError, match="has no bins"):
        BinsDisplay.from_estimator(LogisticRegression(solver="saga", max_iter=5000).fit([[0.0], [1.0]], [0, 1]), 0)
    with pytest.raises(DataError, match="3 classes"):
        ReliabilityDisplay.from_predictions(y, np.full(len(y), 0.5))
    with pytest.raises(ParameterError, match="BenefitClassifier, got MODLDiscretizer"):
        ProfitCurveDisplay.from_estimator(bins, X, y)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(OutputError, match=r"bayesieve\[plot\]"):
        ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.7])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs_are_drawn_as_their_contributions(n_classes):
    *_, model = make_model(n_classes)
    for place, pair in enumerate(model.scorecard_.pairs):
        for c, label in enumerate(model.classes_):
            shown = PairDisplay.from_estimator(model, place, label=label)
            points = pair.table[:-1, :-1] / 2**40
            other = points[..., 1 - c] if n_classes == 2 else points.mean(axis=2)
            np.testing.assert_allclose(shown.contribution, points[..., c] - other)
            np.testing.assert_allclose(shown.im_.get_array(), shown.contribution)
            assert shown.im_.get_clim() == (-np.abs(shown.contribution).max(), np.abs(shown.contribution).max())
            assert shown.text_[1, 0].get_text() == f"{shown.contribution[1, 0]:+.2f}\n{pair.counts[1, 0].sum()}"
            assert shown.ax_.get_ylabel() == pair.names[0]
            assert shown.ax_.get_xlabel() == pair.names[1]
            assert [len(each) for each in shown.bin_labels] == list(pair.n_bins)
    pyplot.close("all")


def test_a_pair_is_found_by_its_names():
    *_, model = make_model()
    for names in (("income", "noise"), ["noise", "income"]):
        shown = PairDisplay.from_estimator(model, names)
        assert shown.columns == ("noise", "income")
        assert shown.label == "yes"


def test_a_pair_is_drawn_on_given_axes():
    _, ax = pyplot.subplots()
    *_, model = make_model()
    shown = PairDisplay.from_estimator(model, ax=ax)
    assert shown.ax_ is ax
    assert shown.plot(ax) is shown


def test_pairs_that_do_not_exist_are_refused():
    _, _, plain, model = make_model()
    with pytest.raises(ParameterError, match=r"pair=2 is not a pair of this model; there are 2: \('age', 'region'\)"):
        PairDisplay.from_estimator(model, 2)
    with pytest.raises(ParameterError, match="is not a pair of this model"):
        PairDisplay.from_estimator(model, ("age", "income"))
    with pytest.raises(ParameterError, match="label='maybe' is not a class"):
        PairDisplay.from_estimator(model, label="maybe")
    with pytest.raises(ParameterError, match="This SelectiveNaiveBayes has no pairs of columns"):
        PairDisplay.from_estimator(plain)
    with pytest.raises(NotFittedError):
        PairDisplay.from_estimator(SelectiveNaiveBayes())


@pytest.mark.parametrize("labels", [["<= 101.65", "> 101.65 and <= 117.5", "> 117.5"], ["Ash, Birch, Fir, Oak", "Elm"]])
def test_labels_of_few_bins_do_not_overlap(labels):
    ax = open_axes(None, 4.0)
    label_bins(ax, labels)
    ax.figure.canvas.draw()
    ticks = ax.get_xticklabels()
    boxes = [each.get_window_extent() for each in ticks]
    apart = all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert apart or {each.get_rotation() for each in ticks} == {30.0}


def test_long_names_leave_room_for_the_bars():
    from bayesieve import RowExplanationDisplay
    from bayesieve.explain.row_explanation import Contribution, RowExplanation

    bins = "> 0.917 and <= 0.9205 × one of many words of a category with a long name"
    contributions = (Contribution("development index × kind of company", 1.0, bins, 0.7),)
    shown = RowExplanationDisplay(RowExplanation("leaves the company", "stays where he is", 0.2, -0.5, contributions))
    figure = shown.plot().figure_
    figure.canvas.draw()
    label, axes = shown.ax_.xaxis.label.get_window_extent(), shown.ax_.get_window_extent()
    assert label.x0 >= 0
    assert label.x1 <= figure.bbox.width
    assert axes.width > 0.4 * figure.bbox.width
