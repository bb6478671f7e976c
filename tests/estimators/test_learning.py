"""What a fold learns in the one pass over the columns is what a table of its rows alone would teach."""

import numpy as np
import pandas as pd
import pytest
from cases import summarize
from draws import draws, meetings
from scipy.sparse import csc_array
from sklearn.preprocessing import KBinsDiscretizer

from bayesieve.bins import MODL, DistinctValues, Edited, EqualFrequency, EqualWidth, FinestBins
from bayesieve.data import Target, read_table, read_weights
from bayesieve.estimators.discretizer import TransformerRule
from bayesieve.fit.learning import ColumnStatus, LearningOptions
from bayesieve.fit.memory_learning import Fold, learn
from bayesieve.fit.rows import MemoryRows
from bayesieve.models import AveragedBins, NaiveBayes

RULES = {
    "frequency": EqualFrequency(4),
    "width": EqualWidth(4),
    "values": DistinctValues(),
    "modl": MODL(),
    "edited": Edited(EqualFrequency(3), {"label": [["x", "y"], ["z", "rare"]]}, {"whole": (2.0, 5.0)}),
    "transformer": TransformerRule(KBinsDiscretizer(2, encode="ordinal", strategy="uniform")),
}
MODEL = NaiveBayes("auto")


def frame_of(rng, n_rows):
    """Return columns of every kind; a fold does not see all their values."""
    frame = pd.DataFrame(
        {
            "whole": rng.integers(0, 6, n_rows),
            "real": rng.normal(size=n_rows).round(2),
            "gaps": np.where(rng.random(n_rows) < 0.3, np.nan, rng.normal(size=n_rows)),
            "label": rng.choice(["x", "y", "z", "rare"], n_rows, p=[0.5, 0.3, 0.15, 0.05]),
            "id": [f"row {i}" for i in range(n_rows)],
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "label"] = None
    return frame


def sample_of(rng, n_rows, weights):
    frame = frame_of(rng, n_rows)
    classes = np.where(rng.random(n_rows) < 0.5, frame["whole"] > 2, frame["label"] == "x")
    target = Target(np.array([0, 1]), classes.astype(np.int32))
    given = rng.integers(0, 4, n_rows) + np.eye(1, n_rows, dtype=int)[0] if weights else None
    return frame, MemoryRows(read_table(frame), target, read_weights(given, n_rows))


def alone(frame, sample, rows, rule):
    """Return partitions and counts of some rows, as if there were no others."""
    rule = rule.for_table(frame.shape[1])
    units, target = sample.weights.units[rows], sample.target.codes[rows]
    partitions, counts = [], []
    for column in read_table(frame.iloc[rows].reset_index(drop=True)):
        partition = rule.learn(summarize(column, units, target))
        count = np.zeros((partition.n_bins + 1, 2), dtype=np.int64)
        for code, c, unit in zip(partition.bins_of(column)[column.ids], target, units, strict=True):
            count[code, c] += unit
        partitions.append(partition)
        counts.append(count)
    return partitions, counts


def words(partition):
    return [partition.describe(code) for code in range(partition.n_bins + 1)]


def check(result, frame, sample, rule, fitting, scored):
    """Compare with what is learned from the training rows alone; ``scored`` are a frame, a target and units."""
    partitions, counts = alone(frame, sample, fitting, rule)
    scored_frame, target, units = scored
    order = np.argsort(target, kind="stable")  # the engine wants rows in the order of the classes
    assert [words(p) for p in result.partitions] == [words(p) for p in partitions]
    codes = result.rows.codes
    assert codes.n_bins.tolist() == [p.n_bins for p in partitions]
    for j, column in enumerate(read_table(scored_frame)):
        np.testing.assert_array_equal(codes.column(j), partitions[j].bins_of(column)[column.ids][order])
    mass = np.zeros(2, dtype=np.int64)
    np.add.at(mass, sample.target.codes[fitting], sample.weights.units[fitting])
    tables = MODEL.learn(np.concatenate(counts), codes.offsets, mass, sample.weights.unit)
    for part in ("start", "entries", "offsets"):
        np.testing.assert_array_equal(getattr(result.tables, part), getattr(tables, part))
    assert result.rows.tables is result.tables
    np.testing.assert_array_equal(result.rows.target, target[order])
    np.testing.assert_array_equal(result.rows.weights, units[order])


@pytest.mark.parametrize(("name", "weights"), meetings(RULES, [False, True]))
def test_folds(name, weights):
    rng = np.random.default_rng(len(name))
    for n_rows, n_more in ((40, 20), (draws(80, 400), 1)):  # many folds are more than a pass
        frame, sample = sample_of(rng, n_rows, weights)
        everything, shuffled = np.arange(n_rows), rng.permutation(n_rows)
        halves = [np.sort(shuffled[: n_rows // 2]), np.sort(shuffled[n_rows // 2 :])]
        folds = [
            Fold(everything, everything),
            Fold(halves[0], halves[1]),
            Fold(halves[1], halves[0]),
            Fold(everything, everything[::7]),
            Fold(shuffled, halves[0]),
            *(Fold(np.delete(everything, np.s_[k::20]), everything[k::20]) for k in range(n_more)),
            Fold(np.r_[everything, halves[0]], halves[1]),  # some rows twice, as a bootstrap has them
            Fold(np.r_[halves[0], halves[0]], halves[1]),
            Fold(halves[0], everything),
        ]
        lessons = learn(sample, folds, LearningOptions(RULES[name], MODEL, required=range(6), n_threads=2))
        learned = list(zip(folds, lessons.folds, strict=True))
        for fold, result in learned[draws(int(weights), 0) :: draws(2, 1)]:  # every second, the others with weights
            rows = fold.validation
            scored = (frame.iloc[rows].reset_index(drop=True), sample.target.codes[rows], sample.weights.units[rows])
            check(result, frame, sample, RULES[name], fold.training, scored)


@pytest.mark.parametrize("name", RULES)
def test_another_table_is_scored(name):
    rng = np.random.default_rng(7)
    frame, sample = sample_of(rng, 60, weights=True)
    new_frame, other = sample_of(rng, 30, weights=False)
    new_frame["label"] = ["new", *new_frame["label"][1:]]
    other = MemoryRows(read_table(new_frame), other.target, other.weights)
    rows = np.arange(60)
    (result,) = learn(sample, [Fold(rows, other)], LearningOptions(RULES[name], MODEL, required=range(6))).folds
    check(result, frame, sample, RULES[name], rows, (new_frame, other.target.codes, other.weights.units))
    if name != "modl":  # where a pool may take what is new
        assert (result.rows.codes.column(3) == result.partitions[3].n_bins).any()


def test_only_informative_columns_are_coded():
    rng = np.random.default_rng(9)
    _, sample = sample_of(rng, 400, weights=False)
    rows = np.arange(400)
    lessons = learn(sample, [Fold(rows, rows)], LearningOptions(MODL(), MODEL))
    coded = set(lessons.columns.tolist())
    assert {0, 3} <= coded < set(range(6))
    assert lessons.folds[0].rows.codes.n_columns == len(coded)
    assert {j for j, status in enumerate(lessons.statuses) if status == ColumnStatus.uninformative} == set(
        range(6)
    ) - coded


def test_a_column_is_read_once_however_many_folds():
    rng = np.random.default_rng(8)
    _, sample = sample_of(rng, 20, weights=False)
    read = []
    table = sample.table

    def get(places):
        read.extend(places)
        return table.read(places)

    watched = MemoryRows(type(table)(table.names, table.n_rows, get), sample.target, sample.weights)
    rows = np.arange(20)
    learn(watched, [Fold(rows[k::2], rows[1 - k :: 2]) for k in (0, 1)], LearningOptions(DistinctValues(), MODEL))
    assert read == list(range(table.n_columns))


@pytest.mark.parametrize("wanted", [(), (1, 4)])
def test_columns_that_hardly_vary_are_passed_over_unless_wanted(wanted):
    """A constant, what sets three rows apart, what is unrelated to the class, the class, and three rows again."""
    rows = np.arange(400)
    y, three = rows % 2, rows < 3
    X = np.column_stack([np.zeros(400), three, rows // 2 % 2, y, three]).astype(float)
    halves = [np.flatnonzero(rows < 200), np.flatnonzero(rows >= 200)]
    folds = [Fold(*halves), Fold(*halves[::-1]), Fold(rows, rows)]
    for table in (X, csc_array(X)):
        sample = MemoryRows(read_table(table), Target(np.array([0, 1]), y.astype(np.int32)), read_weights(None, 400))
        lessons = learn(sample, folds, LearningOptions(FinestBins(), AveragedBins(), required=wanted))
        thin = ColumnStatus.coded if wanted else ColumnStatus.uninformative
        assert lessons.statuses.tolist() == [
            ColumnStatus.constant,
            thin,
            ColumnStatus.uninformative,
            ColumnStatus.coded,
            thin,
        ]
        assert [len(fold.partitions) for fold in lessons.folds] == [1 + len(wanted)] * 3
        assert lessons.log_bayes_factors[3] > 100
        assert np.isneginf(lessons.log_bayes_factors[0])
        assert lessons.columns.tolist() == sorted({3, *wanted})
        for fold in lessons.folds:
            place = lessons.columns.tolist().index(3)
            assert fold.counts[place][:2].sum() == fold.counts[place][[0, 1], [0, 1]].sum()
