"""Any estimator as the judge: the subsets of scikit-learn and mlxtend, and all that the other searches can do."""

import numpy as np
import polars
import pytest
import sklearn
from draws import draws
from mlxtend.feature_selection import SequentialFeatureSelector as Mlxtend
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesieve import SelectionPathDisplay, WrapperSelector, evaluate
from bayesieve.exceptions import DataError, NothingSelectedWarning, ParameterError

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


def chosen(selector):
    return np.flatnonzero(selector.get_support()).tolist()


@pytest.mark.parametrize(("search", "direction"), [("forward", "forward"), ("backward", "backward")])
def test_example_of_scikit_learn_reference(search, direction):
    """The example in the docstring of SequentialFeatureSelector."""
    X, y = IRIS
    peer = SequentialFeatureSelector(KNeighborsClassifier(3), n_features_to_select=3, direction=direction).fit(X, y)
    assert chosen(WrapperSelector(KNeighborsClassifier(3), search, n_features=3).fit(X, y)) == chosen(peer)


@pytest.mark.parametrize(("direction", "size"), [("forward", 2), ("backward", draws(7, 2))])
def test_example_of_scikit_learn_gallery(direction, size):
    """Its gallery selects two of ten columns of the diabetes data by RidgeCV: a regressor."""
    X, y = load_diabetes(return_X_y=True)
    ridge = RidgeCV(alphas=np.logspace(-6, 6, num=5))
    peer = SequentialFeatureSelector(ridge, n_features_to_select=size, direction=direction).fit(X, y)
    assert chosen(WrapperSelector(ridge, direction, n_features=size).fit(X, y)) == chosen(peer)


def test_stops_where_scikit_learn_stops_by_tolerance():
    X, y = WINE[0][:, :8], WINE[1]
    peer = SequentialFeatureSelector(GaussianNB(), tol=0.01, cv=3).fit(X, y)
    assert chosen(WrapperSelector(GaussianNB(), tol=0.01, cv=3).fit(X, y)) == chosen(peer)


@pytest.mark.parametrize(
    ("search", "options"),
    [
        ("forward", {"forward": True, "floating": False}),
        ("backward", {"forward": False, "floating": False}),
        ("floating", {"forward": True, "floating": True}),
    ],
)
def test_examples_of_mlxtend_guide(search, options):
    """Examples 1 and 2 of its user guide: the four columns of iris, by accuracy and four neighbors."""
    X, y = IRIS
    knn = KNeighborsClassifier(n_neighbors=4)
    peer = Mlxtend(knn, k_features=2, scoring="accuracy", cv=4, **options).fit(X, y)
    ours = WrapperSelector(knn, search, "accuracy", n_features=2, cv=4).fit(X, y)
    assert chosen(ours) == sorted(peer.k_feature_idx_)
    assert ours.select(2).path_.best_by_size()[2].score == pytest.approx(peer.subsets_[2]["avg_score"], rel=1e-12)


def test_example_of_mlxtend_guide_for_regression():
    X, y = load_diabetes(return_X_y=True)
    peer = Mlxtend(LinearRegression(), k_features=4, scoring="neg_mean_squared_error", cv=5).fit(X, y)
    ours = WrapperSelector(LinearRegression(), scoring="neg_mean_squared_error", n_features=4, cv=5).fit(X, y)
    assert chosen(ours) == sorted(peer.k_feature_idx_)
    for size in range(1, 5):
        assert chosen(ours.select(size)) == sorted(peer.subsets_[size]["feature_idx"])
    assert ours.path_.criterion == "mean_squared_error"
    assert min(ours.path_.values) > 0


def test_scores_are_those_of_cross_val_score_and_further_metrics_are_reported():
    X, y = WINE[0][:, :6], WINE[1]
    ours = WrapperSelector(GaussianNB(), scoring=["neg_log_loss", "accuracy"], n_features=3).fit(X, y)
    for metric in ("neg_log_loss", "accuracy"):
        expected = cross_val_score(GaussianNB(), X[:, ours.support_], y, scoring=metric)
        name = {"neg_log_loss": "log_loss"}.get(metric, metric)
        found = [ours.cv_results_[f"split{i}_test_{name}"][-1] for i in range(5)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], ours.cv_results_["mean_test_log_loss"])
    frequencies = ours.path_.best_by_size()[0].score
    assert frequencies == pytest.approx(-1.09, abs=0.01)  # three classes of about the same size


class Counting(ClassifierMixin, BaseEstimator):
    """Scores a subset by a table; counts fits."""

    log: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.classes_, self.columns_ = np.unique(y), tuple(np.asarray(X)[0].astype(int).tolist())
        Counting.log.append(self.columns_)
        return self

    def score(self, X, y):
        return {(): 0.0, (0, 1): 5.0}.get(self.columns_, 1.0 + 0.1 * max(self.columns_))


def table(n_columns=4):
    return np.tile(np.arange(n_columns, dtype=float), (6, 1)), np.array([0, 1] * 3)


def test_no_subset_is_fitted_twice_and_a_beam_finds_what_forward_misses():
    X, y = table()
    Counting.log.clear()
    beam = WrapperSelector(Counting(), "beam", cv=0, beam_width=4, n_features=2).fit(X, y)
    assert chosen(beam) == [0, 1]
    assert len(Counting.log) == len(set(Counting.log)) == beam.n_refits_ - 1  # no fit without columns
    assert chosen(WrapperSelector(Counting(), cv=0, n_features=2).fit(X, y)) != [0, 1]


