"""By default bins are Bayes-optimal, and columns with a single optimal bin are left out of the search."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from cases import plain_bayes
from draws import meetings
from sklearn.model_selection import StratifiedKFold

from bayesieve import MODLDiscretizer, NaiveBayesSelector, ScorecardClassifier
from bayesieve.bins import CODING_RULES
from bayesieve.data import Target, read_table, read_weights
from bayesieve.exceptions import ClippedSelectionWarning, DataError, NothingSelectedWarning
from bayesieve.fit.learning import LearningOptions
from bayesieve.fit.memory_learning import Fold, learn
from bayesieve.fit.rows import MemoryRows
from bayesieve.models import NaiveBayes
from bayesieve.search import SEARCHES
from bayesieve.search.criteria import CRITERIA

KINDS = [NaiveBayesSelector, plain_bayes]
KINDS_AND_SEARCHES = meetings(KINDS, SEARCHES)
BOTH = pytest.mark.parametrize("kind", KINDS)
EVERY_SEARCH = pytest.mark.parametrize("search", SEARCHES)
LEFT_OUT = "uninformative: a single bin is optimal"
INFORMATIVE = ["strong", "twin", "weak", "town"]


def make_data(n_rows=400, seed=0):
    """Return four columns that tell of the class, three that do not, and a constant."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    strong = y + rng.normal(scale=0.6, size=n_rows)
    columns = {
        "noise": rng.normal(size=n_rows),
        "strong": strong,
        "twin": strong + rng.normal(scale=0.3, size=n_rows),
        "word": rng.choice(["a", "b", "c"], n_rows),
        "weak": y + rng.normal(scale=1.5, size=n_rows),
        "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows)),
        "town": np.array(["x", "y", "z"])[np.where(rng.random(n_rows) < 0.4, y, rng.integers(0, 3, n_rows))],
        "flat": np.ones(n_rows),
    }
    return pd.DataFrame(columns).round(1), np.where(y == 1, "yes", "no")


X, Y = make_data()
NOISE = ["noise", "word", "gaps"]


def brier(model, rows, labels):
    """Return the Brier score summed over classes, by definition."""
    truth = (labels[:, None] == model.classes_).astype(float)
    return float(((model.predict_proba(rows) - truth) ** 2).sum(axis=1).mean())


@BOTH
def test_it_is_the_default(kind):
    assert kind().discretizer == "modl"
    assert kind().fit(X, Y).path_ == kind(discretizer="modl").fit(X, Y).path_


@pytest.mark.parametrize(("kind", "search"), KINDS_AND_SEARCHES)
class TestLeftOut:
    def test_they_say_why(self, kind, search):
        why = kind(search).fit(X, Y).why_
        assert list(why) == list(X.columns)
        assert [name for name, entry in why.items() if entry["reason"] == LEFT_OUT] == NOISE
        assert why["flat"]["reason"] == "constant"
        for name in NOISE:
            assert not why[name]["selected"]
            assert all(value is None for key, value in why[name].items() if key not in ("selected", "reason"))
        assert all(why[name]["score_alone"] is not None for name in INFORMATIVE)

    def test_the_search_never_meets_them(self, kind, search):
        estimator = kind(search, n_features="all").fit(X, Y)
        assert sorted(estimator.path_.order) == sorted(INFORMATIVE)
        met = {name for step in estimator.path_.steps for name in (step.column, step.runner_up)}
        met |= {name for visit in estimator.path_.visits() for name in visit.columns}
        assert met - {None} == set(INFORMATIVE)
        assert set(estimator.partitions_) == set(INFORMATIVE)
        assert estimator.cv_results_["n_features"].max() == 4

    def test_dropping_them_changes_nothing_else(self, kind, search):
        whole, without = kind(search).fit(X, Y), kind(search, drop=NOISE).fit(X, Y)
        assert whole.path_ == without.path_
        assert {name: without.why_[name] for name in INFORMATIVE} == {name: whole.why_[name] for name in INFORMATIVE}


def test_they_are_the_columns_of_which_the_discretizer_makes_one_bin():
    levels = dict(zip(X.columns, MODLDiscretizer().fit(X, Y).levels_, strict=True))
    assert [name for name, level in levels.items() if level > 0] == [name for name in X.columns if name in INFORMATIVE]


