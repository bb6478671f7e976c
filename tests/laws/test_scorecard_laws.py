"""Laws of a ScorecardClassifier: what may not matter, and what parameters must achieve."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.metrics import log_loss
from tables import two_classes

from bayesieve import Column, ScorecardClassifier
from bayesieve.exceptions import ClippedSelectionWarning, ParameterError

X, Y = two_classes(300)


def fit(table=X, target=Y, weights=None, **parameters):
    return ScorecardClassifier(**parameters).fit(table, target, weights)


@pytest.fixture(scope="module")
def whole():
    return fit()


def interacting_table(n_rows=800, seed=0):
    """Return four binary columns with equal counts, of which two interact, and a target of equal classes."""
    rng = np.random.default_rng(seed)
    cells = np.array([(a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)] * (n_rows // 16))
    table = pd.DataFrame(cells, columns=list("abcd")).assign(number=rng.permutation(np.arange(n_rows) % 7))
    return table, (table["a"] ^ table["b"] ^ (rng.random(n_rows) < 0.1)).to_numpy()


TABLES = {"mixed": two_classes(200, seed=1), "interacting": interacting_table()}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_rows_does_not_matter(name, weighted):
    table, target = TABLES[name]
    rng = np.random.default_rng(0)
    weights = rng.gamma(2.0, 1.0, len(target)) if weighted else np.ones(len(target))
    order = rng.permutation(len(target))
    model, other = fit(table, target, weights), fit(table.iloc[order], target[order], weights[order])
    assert_array_equal(model.predict_proba(table), other.predict_proba(table))
    assert_array_equal(model.path_, other.path_)
    assert model.n_features_ > 0


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("n_features", ["auto", "best"])
def test_the_order_of_columns_does_not_matter(name, n_features):
    table, target = TABLES[name]
    expected = fit(table, target, n_features=n_features).predict_proba(table)
    for seed in range(3):
        permuted = table[np.random.default_rng(seed).permutation(table.columns)]
        assert_array_equal(fit(permuted, target, n_features=n_features).predict_proba(permuted), expected)


def test_the_number_of_threads_does_not_matter(whole):
    for n_jobs in (2, 5):
        assert_array_equal(fit(n_jobs=n_jobs).predict_proba(X), whole.predict_proba(X))


@pytest.mark.slow
def test_the_reference_is_the_compiled_core():
    table, target = X[:90], Y[:90]
    parameters = {"n_pairs": [("size", "count")], "n_features": 3}
    model, other = (fit(table, target, backend=each, **parameters) for each in ("auto", "reference"))
    assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    assert model.path_ == other.path_


def test_scaling_by_a_power_of_two_does_not_matter(whole):
    scaled = X.assign(size=X["size"] * 4.0)
    assert_array_equal(fit(scaled, Y).predict_proba(scaled), whole.predict_proba(X))


def test_increasing_maps_of_numbers_hardly_matter(whole):
    """Bins are those of ranks; values are seen by lines of the adaptive member, by line and square of a tied one."""
    mapped = X.assign(size=np.exp(X["size"]), count=X["count"] ** 3)
    model = fit(mapped, Y)
    assert model.scorecard_.names == whole.scorecard_.names
    p, q = whole.predict_proba(X), model.predict_proba(mapped)
    assert np.abs(p - q).mean() < 0.02
    assert np.abs(p - q).max() < 0.15


def test_copies_constants_and_empty_columns_change_nothing(whole):
    table = X.assign(copy=X["size"], mapped=X["size"] * 8.0, constant=3, empty=np.nan)
    model = fit(table, Y)
    assert model.scorecard_.names == whole.scorecard_.names
    assert_array_equal(model.predict_proba(table), whole.predict_proba(X))


def test_a_copy_may_be_kept_instead():
    table = X.assign(copy=X["size"])
    model = fit(table, Y, keep="copy", n_features=1)
    assert model.scorecard_.names == ["copy"]
    assert_array_equal(model.predict_proba(table), fit(n_features=1).predict_proba(X))


@pytest.mark.parametrize("n_pairs", [0, [("size", "count")]])
def test_a_weight_of_k_is_k_copies_in_the_same_fold(n_pairs):
    """Gradients are rounded to other units, and scores to two decimals: one unit of these may be lost."""
    rng = np.random.default_rng(0)
    times, fold = rng.integers(1, 4, len(X)), rng.integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), times)

    def folds(own):
        return [(np.flatnonzero(own != q), np.flatnonzero(own == q)) for q in range(4)]

    weighted = fit(weights=times, cv=folds(fold), n_pairs=n_pairs)
    copied = fit(X.iloc[rows], Y[rows], cv=folds(fold[rows]), n_pairs=n_pairs)
    assert weighted.scorecard_.names == copied.scorecard_.names
    for one, other in zip(weighted.scorecard_.tables, copied.scorecard_.tables, strict=True):
        assert one.partition.n_bins == other.partition.n_bins
        assert_allclose(one.table / 2**40, other.table / 2**40, atol=0.011)
        assert_allclose(one.counts, other.counts)
    assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=0.01)


def monotone_in(model, name, sign):
    """Return whether the scores of a column's intervals have the sign's order, at every size."""
    for size in model.cv_results_["n_features"]:
        card = model.select(int(size)).scorecard_
        if name in card.names:
            table = card[name]
            n_intervals = table.partition.n_bins - bool(table.partition.missing)
            if (sign * np.diff(table.table[:n_intervals, 1]) < 0).any():
                return False
    return True


@pytest.mark.parametrize("trend", ["increasing", "decreasing"])
def test_monotone_constraints_hold_at_every_size(trend, whole):
    sign = 1 if trend == "increasing" else -1
    model = fit(columns={"size": Column(monotone=trend), "count": {"monotone": trend}})
    assert monotone_in(model, "size", sign)
    assert monotone_in(model, "count", sign)
    assert not (monotone_in(whole, "size", sign) and monotone_in(whole, "count", sign))
    everything = fit(columns=Column(monotone=trend), n_features="best")
    assert all(monotone_in(everything, name, sign) for name in ("size", "count", "noise"))


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
def test_constrained_columns_are_in_no_pair():
    table, target = TABLES["interacting"]
    assert [pair.names for pair in fit(table, target).scorecard_.pairs] == [("a", "b")]
    assert fit(table, target, columns={"a": {"monotone": "increasing"}}, n_features="best").scorecard_.pairs == ()
    with pytest.raises(ParameterError, match="'a' is monotone, so it can be in no pair"):
        fit(table, target, columns={"a": {"monotone": "increasing"}}, n_pairs=[("a", "c")])


class TestColumns:
    def test_keep(self):
        model = fit(keep=["noise", "count"])
        assert {"noise", "count"} <= set(model.scorecard_.names)
        assert set(fit(keep=["noise", "count"], n_features=2).scorecard_.names) == {"noise", "count"}

    def test_drop(self):
        model = fit(drop=["size"], n_features="best")
        assert "size" not in model.scorecard_.names
        fewer = X.drop(columns="size")
        assert_array_equal(model.predict_proba(X), fit(fewer, n_features="best").predict_proba(fewer))

    @pytest.mark.parametrize("n_features", ["auto", "best", 3])
    def test_groups(self, n_features):
        groups = {"both": ["noise", "size"], "rest": ["flag", "color"]}
        model = fit(feature_groups=groups, n_features=n_features)
        for size in model.cv_results_["n_features"]:
            chosen = set(model.select(int(size)).scorecard_.names)
            assert all(len(chosen & set(group)) in (0, 2) for group in groups.values())
            assert len(chosen) == size

    def test_every_size_can_be_selected(self, whole):
        sizes = [int(size) for size in whole.cv_results_["n_features"]]
        staged = dict(whole.staged_predict_proba(X))
        assert sizes == list(staged) == [0, 1, 2, 3, 4, 5]
        for size in sizes:
            chosen = whole.select(size)
            assert chosen.n_features_ == chosen.support_.sum() == size
            assert_array_equal(chosen.predict_proba(X), staged[size])

    def test_stages_have_pairs(self):
        table, target = TABLES["interacting"]
        model = fit(table, target)
        for size, probabilities in model.staged_predict_proba(table):
            assert_array_equal(model.select(size).predict_proba(table), probabilities)


class TestSizes:
    @pytest.mark.parametrize(("n_features", "size"), [(0, 0), (2, 2), (5, 5), (0.4, 2), ((3, 3), 3), ((1, 2), 2)])
    def test_numbers(self, n_features, size):
        assert fit(n_features=n_features).n_features_ == size

    def test_too_many_are_clipped(self):
        with pytest.warns(ClippedSelectionWarning):
            assert fit(n_features=9).n_features_ == 5

    def test_auto_keeps_a_share_of_the_best_gain(self, whole):
        gains = whole.cv_results_["mean_test_score"] - whole.cv_results_["mean_test_score"][0]
        for share in (0.3, 0.5, 0.8, 0.99):
            model = fit(min_gain=share)
            # The selected size is fitted again, so that its own score is not the path's.
            enough = [size for size, gain in enumerate(gains) if gain >= share * gains.max() - 0.005]
            assert model.n_features_ in enough[:2]
        assert fit(min_gain=0.3).n_features_ < whole.n_features_ <= fit(n_features="best").n_features_

    @pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
    def test_noise_has_hardly_any_effect(self):
        far = []
        for seed in range(6):
            table, target = np.random.default_rng(seed).normal(size=(300, 5)), np.arange(300) % 2
            far.append(np.abs(fit(table, target).predict_proba(table) - 0.5).mean())
        assert min(far) < 1e-12
        assert np.median(far) < 0.05


class TestBins:
    def test_a_higher_cost_gives_fewer_bins(self):
        n_bins = []
        for cost in (0.0, 1e-5, 0.0005, 0.01):
            model = fit(n_features=4, merge_cost=cost)
            n_bins.append(sum(table.partition.n_bins for table in model.scorecard_.tables))
        assert n_bins == sorted(n_bins, reverse=True)
        assert n_bins[0] > n_bins[1] > n_bins[2] > 2 * n_bins[3]

    def test_at_no_cost_every_size_has_the_finest_bins(self):
        model = fit(merge_cost=0.0)
        sizes = [model.select(k).scorecard_["size"].partition.n_bins for k in (1, 3, 5)]
        assert sizes == [sizes[0]] * 3

    def test_merging_costs_other_sizes_little_too(self):
        """Two columns of two values are enough, and have nothing to merge; those of larger sizes have."""
        rng = np.random.default_rng(3)
        X = rng.choice(["a", "b"], size=(400, 5)).astype(object)
        log_odds = (X == "a") @ np.array([4.0, 2.0, 1.5, 1.0, 0.0])
        y = rng.random(400) < 1.0 / (1.0 + np.exp(4.0 - log_odds))
        merged, finest = (
            ScorecardClassifier(min_gain=0.6, n_pairs=0, merge_cost=cost).fit(X, y) for cost in (0.0005, 0.0)
        )
        assert merged.n_features_ == 2
        for k in range(1, 5):
            losses = [log_loss(y, model.select(k).predict_proba(X)) for model in (merged, finest)]
            assert losses[0] <= losses[1] + 0.001

    def test_shown_bins_are_those_of_the_model(self, whole):
        for table in whole.scorecard_.tables:
            assert whole.partitions_[table.name].n_bins == table.partition.n_bins


class TestDecisions:
    def test_another_prior_shifts_all_log_odds_alike(self, whole):
        shifted = fit(class_prior={"no": 0.1, "yes": 0.9})
        share = np.mean(Y == "yes")
        n = len(Y)
        p, q = (
            np.clip(((n + 0.5) * each.predict_proba(X)[:, 1] - 0.25) / n, 1e-9, 1 - 1e-9) for each in (whole, shifted)
        )
        assert_allclose(logit(q) - logit(p), logit(0.9) - logit(share), atol=1e-4)

    def test_recall_is_reached_out_of_fold(self):
        model = fit(threshold=("recall", 0.9), pos_label="yes")
        assert model.threshold_.recall >= 0.9
        assert np.mean(model.predict(X)[Y == "yes"] == "yes") >= 0.9


def test_tables_without_interactions_have_no_pairs():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(250, 6))
        target = table[:, 0] + np.abs(table[:, 1]) + rng.normal(size=250) > 0.8
        assert fit(table, target, n_features="best").scorecard_.pairs == ()


def test_a_pair_without_main_effects_is_found_among_fifty_columns():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(1000, 50))).add_prefix("c")
    target = (table["c7"] > 0) ^ (table["c31"] > 0) ^ (rng.random(1000) < 0.1)
    model = fit(table, target.to_numpy(), n_features=(0, 4))
    assert ("c7", "c31") in [pair.names for pair in model.scorecard_.pairs]
    assert {"c7", "c31"} <= set(model.scorecard_.names)
    assert model.score(table, target) > 0.8
