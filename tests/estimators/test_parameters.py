"""What the selector's parameters do, and what they refuse."""

import time

import numpy as np
import pandas as pd
import pytest
from cases import plain_bayes
from sklearn.compose import make_column_selector
from sklearn.datasets import make_classification
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder

from bayesieve import NaiveBayesSelector, ScorecardClassifier
from bayesieve.exceptions import ClippedSelectionWarning, DataError, NothingSelectedWarning, ParameterError

NAMES = ["noise", "weak", "strong", "twin", "word", "flat"]


def make_data(n_rows=200, seed=0):
    """Return one strong column, its twin, a weak one, noise, a word and a constant."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    strong = y + rng.normal(scale=0.6, size=n_rows)
    columns = {
        "noise": rng.normal(size=n_rows),
        "weak": y + rng.normal(scale=2, size=n_rows),
        "strong": strong,
        "twin": strong + rng.normal(scale=0.01, size=n_rows),
        "word": rng.choice(["a", "b", "c"], n_rows),
        "flat": np.ones(n_rows),
    }
    return pd.DataFrame(columns), np.where(y == 1, "yes", "no")


X, Y = make_data()


def make(kind=NaiveBayesSelector, **parameters):
    """Return an estimator that searches the five columns that vary, noise too."""
    return kind(**({"discretizer": "equal_frequency"} | parameters))


def fit(**parameters):
    return make(**parameters).fit(X, Y)


FORWARD_ORDER = fit(n_features="all").path_.order


def names(selector):
    return selector.get_feature_names_out().tolist()


class TestNumberOfFeatures:
    @pytest.mark.parametrize("k", [0, 1, 3, np.int64(2)])
    def test_whole_number(self, k):
        selector = fit(n_features=k)
        assert selector.n_features_ == k
        assert selector.support_.sum() == k
        assert selector.path_.order == FORWARD_ORDER[:k]

    def test_share_of_the_columns_that_can_be_selected(self):
        assert fit(n_features=0.4).n_features_ == 2  # five columns vary
        assert fit(n_features=0.01).n_features_ == 1

    def test_bounds(self):
        selector = fit(n_features=(2, 4))
        scores = dict(zip(selector.cv_results_["n_features"], selector.cv_results_["mean_test_score"], strict=True))
        assert selector.n_features_ == max([2, 3, 4], key=scores.get)
        assert fit(n_features=(None, 2)).n_features_ <= 2
        assert fit(n_features=(4, None)).n_features_ >= 4

    def test_all(self):
        selector = fit(n_features="all")
        assert selector.n_features_ == 5
        assert selector.why_["flat"]["reason"] == "constant"

    def test_auto_takes_the_best_of_the_sizes(self):
        selector = fit(tol=None)
        best = np.argmax(selector.cv_results_["mean_test_score"])
        assert selector.n_features_ == selector.cv_results_["n_features"][best]

    def test_auto_stops_when_no_column_pays(self):
        selector = fit()
        assert 1 <= selector.n_features_ == len(selector.path_.steps)
        assert all(np.diff([selector.path_.phases[0].score, *selector.path_.scores]) > 0)

    @pytest.mark.parametrize("k", [6, 99])
    def test_more_than_there_are(self, k):
        with pytest.warns(ClippedSelectionWarning, match=f"n_features={k} is more than the 5 columns") as caught:
            assert make(n_features=k).fit(X, Y).n_features_ == 5
        assert caught[0].filename == __file__

    @pytest.mark.parametrize("bounds", [(7, 9), (7, None)])
    def test_bounds_beyond_what_there_is(self, bounds):
        with pytest.warns(ClippedSelectionWarning):
            assert fit(n_features=bounds).n_features_ == 5

    @pytest.mark.parametrize("value", [(1, 2, 3), (), ("a", 2), (-1, 2), (0.1, 0.5), (3, 2)])
    def test_refused_pairs(self, value):
        with pytest.raises(ParameterError, match="n_features="):
            fit(n_features=value)

    @pytest.mark.parametrize("value", [-1, 1.5, "many", None, [2]])
    def test_refused_values(self, value):
        with pytest.raises(ValueError, match="'n_features' parameter"):
            fit(n_features=value)


class TestColumnsThatMustOrMayNot:
    @pytest.mark.parametrize(
        "noise", ["noise", 0, ["noise"], [0], NAMES.index("noise"), np.arange(6) == 0, lambda table: table.columns[:1]]
    )
    def test_keep_in_every_form(self, noise):
        selector = fit(keep=noise, n_features=2)
        assert "noise" in names(selector)
        assert selector.path_.order[0] == "noise"
        assert selector.why_["noise"]["reason"] == "in keep"

    def test_keep_survives_backward_steps(self):
        assert "noise" in names(fit(keep="noise", search="backward", n_features=1))

    def test_keep_a_constant_column(self):
        assert names(fit(keep="flat", n_features=1)) == ["flat"]

    def test_drop(self):
        selector = fit(drop=["strong", "twin"], n_features="all")
        assert set(names(selector)) == {"noise", "weak", "word"}
        assert selector.why_["twin"]["reason"] == "left out by drop"
        assert selector.why_["twin"]["score_alone"] is None

    def test_column_selector(self):
        numeric = make_column_selector(dtype_include="number")
        assert names(fit(drop=numeric, n_features="all")) == ["word"]

    def test_start_from(self):
        selector = fit(start_from=["weak", "twin"], n_features=3)
        assert selector.path_.phases[0].columns == ("weak", "twin")
        assert len(selector.path_.steps) == 1

    def test_backward_from_a_given_start(self):
        selector = fit(search="backward", start_from=["weak", "twin", "noise"], n_features=1)
        assert set(names(selector)) <= {"weak", "twin", "noise"}
        assert len(selector.path_.steps) == 2

    @pytest.mark.parametrize("other", ["keep", "start_from"])
    def test_contradictions(self, other):
        with pytest.raises(ParameterError, match=f"'weak' is both in {other} and in drop"):
            fit(drop="weak", **{other: ["weak", "noise"]})

    def test_more_kept_than_wanted(self):
        with pytest.raises(ParameterError, match="n_features=1 is less than the 2 columns that must be selected"):
            fit(keep=["weak", "noise"], n_features=1)

    def test_everything_dropped(self):
        with pytest.raises(ParameterError, match="drop names all 6 columns"):
            fit(drop=NAMES)

    def test_only_constants_left(self):
        with pytest.raises(DataError, match=r"constant \(for instance 'flat'\)"):
            fit(drop=NAMES[:-1])

    @pytest.mark.parametrize("parameter", ["keep", "drop", "start_from"])
    def test_absent_columns(self, parameter):
        with pytest.raises(ParameterError, match=f"{parameter} names the column 'stron'.*did you mean 'strong'"):
            fit(**{parameter: ["stron"]})


class TestFeatureGroups:
    def test_columns_move_together(self):
        selector = fit(feature_groups={"pair": ["noise", "strong"]}, n_features="all")
        steps = selector.path_.steps
        (pair,) = [step for step in steps if step.column == "pair"]
        assert pair.columns == ("noise", "strong")
        assert sorted(step.column for step in steps) == ["pair", "twin", "weak", "word"]
        assert selector.n_features_ == 5

    def test_a_group_that_does_not_fit_is_passed_over(self):
        selector = fit(feature_groups={"three": ["noise", "strong", "twin"]}, n_features=2)
        assert selector.n_features_ == 2
        assert set(names(selector)) == {"weak", "word"}

    def test_keep_one_keep_all(self):
        selector = fit(feature_groups={"pair": ["noise", "strong"]}, keep="noise", n_features=2)
        assert set(names(selector)) == {"noise", "strong"}

    def test_constant_and_dropped_members_stay_out(self):
        selector = fit(feature_groups={"trio": ["flat", "noise", "strong"]}, drop="noise", n_features="all")
        assert "flat" not in names(selector)
        assert "noise" not in names(selector)
        assert "strong" in names(selector)

    def test_no_column_in_two_groups(self):
        with pytest.raises(ParameterError, match="'noise' is in two feature_groups: 'p' and 'q'"):
            fit(feature_groups={"p": ["noise", "weak"], "q": ["noise"]})

    def test_absent_member(self):
        with pytest.raises(ParameterError, match=r"feature_groups\['p'\] names the column 'nosie'"):
            fit(feature_groups={"p": ["nosie"]})


class TestStopping:
    def test_one_se_takes_the_smallest_within_one_standard_error(self):
        free, frugal = fit(tol=None), fit(tol=None, one_se=True)
        results = free.cv_results_
        splits = np.array([results[f"split{i}_test_score"] for i in range(5)])
        best = int(np.argmax(results["mean_test_score"]))
        enough = results["mean_test_score"][best] - splits[:, best].std(ddof=1) / np.sqrt(5)
        assert frugal.n_features_ == results["n_features"][results["mean_test_score"] >= enough].min()
        assert frugal.n_features_ < free.n_features_ or best == 0

    @pytest.mark.parametrize("cv", [0, 0.3])
    def test_one_se_needs_folds(self, cv):
        with pytest.raises(ParameterError, match="one_se needs a standard error over folds"):
            fit(one_se=True, cv=cv)

    def test_tol_is_the_price_of_a_column(self):
        generous, dear = fit(cv=0), fit(cv=0, tol=0.05)
        gains = np.diff([dear.path_.phases[0].score, *dear.path_.scores])
        assert (gains > 0.05).all()
        assert dear.n_features_ < generous.n_features_

    def test_max_time_zero_ends_at_once(self):
        with pytest.warns(NothingSelectedWarning, match="before any column was selected; allow more time"):
            selector = fit(max_time=0)
        assert not selector.path_.complete
        assert selector.n_features_ == 0
        assert selector.path_.steps == ()

    def test_max_time_ends_a_long_search(self):
        rng = np.random.default_rng(0)
        wide, labels = rng.normal(size=(2000, 60)), rng.integers(0, 2, 2000)
        began = time.monotonic()
        selector = make(n_features="all", max_time=0.5).fit(wide, labels)
        assert time.monotonic() - began < 20
        assert selector.path_.complete == (len(selector.path_.steps) == 60)

    def test_max_time_that_suffices(self):
        assert fit(max_time=1000).path_.complete


def test_scoring_reports_other_metrics_on_the_same_path():
    metrics = ["auc", "log_loss", "error", "balanced_error", "error_probability", "lift", "brier", "map"]
    selector = fit(scoring=metrics, n_features="all", cv=3, search="forward-backward")
    results = selector.cv_results_
    np.testing.assert_array_equal(results["mean_test_brier"], results["mean_test_score"])
    share = (selector.classes_[1] == Y).mean()
    np.testing.assert_allclose(
        results["mean_test_lift"], share / 2 + (1 - share) * results["mean_test_auc"], rtol=1e-15
    )
    for k, visit in selector.path_.best_by_size().items():
        place = results["n_features"].tolist().index(k)
        for metric in metrics:
            direct = fit(criterion=metric, start_from=list(visit.columns) or None, n_features=k, cv=3)
            expected = direct.path_.phases[0].split_scores
            assert tuple(results[f"split{i}_test_{metric}"][place] for i in range(3)) == expected


def test_results_have_the_keys_of_rfecv():
    results = fit(cv=4, scoring="auc").cv_results_
    splits = [f"split{i}_test_{name}" for name in ("score", "auc") for i in range(4)]
    means = [f"{what}_test_{name}" for name in ("score", "auc") for what in ("mean", "std")]
    assert set(results) == {"n_features", *splits, *means}
    folds = np.array([results[f"split{i}_test_score"] for i in range(4)])
    np.testing.assert_allclose(results["mean_test_score"], folds.mean(axis=0), rtol=0, atol=1e-15)
    np.testing.assert_allclose(results["std_test_score"], folds.std(axis=0), rtol=0, atol=1e-15)
    assert len({len(values) for values in results.values()}) == 1


def test_validation_by_a_word():
    with pytest.raises(ParameterError, match=r"cv must be .*, got 'folds'"):
        fit(cv="folds")


def test_unknown_metric():
    with pytest.raises(ParameterError, match="scoring has the unknown metric 'gain'; valid metrics are auc, "):
        fit(scoring=["auc", "gain"])


class TestDiscretizer:
    def test_none_makes_each_value_a_code(self):
        model = plain_bayes(discretizer=None, keep="weak", n_features=1, cv=0).fit(X, Y)
        assert model.partitions_["weak"].n_bins == X["weak"].nunique()
        assert model.score(X, Y) == 1.0  # one row per code: learned by heart

    @pytest.mark.parametrize("strategy", ["uniform", "kmeans"])
    def test_transformer(self, strategy):
        bins = KBinsDiscretizer(4, encode="ordinal", strategy=strategy)
        model = plain_bayes(discretizer=bins, n_features="all", cv=0).fit(X, Y)
        by_hand = X.copy()
        numeric = ["noise", "weak", "strong", "twin"]
        by_hand[numeric] = bins.fit_transform(X[numeric])
        plain = plain_bayes(discretizer=None, n_features="all", cv=0).fit(by_hand, Y)
        assert model.path_.to_dict() == plain.path_.to_dict()
        np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(by_hand))

    def test_transformer_does_not_see_missing_values(self):
        gaps = X.assign(strong=X["strong"].where(X["strong"] > 0))
        bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
        model = plain_bayes(discretizer=bins, keep="strong", n_features=1, cv=3).fit(gaps, Y)
        assert model.partitions_["strong"].n_bins == 4
        assert model.partitions_["strong"].describe(3) == "missing"
        assert model.score(gaps, Y) > 0.6

    def test_transformer_is_cloned(self):
        bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
        fit(discretizer=bins)
        assert not hasattr(bins, "bin_edges_")

    def test_transformer_of_several_outputs(self):
        with pytest.raises(DataError, match=r"turned column 'noise' of shape \(200, 1\) into shape \(200, 200\)"):
            fit(discretizer=OneHotEncoder(), cv=0)

    def test_rounding_by_a_function(self):
        fitted = fit(discretizer=FunctionTransformer(np.round), cv=0, n_features=1)
        assert fitted.path_.order[0] in ("strong", "twin")

    def test_nominal_columns_at_prediction_time(self):
        bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
        model = plain_bayes(discretizer=bins, keep="weak", n_features=1, cv=0).fit(X, Y)
        with pytest.raises(DataError, match="'weak' was numeric in training and now holds"):
            model.predict(X.assign(weak="high"))


def test_smoothing_is_the_pseudo_count():
    table = pd.DataFrame({"a": ["x", "x", "y", "y"]})
    model = make(plain_bayes, smoothing=1.0, n_features=1, cv=0).fit(table, [0, 0, 0, 1])
    # P(x | 0) = (2 + 1) / (3 + 2), P(x | 1) = (0 + 1) / (1 + 2), P(0) = 3/4
    first, second = 3 / 4 * 3 / 5, 1 / 4 * 1 / 3
    np.testing.assert_allclose(model.predict_proba(table[:1]), [[first / (first + second), second / (first + second)]])


class TestNothingInformative:
    X = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "c": [0.0] * 20 + [1.0] * 20})
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 5)

    def test_a_column_that_improves_the_score_is_not_said_to_miss_it(self):
        rng = np.random.default_rng(45)
        y = rng.integers(0, 3, 40)
        with pytest.warns(
            NothingSelectedWarning, match="'x1' improves log_loss by itself, from 0.932.* to 0.929.*, but"
        ):
            ScorecardClassifier("best").fit(rng.normal(size=(40, 2)) + 0.35 * y[:, None], y)

    @pytest.mark.parametrize("search", ["forward", "backward", "floating", "forward-backward"])
    def test_empty_selection_with_a_warning(self, search):
        with pytest.warns(NothingSelectedWarning) as caught:
            model = make(plain_bayes, search=search, cv=0).fit(self.X[["a", "b"]], self.y)
        assert len(caught) == 1
        message = str(caught[0].message)
        assert message.startswith(
            "No column improves brier over the class frequencies alone (0.5), so none is selected"
        )
        assert "'a' (0.5)" in message
        assert "'b' (0.5)" in message
        assert model.n_features_ == 0
        assert model.path_.complete
        assert caught[0].filename == __file__

    def test_prior_only_classifier(self):
        y = np.where(np.arange(40) % 4 == 0, "rare", "usual")
        model = plain_bayes(n_features=0, cv=0).fit(self.X, y)
        np.testing.assert_allclose(model.predict_proba(self.X), [[0.25, 0.75]] * 40, atol=1e-12)
        assert set(model.predict(self.X)) == {"usual"}

    def test_bounds_that_allow_nothing_warn_too(self):
        with pytest.warns(NothingSelectedWarning):
            assert make(n_features=(0, 1), cv=0).fit(self.X[["a", "b"]], self.y).n_features_ == 0


class TestOutput:
    def test_silent_by_default(self, capfd):
        fit()
        assert capfd.readouterr() == ("", "")

    def test_verbose_logs_and_prints_nothing(self, capfd, caplog):
        fit(verbose=1, n_features=3)
        assert capfd.readouterr() == ("", "")
        lines = [record.message for record in caplog.records]
        assert lines[0].startswith(f"step 1: +{FORWARD_ORDER[0]}, 1 column, score -0.")
        assert lines[-1].startswith("step 3: +")
        assert lines[-1].endswith("about 0 s left")


class TestRandomState:
    def test_same_seed_same_result(self):
        for cv in (3, 0.4):
            one, two = (fit(cv=cv, random_state=7) for _ in range(2))
            assert one.path_ == two.path_

    def test_seeds_shuffle(self):
        scores = {fit(cv=3, random_state=seed).path_.scores for seed in (None, 0, 1)}
        assert len(scores) == 3

    def test_no_seed_is_deterministic(self):
        for cv in (3, 0.4):
            assert fit(cv=cv).path_ == fit(cv=cv).path_


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("search", "sideways"),
        ("criterion", "precision"),
        ("cv", 1),
        ("cv", 1.5),
        ("discretizer", "best"),
        ("discretizer", 5),
        ("smoothing", 0),
        ("smoothing", -1.0),
        ("scoring", 3),
        ("keep", 1.5),
        ("feature_groups", ["a"]),
        ("one_se", "yes"),
        ("tol", -0.1),
        ("max_time", -1),
        ("checkpoint", 3),
        ("n_jobs", "all"),
        ("backend", "gpu"),
        ("random_state", "now"),
        ("verbose", "very"),
    ],
)
def test_unknown_options(parameter, value):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of NaiveBayesSelector must be"):
        fit(**{parameter: value})


@pytest.mark.parametrize(
    ("parameter", "value"), [("weights", "heavy"), ("bins", "many"), ("threshold", None), ("class_prior", "even")]
)
def test_unknown_options_of_the_classifier(parameter, value):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of SelectiveNaiveBayes must be"):
        plain_bayes(**{parameter: value}).fit(X, Y)


@pytest.mark.parametrize("threshold", ["high", 1.5, ("recall", 2.0), ("accuracy", 0.5)])
def test_unknown_thresholds(threshold):
    with pytest.raises(ParameterError, match="threshold"):
        plain_bayes(threshold=threshold).fit(X, Y)


@pytest.mark.parametrize(
    ("search", "options", "n_selected"),
    [
        ("forward", {"feature_groups": {"all": [0, 1, 2]}, "drop": [3, 4], "n_features": 2}, 0),
        ("forward", {"start_from": [0, 1, 2], "n_features": 1}, 3),
        ("backward", {"start_from": [0], "n_features": 3}, 1),
    ],
)
def test_a_size_out_of_reach_is_said_to_be(search, options, n_selected):
    X, y = make_classification(80, 5, n_informative=3, n_redundant=0, random_state=0)
    with pytest.warns(ClippedSelectionWarning, match="cannot be reached by this search") as warned:
        selector = make(search=search, **options).fit(X, y)
    assert len(warned) == 1
    assert selector.n_features_ == n_selected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_jobs": 0}, "at least one thread"),
        ({"cv": 0.001}, "cv cannot divide the 80 rows"),
    ],
)
def test_other_libraries_errors_are_put_in_our_words(parameters, message):
    X, y = make_classification(80, 5, random_state=0)
    with pytest.raises(ParameterError, match=message):
        NaiveBayesSelector(**parameters).fit(X, y)


def test_folds_are_at_most_as_many_as_groups():
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(60, 2)), np.arange(60) % 2
    groups = np.repeat([0, 1, 2], 20)
    few, all_groups = (ScorecardClassifier(cv=cv, n_features=1).fit(X, target, groups=groups) for cv in (5, 3))
    assert np.array_equal(few.predict_proba(X), all_groups.predict_proba(X))
    with pytest.raises(ParameterError, match="All rows are of one group"):
        ScorecardClassifier(cv=5).fit(X, target, groups=np.zeros(60))