def test_bins_are_those_of_the_discretizer():
    bins = MODLDiscretizer().fit(X, Y).partitions_
    model = plain_bayes(n_features="all").fit(X, Y)
    for name, partition in model.partitions_.items():
        assert partition.n_bins == bins[name].n_bins > 1
        assert [partition.describe(code) for code in range(partition.n_bins)] == [
            bins[name].describe(code) for code in range(partition.n_bins)
        ]


class TestWishes:
    @pytest.mark.parametrize(("kind", "search"), KINDS_AND_SEARCHES)
    @pytest.mark.parametrize("kept", ["word", ["noise", "gaps"]], ids=str)
    def test_what_is_kept_stays(self, kind, search, kept):
        names = [kept] if isinstance(kept, str) else kept
        estimator = kind(search, keep=kept, n_features=len(names) + 1).fit(X, Y)
        assert set(names) < set(estimator.path_.order)
        assert estimator.n_features_ == len(names) + 1
        for name in names:
            assert estimator.why_[name]["selected"]
            assert estimator.why_[name]["reason"] == "in keep"
            assert estimator.partitions_[name].n_bins == 1
        left = [name for name in NOISE if name not in names]
        assert {estimator.why_[name]["reason"] for name in left} == {LEFT_OUT}

    @pytest.mark.parametrize("kept", NOISE)
    def test_one_part_is_no_evidence(self, kept):
        kept_too = plain_bayes(keep=[kept, "strong"], n_features=2).fit(X, Y)
        alone = plain_bayes(keep="strong", n_features=1).fit(X, Y)
        np.testing.assert_array_equal(kept_too.predict_proba(X), alone.predict_proba(X))

    @BOTH
    def test_nothing_but_what_is_kept(self, kind):
        estimator = kind(keep="noise").fit(X[NOISE], Y)
        assert estimator.path_.order == ("noise",)
        assert estimator.support_.tolist() == [True, False, False]

    @BOTH
    def test_what_the_search_starts_from_takes_part(self, kind):
        estimator = kind(start_from=["noise", "weak"], n_features=3).fit(X, Y)
        assert estimator.path_.phases[0].columns == ("noise", "weak")
        assert len(estimator.path_.steps) == 1
        backward = kind("backward", start_from=["noise", "weak", "strong"]).fit(X, Y)
        assert "noise" not in backward.path_.order  # a column that adds nothing does not pay
        assert backward.why_["noise"]["reason"].startswith("removed at step")

    @EVERY_SEARCH
    def test_a_group_moves_with_its_informative_members(self, search):
        groups = {"pair": ["noise", "strong"], "idle": ["word", "gaps"]}
        selector = NaiveBayesSelector(search, n_features="all", feature_groups=groups).fit(X, Y)
        assert sorted(selector.path_.order) == sorted(INFORMATIVE)
        assert all(step.columns == ("strong",) for step in selector.path_.steps if step.column == "pair")
        assert "idle" not in {step.column for step in selector.path_.steps}
        assert selector.why_["noise"]["reason"] == LEFT_OUT


class TestSizes:
    @pytest.mark.parametrize(("kind", "search", "wanted"), meetings(KINDS, SEARCHES, [5, 99, (6, None)]))
    def test_more_than_is_informative(self, kind, search, wanted):
        with pytest.warns(ClippedSelectionWarning) as caught:
            estimator = kind(search, n_features=wanted).fit(X, Y)
        assert len(caught) == 1
        words = f"n_features={wanted!r} is more than the 4 columns that can be selected; 4 is used."
        assert str(caught[0].message) == words
        assert caught[0].filename == __file__
        assert sorted(estimator.path_.order) == sorted(INFORMATIVE)

    @pytest.mark.parametrize(("share", "expected"), [(0.5, 2), (0.9, 4), (0.01, 1)])
    def test_a_share_is_of_the_informative_columns(self, share, expected):
        assert NaiveBayesSelector(n_features=share).fit(X, Y).n_features_ == expected

    @pytest.mark.parametrize("bounds", [(0, 4), (None, None), (2, 99)])
    def test_bounds_that_can_be_met(self, bounds):
        assert NaiveBayesSelector(n_features=bounds).fit(X, Y).n_features_ >= 1

    @pytest.mark.parametrize("nothing", [0, (0, 0), (None, 0)], ids=str)
    def test_nothing_is_wanted(self, nothing):
        assert NaiveBayesSelector(n_features=nothing).fit(X, Y).n_features_ == 0  # and there is no warning

    def test_what_is_kept_counts(self):
        assert NaiveBayesSelector(keep="noise", n_features=5).fit(X, Y).n_features_ == 5
        with pytest.warns(ClippedSelectionWarning, match="the 5 columns that can be selected"):
            NaiveBayesSelector(keep="noise", n_features=6).fit(X, Y)