def test_groups_keep_drop_and_reasons():
    X, y = table(6)
    groups = {"a": [0, 3], "b": [1, 2]}
    ours = WrapperSelector(Counting(), cv=0, keep=[4], drop=[5], feature_groups=groups, n_features=3).fit(X, y)
    assert chosen(ours) == [0, 3, 4]
    assert ours.why_["x4"]["reason"] == "in keep"
    assert ours.why_["x5"]["reason"] == "left out by drop"
    assert ours.why_["x0"]["step"] == 1


def test_gains_are_differences_of_scores():
    """Given the selected (0, 1), of score 5: without one of them 1 or 1.1 is left, and others take away."""
    X, y = table()
    ours = WrapperSelector(Counting(), "beam", cv=0, beam_width=4, n_features=(1, 3)).fit(X, y)
    assert chosen(ours) == [0, 1]
    assert [ours.why_[f"x{k}"]["score_alone"] for k in range(4)] == pytest.approx([1.0, 1.1, 1.2, 1.3])
    assert [ours.why_[f"x{k}"]["gain"] for k in range(4)] == pytest.approx([3.9, 4.0, -3.8, -3.7])


def test_checkpoint_resumes_and_other_data_are_refused(tmp_path):
    X, y = table(5)
    place, options = tmp_path / "journal.json", {"cv": 0, "n_features": 3}
    first = WrapperSelector(Counting(), checkpoint=place, **options).fit(X, y)
    Counting.log.clear()
    again = WrapperSelector(Counting(), checkpoint=place, **options).fit(X, y)
    assert again.path_ == first.path_
    assert len(Counting.log) == 3  # the subsets of the path, and none that was tried
    with pytest.raises(ValueError, match="other data or parameters"):
        WrapperSelector(Counting(), checkpoint=place, **options).fit(X, 1 - y)


def test_time_limit_keeps_the_best_so_far():
    X, y = table()
    with pytest.warns(NothingSelectedWarning, match="before any column was selected; allow more time"):
        ours = WrapperSelector(Counting(), cv=0, max_time=0, n_features=2).fit(X, y)
    assert not ours.path_.complete
    assert ours.n_features_ == 0


@pytest.mark.slow
def test_processes_give_the_same_as_one():
    X, y = WINE
    one, two = (WrapperSelector(GaussianNB(), n_features=2, cv=2, n_jobs=n).fit(X[:, :6], y) for n in (1, 2))
    assert one.path_ == two.path_


def test_weights_of_rows_count_as_copies():
    X, y = WINE
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    weighted = WrapperSelector(GaussianNB(), cv=0, n_features=2).fit(X, y, weights)
    copied = WrapperSelector(GaussianNB(), cv=0, n_features=2).fit(X[copies], y[copies])
    assert chosen(weighted) == chosen(copied)
    np.testing.assert_allclose(weighted.path_.scores, copied.path_.scores, rtol=1e-12)


def test_pipeline_frame_groups_and_routing():
    X, y = load_wine(return_X_y=True, as_frame=True)
    frame, members = polars.from_pandas(X.iloc[:, :5]), np.arange(len(y)) % 7
    steps = (StandardScaler(), LogisticRegression())
    plain = WrapperSelector(make_pipeline(*steps), n_features=2, cv=3).fit(frame, y, groups=members)
    assert plain.transform(frame).columns == list(plain.get_feature_names_out())
    with pytest.raises(ParameterError, match="enable metadata routing"):
        WrapperSelector(make_pipeline(*steps)).fit(frame, y, sample_weight=np.ones(len(y)))
    with sklearn.config_context(enable_metadata_routing=True):
        steps = (StandardScaler().set_fit_request(sample_weight=False), LogisticRegression())
        steps[1].set_fit_request(sample_weight=True)
        scoring = get_scorer("accuracy").set_score_request(sample_weight=True)
        routed = WrapperSelector(make_pipeline(*steps), n_features=2, scoring=scoring, cv=GroupKFold(3))
        routed.fit(frame, y, sample_weight=1.0 + (y == 1), groups=members)
    assert routed.path_.scores != plain.path_.scores


def test_one_standard_error_and_shares():
    X, y = WINE
    path = WrapperSelector(GaussianNB(), tol=None, one_se=True).fit(X[:, :8], y)
    assert path.n_features_ < path.path_.choose(path_stop(8)).n_features
    assert WrapperSelector(GaussianNB(), n_features=0.25, cv=0.3).fit(X[:, :8], y).n_features_ == 2
    with pytest.raises(ParameterError, match="two folds or more"):
        WrapperSelector(GaussianNB(), cv=0, one_se=True).fit(X, y)


def path_stop(largest):
    from bayesieve.search import Stopping

    return Stopping(0, largest, tol=None)


@pytest.mark.parametrize("judge", [LogisticRegression(), LinearRegression()], ids=lambda judge: type(judge).__name__)
def test_targets_with_missing_values_are_refused(judge):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0.0, 1.0, np.nan, 1.0, 0.0, 1.0])
    with pytest.raises(DataError, match="missing"):
        WrapperSelector(judge, cv=3).fit(X, y)


def test_errors_name_the_columns():
    X, y = table()
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match="NaN") as caught:
        WrapperSelector(LogisticRegression(), cv=0).fit(X, y)
    assert "with the columns [2]" in str(caught.value)


def test_evaluation_and_displays_take_it_like_other_selectors():
    X, y = WINE
    selector = WrapperSelector(GaussianNB(), n_features=2, cv=2)
    evaluation = evaluate(selector, LogisticRegression(solver="liblinear"), (X[:100, :5], y[:100]), sizes=[1, 2], cv=2)
    assert sorted(evaluation.to_frame()["size"]) == [1, 1, 2, 2]
    display = SelectionPathDisplay.from_estimator(selector.fit(X, y))
    assert display.n_features.tolist() == [0, 1, 2]
