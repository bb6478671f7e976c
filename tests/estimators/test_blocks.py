"""Rows in blocks: the same folds, bins, path and classifier as rows in this process; or a sentence why not."""

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut, mixed_table
from draws import draws
from sklearn.base import clone

from bayesieve import (
    BoostClassifier,
    BoostSelector,
    FilterSelector,
    NaiveBayesSelector,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteSelector,
)
from bayesieve.data import open_parquet, read_table, read_target, read_weights
from bayesieve.data.blocks import parquet_frame
from bayesieve.estimators.options import FoldSplitter
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.fit import block_folds, block_rows
from bayesieve.fit.block_folds import assign_folds, number_rows
from bayesieve.fit.block_rows import BlockedRows
from bayesieve.fit.rows import MemoryRows

ESTIMATORS = {
    "folds": NaiveBayesSelector(),
    "no folds": NaiveBayesSelector(cv=0, criterion="log_loss", search="backward"),
    "a share": NaiveBayesSelector(cv=0.3, random_state=0, criterion="error", search="floating"),
    "shuffled folds": NaiveBayesSelector(cv=3, random_state=1, criterion="map", discretizer="mdlp"),
    "scoring": NaiveBayesSelector(cv=3, scoring=["brier", "auc"], one_se=True),
    "groups of columns": NaiveBayesSelector(feature_groups={"pair": ["x0", "x1"]}, keep="few", drop=["x3"]),
    "classifier": SelectiveNaiveBayes(weights="none", threshold="ber"),
    "calibrated": SelectiveNaiveBayes(weights="none", bins="best", calibration="isotonic", cv=4),
    "area": SelectiveNaiveBayes.esnb(),
    "refinement": NaiveBayesSelector(cv=0, criterion="refinement", n_features=3),
    "penalized": SelectiveNaiveBayes(),
    "penalized without folds": SelectiveNaiveBayes(cv=0, n_features=3, threshold=("recall", 0.8)),
    "fractional": SelectiveNaiveBayes(weights="fractional"),
    "boosted": BoostSelector("logit", n_features=2),
    "boosted on its rows": BoostSelector("real", n_features=3, cv=0, replace=True, scoring="auc"),
    "boosted by Newton steps on its rows": BoostSelector("logit", n_features=3, cv=0),
    "votes": VoteSelector(votes="majority", n_features=2),
    "scorecard": ScorecardClassifier(threshold=("recall", 0.8), scoring="auc"),
    "scorecard of given folds and pairs": ScorecardClassifier("best", n_pairs=[("x0", "few")], cv=3),
}


def assert_same_fit(fitted, expected, table):
    assert fitted.path_.steps == expected.path_.steps
    assert fitted.path_.order == expected.path_.order
    assert fitted.support_.tolist() == expected.support_.tolist()
    assert list(fitted.cv_results_) == list(expected.cv_results_)
    for name, values in expected.cv_results_.items():
        np.testing.assert_array_equal(fitted.cv_results_[name], values)
    assert fitted.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    if hasattr(expected, "predict_proba"):
        np.testing.assert_array_equal(fitted.predict_proba(table), expected.predict_proba(table))
    if hasattr(expected, "predict"):
        np.testing.assert_array_equal(fitted.predict(table), expected.predict(table))


# Each estimator with weights or without; both by `make nightly`.
ALTERNATELY = [(name, k % 2 == 1) for k, name in enumerate(ESTIMATORS)]
BOTH_WAYS = [(name, weighted) for name in ESTIMATORS for weighted in (False, True)]


@pytest.mark.parametrize(("name", "weighted"), draws(ALTERNATELY, BOTH_WAYS))
def test_blocks_give_the_fit_of_all_rows(name, weighted):
    table, y = mixed_table()
    weights = np.random.default_rng(1).integers(0, 3, len(y)) / 4 if weighted else None
    expected = clone(ESTIMATORS[name]).fit(table, y, weights)
    assert_same_fit(clone(ESTIMATORS[name]).fit(cut(table, y, weights), None), expected, table)


def test_blocks_of_one_class_each():
    table, y = mixed_table(200)
    order = np.argsort(y, kind="stable")
    table, y = table.iloc[order].reset_index(drop=True), y[order]
    blocks = cut(table, y, ends=(0, int((y == 0).sum())))
    expected = NaiveBayesSelector(cv=0).fit(table, y)
    assert_same_fit(NaiveBayesSelector(cv=0).fit(blocks, None), expected, table)


@pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")
def test_a_last_fold_that_cannot_be_learned_validates_no_row():
    y = np.array([0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 2])
    weights = np.array([0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1.0])  # the third fold has the only row of class 0
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 2)) + y[:, None], columns=["a", "b"])
    expected = BoostClassifier(cv=3).fit(table, y, weights)
    assert_same_fit(BoostClassifier(cv=3).fit(cut(table, y, weights, ends=(0, 5)), None), expected, table)


@pytest.mark.parametrize("seed", range(draws(24, 60)))
def test_folds_are_those_of_rows_in_this_process(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_folds = int(rng.integers(5, 60)), int(rng.integers(2, 6))
    y = rng.integers(0, int(rng.integers(2, 5)), n_rows) if seed % 3 else (rng.random(n_rows) < 0.1).astype(int)
    weights = rng.integers(0, 3, n_rows).astype(float) if seed % 2 else None
    table = pd.DataFrame({"x": rng.normal(size=n_rows)})
    blocks = cut(table, y, weights, ends=(0, *np.sort(rng.integers(0, n_rows + 1, 3)).tolist()))

    def of_rows(cv, random_state):
        units = read_weights(weights, n_rows)
        sample = MemoryRows(read_table(table), read_target(y, n_rows, units), units)
        return [sorted(fold.validation.tolist()) for fold in FoldSplitter(cv, random_state).split(sample, None)]

    def of_blocks(cv, random_state):
        rows = BlockedRows.read(blocks)
        folds, assignments = assign_folds(rows, FoldSplitter(cv, random_state), None)
        numbers = number_rows(rows.targets, assignments).reduce(lambda pair: pair[1], lambda a, b: np.append(a, b))
        return [np.flatnonzero(numbers == number).tolist() for number in folds]

    for wanted in ((n_folds, None), (n_folds, 3), (0.3, 1)):
        answers = []
        for ask in (of_rows, of_blocks):
            try:
                answers.append(ask(*wanted))
            except ValueError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]


