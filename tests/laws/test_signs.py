"""The sign of a column does not matter: bins, pairs, folds and sums are counted from both ends."""

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut
from draws import draws
from numpy.testing import assert_array_equal

from bayesieve import ScorecardClassifier
from bayesieve.bins.equal_bins import EqualFrequency, EqualWidth
from bayesieve.bins.finest_bins import slot_cuts, slot_cuts_numpy
from bayesieve.bins.summary import Summary

pytestmark = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")


def signed_table(rng, n_rows, n_classes):
    """Return numbers of many kinds, of which two interact, class numbers, and a sign per column."""
    x = rng.normal(size=(n_rows, 6))
    shapes = [
        lambda v: v,
        lambda v: v.round(1),
        np.exp,
        lambda v: (2 * v).round(),
        lambda v: np.where(rng.random(n_rows) < 0.15, np.nan, v),
        lambda v: np.where(rng.random(n_rows) < 0.3, 0.0, v),
    ]
    table = pd.DataFrame({f"x{k}": shapes[k](x[:, k]) for k in rng.permutation(6)})
    score = x[:, 0] + 0.7 * x[:, 1] + 2.5 * (x[:, 2] > 0) * (x[:, 3] > 0) - 0.6
    y = np.digitize(score + rng.logistic(size=n_rows), [0.0, 1.5][: n_classes - 1])
    y[:n_classes] = np.arange(n_classes)
    signs = np.where(rng.random(6) < 0.5, -1.0, 1.0)
    signs[rng.integers(6)] = -1.0
    return table, y, signs


def terms_of(model):
    return model.scorecard_.names, {frozenset(pair.names) for pair in model.scorecard_.pairs}


@pytest.mark.parametrize("folds", ["drawn", "given"])
@pytest.mark.parametrize("seed", range(draws(6, 100)))
def test_signs_change_no_bit_of_a_scorecard(seed, folds):
    rng = np.random.default_rng([seed, folds == "given"])
    n_rows, n_classes = int(rng.choice([61, 90, 250, 600])), int(rng.choice([2, 2, 3]))
    table, y, signs = signed_table(rng, n_rows, n_classes)
    fold = rng.integers(0, 4, n_rows)
    cv = 4 if folds == "drawn" else [(np.flatnonzero(fold != q), np.flatnonzero(fold == q)) for q in range(4)]
    weights = rng.integers(1, 4, n_rows) if seed % 2 else None
    model, other = (ScorecardClassifier(cv=cv, n_jobs=1).fit(each, y, weights) for each in (table, table * signs))
    assert terms_of(model) == terms_of(other)
    assert_array_equal(model.predict_proba(table), other.predict_proba(table * signs))
    assert_array_equal(model.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])


def test_a_given_pair_has_its_table_in_the_order_of_its_values():
    table, y, _ = signed_table(np.random.default_rng(1), 400, 2)
    signs = np.where(table.columns.isin(["x2", "x4"]), -1.0, 1.0)
    options = {"n_features": "best", "n_pairs": [("x2", "x4"), ("x2", "x3")], "n_jobs": 1}
    model, other = (ScorecardClassifier(**options).fit(each, y) for each in (table, table * signs))
    assert_array_equal(model.predict_proba(table), other.predict_proba(table * signs))
    assert len(model.scorecard_.pairs) == 2
    for pair in (pair for each in (model, other) for pair in each.scorecard_.pairs):
        assert all((np.diff(partition.bounds) > 0).all() for partition in pair.partitions)


def test_signs_change_no_bit_in_blocks_and_with_directions():
    table, y, signs = signed_table(np.random.default_rng(5), 300, 2)
    falls = dict(zip(table.columns, signs < 0, strict=True))
    answers = []
    for flipped in (False, True):
        own = table * signs if flipped else table
        columns = {
            name: {"monotone": "decreasing" if flipped and falls[name] else "increasing"} for name in ("x0", "x1")
        }
        for rows in ((own, y), (cut(own, y, ends=(0, 100, 101)), None)):
            answers.append(ScorecardClassifier(columns=columns, n_jobs=1).fit(*rows).predict_proba(own))
    for other in answers[1:]:
        assert_array_equal(other, answers[0])


def test_a_column_with_the_opposite_values_is_a_copy():
    table, y, _ = signed_table(np.random.default_rng(2), 200, 2)
    model = ScorecardClassifier(n_jobs=1).fit(table.assign(opposite=-table["x0"]), y)
    assert "opposite" not in model.scorecard_.names
    assert_array_equal(
        model.predict_proba(table.assign(opposite=-table["x0"])),
        ScorecardClassifier(n_jobs=1).fit(table, y).predict_proba(table),
    )


def test_cuts_of_masses_in_the_opposite_order_are_opposite():
    for seed in range(draws(200, 5000)):
        rng = np.random.default_rng(seed)
        mass = rng.integers(1, rng.choice([2, 4, 50]), int(rng.integers(2, 200)))
        mass = np.where(rng.random(len(mass)) < rng.choice([0, 0.05]), 100 * mass, mass)
        n_slots = int(rng.integers(1, 40))
        for cuts in (slot_cuts, slot_cuts_numpy):
            mirrored = len(mass) - cuts(mass[::-1].copy(), n_slots)[::-1]
            assert_array_equal(cuts(mass, n_slots), mirrored, err_msg=f"seed {seed}")


@pytest.mark.parametrize("rule", [EqualFrequency, EqualWidth])
def test_equal_bins_of_opposite_values_are_opposite(rule):
    """Only a value in the very middle of an even number of bins has to be on one side."""
    for seed in range(draws(200, 5000)):
        rng = np.random.default_rng(seed)
        values = np.unique(rng.normal(size=60).round(1) if seed % 2 else rng.integers(-9, 30, 30).astype(float))
        mass = rng.integers(1, 5, len(values))
        n_bins = int(rng.choice([3, 5, 7, 9]))
        counts = np.append(mass, 0)[:, None]
        bins = rule(n_bins).learn(Summary("a", values, counts, 1.0))
        other = rule(n_bins).learn(Summary("a", -values[::-1], np.append(mass[::-1], 0)[:, None], 1.0))
        codes, mirrored = bins.code_numbers(values), other.code_numbers(-values)
        assert_array_equal(codes, bins.n_bins - 1 - mirrored, err_msg=f"seed {seed}")