class TestNothingInformative:
    rows, labels = X[[*NOISE, "flat"]], np.where(np.arange(len(X)) % 4 == 0, "rare", "usual")

    def test_that_is_so(self):
        assert not MODLDiscretizer().fit(self.rows, self.labels).levels_.any()

    def fit(self, estimator, **given):
        """Fit; return the estimator and the one warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(self.rows, self.labels, **given)
        assert [warning.category for warning in caught] == [NothingSelectedWarning]
        assert caught[0].filename == __file__
        return estimator, str(caught[0].message)

    @pytest.mark.parametrize(("search", "cv"), meetings(SEARCHES, [0, 3]))
    @pytest.mark.parametrize("n_features", ["auto", "all", 0.5, (0, 2)], ids=str)
    def test_priors_alone_predict(self, search, cv, n_features):
        model, message = self.fit(plain_bayes(search, cv=cv, n_features=n_features))
        assert message.startswith("No column is informative by itself, so none is selected.")
        assert model.n_features_ == 0
        assert model.path_.order == ()
        assert model.path_.complete
        assert model.path_.steps == ()
        np.testing.assert_allclose(model.predict_proba(self.rows), [[0.25, 0.75]] * len(X), rtol=0, atol=1e-12)
        np.testing.assert_allclose(model.predict_log_proba(self.rows[:1]), [np.log([0.25, 0.75])], atol=1e-12)
        assert set(model.predict(self.rows)) == {"usual"}
        assert model.score(self.rows, self.labels) == 0.75

    @pytest.mark.parametrize(("kind", "search"), KINDS_AND_SEARCHES)
    def test_everything_can_be_read(self, kind, search):
        estimator, _ = self.fit(kind(search, scoring=["auc", "error"]))
        assert [entry["reason"] for entry in estimator.why_.values()] == [LEFT_OUT] * 3 + ["constant"]
        json.dumps([estimator.path_.to_dict(), estimator.why_], allow_nan=False)
        assert len(estimator.path_.to_frame()) == 0
        assert estimator.partitions_ == {}
        assert estimator.cv_results_["n_features"].tolist() == [0]
        assert estimator.cv_results_["mean_test_error"] == pytest.approx([-0.25])
        assert estimator.select(0).n_features_ == 0
        assert not estimator.support_.any()

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_every_criterion(self, criterion):
        model, _ = self.fit(plain_bayes(criterion=criterion))
        assert model.n_features_ == 0

    @pytest.mark.parametrize("backend", ["reference", "auto"])
    def test_every_engine(self, backend):
        assert self.fit(plain_bayes(backend=backend))[0].path_ == self.fit(plain_bayes())[0].path_

    def test_weights_change_the_priors(self):
        weights = np.where(self.labels == "rare", 1, 0.25)
        model, _ = self.fit(plain_bayes(cv=0), sample_weight=weights)
        np.testing.assert_allclose(model.predict_proba(self.rows[:1]), [[4 / 7, 3 / 7]], rtol=0, atol=1e-12)

    def test_no_column_is_left(self):
        selector, _ = self.fit(NaiveBayesSelector())
        assert selector.transform(self.rows).shape == (len(X), 0)
        assert selector.get_feature_names_out().tolist() == []

    def test_a_checkpoint_can_be_written_and_read(self, tmp_path):
        paths = [self.fit(NaiveBayesSelector(checkpoint=tmp_path / "c"))[0].path_ for _ in range(2)]
        assert paths[0] == paths[1] == self.fit(NaiveBayesSelector())[0].path_

    @pytest.mark.parametrize("wanted", [1, 3])
    def test_a_number_of_columns_cannot_be_had(self, wanted):
        with pytest.warns() as caught:
            model = plain_bayes(n_features=wanted).fit(self.rows, self.labels)
        assert [warning.category for warning in caught] == [ClippedSelectionWarning, NothingSelectedWarning]
        assert model.n_features_ == 0

    def test_whoever_wants_nothing_is_not_warned(self):
        model = plain_bayes(n_features=0).fit(self.rows, self.labels)
        np.testing.assert_allclose(model.predict_proba(self.rows[:1]), [[0.25, 0.75]], rtol=0, atol=1e-12)

    @BOTH
    def test_constants_are_a_fault_of_the_data(self, kind):
        with pytest.raises(DataError, match=r"constant \(for instance 'flat'\)"):
            kind().fit(self.rows[["flat"]], self.labels)
        with pytest.raises(DataError, match=r"constant \(for instance 'flat'\)"):
            kind(drop=NOISE).fit(self.rows, self.labels)


class TestFolds:
    @EVERY_SEARCH
    def test_scores_are_those_of_models_that_never_saw_the_rows(self, search):
        selector = NaiveBayesSelector(search, cv=4, tol=None).fit(X, Y)
        folds = list(StratifiedKFold(4).split(X, Y))
        assert {visit.n_features for visit in selector.path_.visits()} >= {1, 2, 3}
        for visit in selector.path_.best_by_size().values():
            keep, n_features = list(visit.columns) or None, len(visit.columns)
            models = [plain_bayes(cv=0, keep=keep, n_features=n_features).fit(X.iloc[a], Y[a]) for a, _ in folds]
            scores = [-brier(model, X.iloc[b], Y[b]) for model, (_, b) in zip(models, folds, strict=True)]
            assert visit.split_scores == pytest.approx(scores, abs=1e-9)

    @pytest.mark.parametrize("k", range(4))
    def test_labels_of_the_scored_rows_do_not_reach_the_bins(self, k):
        codes = (Y == "yes").astype(np.int32)
        folds = list(StratifiedKFold(4).split(X, codes))
        shuffled = codes.copy()
        shuffled[folds[k][1]] = np.random.default_rng(k).permutation(codes[folds[k][1]])
        learned, repeated = (self.learn(labels, folds) for labels in (codes, shuffled))
        assert self.bins(learned[k]) == self.bins(repeated[k])
        np.testing.assert_array_equal(learned[k].tables.entries, repeated[k].tables.entries)
        np.testing.assert_array_equal(learned[k].tables.start, repeated[k].tables.start)
        assert all(self.bins(learned[f]) != self.bins(repeated[f]) for f in range(4) if f != k)
        assert self.bins(learned[-1]) != self.bins(repeated[-1])

    def learn(self, labels, folds):
        sample = MemoryRows(read_table(X), Target(np.array([0, 1]), labels), read_weights(None, len(X)))
        cut = [Fold(*fold) for fold in folds]
        cut.append(Fold(np.arange(len(X)), np.arange(len(X))))
        return learn(
            sample, cut, LearningOptions(CODING_RULES["modl"], NaiveBayes("auto"), required=range(X.shape[1]))
        ).folds

    def bins(self, fold):
        return [[part.describe(code) for code in range(part.n_bins)] for part in fold.partitions]

    def test_final_bins_are_learnt_on_all_rows(self):
        folded, plain = (plain_bayes(cv=v, n_features="all").fit(X, Y) for v in (4, 0))
        np.testing.assert_array_equal(folded.predict_proba(X), plain.predict_proba(X))


def test_few_rows_of_a_class_are_named_where_nothing_is_selected():
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(600, 2)), np.repeat(["no", "yes"], [595, 5])
    with pytest.warns(NothingSelectedWarning, match="Class 'yes' has 5 of 600 rows; with so few, only a strong effect"):
        ScorecardClassifier().fit(X, target)