def test_parquet_files_give_the_fit_of_all_rows(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setattr(parquet_frame, "_MIN_ROWS", 128)
    table, y = mixed_table()
    whole = polars.from_pandas(table.assign(y=y))
    whole[:250].write_parquet(tmp_path / "a.parquet")
    whole[250:].write_parquet(tmp_path / "b.parquet")
    frame = open_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"], memory="1MiB", n_jobs=2)
    assert len(frame.readers(200)) == 5
    for estimator in (NaiveBayesSelector(), SelectiveNaiveBayes(cv=0), SelectiveNaiveBayes(), ScorecardClassifier()):
        expected = clone(estimator).fit(table, y)
        assert_same_fit(clone(estimator).fit(frame.drop("y"), frame["y"]), expected, table)


def test_weights_of_a_sample_of_the_rows_are_near_those_of_all(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    table, y = mixed_table(4000)
    polars.from_pandas(table.assign(y=y)).write_parquet(tmp_path / "a.parquet")
    frame = open_parquet(tmp_path / "a.parquet")
    whole = SelectiveNaiveBayes(cv=0).fit(table, y)
    monkeypatch.setattr(block_rows, "_MOST_SAMPLED", 2000)
    part = SelectiveNaiveBayes(cv=0).fit(frame.drop("y"), frame["y"])
    assert set(part.feature_weights_) == set(whole.feature_weights_)
    assert 0 < np.abs(part.weights_ - whole.weights_).max() < 0.25


def test_a_scorecard_of_three_classes():
    table, y = mixed_table()
    y = y + (table["x0"].to_numpy() > 1.0) * (1 - y) * 2
    expected = ScorecardClassifier().fit(table, y)
    assert_same_fit(ScorecardClassifier().fit(cut(table, y), None), expected, table)


def test_a_scorecard_of_a_sample_is_near_that_of_all_rows(monkeypatch):
    table, y = mixed_table(4000)
    whole = ScorecardClassifier(n_pairs=0).fit(table, y)
    monkeypatch.setattr(block_folds, "_MOST_ROWS", 2000)
    part = ScorecardClassifier(n_pairs=0).fit(cut(table, y), None)
    difference = np.abs(part.predict_proba(table) - whole.predict_proba(table))
    assert 0 < difference.mean() < 0.03
    assert [each.counts.sum() for each in part.scorecard_.tables] == [4000.0] * part.n_features_  # of all rows


@pytest.mark.parametrize("seed", range(draws(16, 40)))
def test_every_class_has_its_share_of_a_sample(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(block_folds, "_MOST_ROWS", int(rng.integers(20, 90)))
    sizes = rng.integers(0, int(rng.choice([3, 30, 400])), (int(rng.integers(1, 5)), int(rng.integers(2, 5))))
    sizes[0] += 1
    y = [np.repeat(np.arange(sizes.shape[1]), each) for each in sizes]
    y = [rng.permutation(each) for each in y]
    weights = [np.maximum(rng.integers(0, 2, len(each)), seed % 2) for each in y]
    table = pd.DataFrame({"x": np.arange(sum(map(len, y)))})
    sizes = np.array([np.bincount(c[w > 0], minlength=sizes.shape[1]) for c, w in zip(y, weights, strict=True)])
    steps = block_folds.sample_steps(sizes.sum(axis=0), 1)
    ends = (0, *np.cumsum([len(each) for each in y])[:-1].tolist())
    blocks = cut(table, np.concatenate(y), np.concatenate(weights).astype(float), ends=ends)
    if not sizes.sum() or (sizes.sum(axis=0) > 0).sum() < len(steps):
        return
    rows = BlockedRows.read(blocks)
    numbered = number_rows(rows.rows, block_folds.sample_rows(sizes, steps))
    kept = np.concatenate([numbers for _, numbers in numbered.reduce(lambda block: [block], lambda a, b: a + b)])
    target, units = np.concatenate(y), np.concatenate(weights)
    total = sizes.sum(axis=0)
    assert kept[units == 0].sum() == 0
    assert (np.bincount(target[kept > 0], minlength=len(steps)) == -(-total // steps)).all()
    assert kept.sum() <= block_folds._MOST_ROWS
    assert ((-(-total // steps) >= block_folds._MOST_ROWS // (4 * len(steps))) | (steps == 1)).all()
    assert (steps % steps.min() == 0).all()


def _numbers_and_labels(table):
    changed = table.copy().astype({"few": object})
    changed.loc[300:, "few"] = "many"
    return changed


def test_other_types_in_other_blocks_are_refused_by_name():
    table, y = mixed_table()
    blocks = cut(table, y)
    rows = blocks.rows._blocks
    rows[-1] = type(rows[-1])(_numbers_and_labels(table)[400:], rows[-1].y)
    with pytest.raises(DataError, match="Column 'few' holds different kinds of values"):
        NaiveBayesSelector().fit(blocks, None)
    rows[-1] = type(rows[-1])(table[400:].rename(columns={"x2": "other"}), rows[-1].y)
    with pytest.raises(DataError, match=r"Blocks of rows have different columns: '(x2|other)'"):
        NaiveBayesSelector().fit(blocks, None)


def test_labels_that_only_some_blocks_have_are_known():
    table, y = mixed_table()
    table.loc[500:, "label"] = "late"
    table.loc[:129, "label"] = None  # one block has none at all
    expected = NaiveBayesSelector().fit(table, y)
    assert_same_fit(NaiveBayesSelector().fit(cut(table, y), None), expected, table)


def test_what_blocks_cannot_do_is_refused():
    table, y = mixed_table(200)
    blocks = cut(table, y, ends=(0, 100))
    for estimator, message in (
        (NaiveBayesSelector(search="fast-forward-backward"), "makes one move at a time"),
        (SelectiveNaiveBayes(weights="averaged"), "makes one move at a time"),
        (NaiveBayesSelector(criterion="benefit", benefit_matrix=[[0, 0], [-1, 1]]), "needs a table in memory"),
        (ScorecardClassifier(cv=3, random_state=1), "draws its own folds"),
    ):
        with pytest.raises(ParameterError, match=message):
            estimator.fit(blocks, None)
    with pytest.raises(ParameterError, match="groups need a table in memory"):
        NaiveBayesSelector().fit(blocks, None, groups=np.arange(200))
    with pytest.raises(ParameterError, match="X_val needs a table in memory"):
        NaiveBayesSelector().fit(blocks, None, X_val=table, y_val=y)
    with pytest.raises(DataError, match="one class only"):
        NaiveBayesSelector().fit(cut(table, np.zeros(200, dtype=int), ends=(0, 100)), None)
    with pytest.raises((DataError, TypeError)):
        FilterSelector().fit(blocks, None)
