"""A model with held-out predictions of a table with odd names and values, for the tests of the report."""

from copy import copy
from functools import cache

import numpy as np
import polars as pl
from pair_models import with_pairs
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from bayesieve import SelectiveNaiveBayes, check_data
from bayesieve.bins import Groups, Intervals
from bayesieve.evaluation import REFERENCE_MODELS
from bayesieve.models import PairTable
from bayesieve.report import ReportContext, predict_outer_folds, summarize

METRICS = ("error", "auc", "brier", "log_loss")
MISSING_WORDS = ("none", "None", "NA", "null", "missing", "?", "n/a", "NaN")
ODD = '</script><img src=x onerror="alert(1)">'


def compare_shortly(monkeypatch):
    """Compare with small trees: boosting and regression take half of a fit, and have tests of their own."""
    for name in REFERENCE_MODELS:
        monkeypatch.setitem(REFERENCE_MODELS, name, lambda _: make_pipeline(DecisionTreeClassifier(max_depth=2)))


def odd_table(n_rows=300, n_classes=2, n_noise=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.integers(n_classes + 1, size=n_rows), n_classes - 1)
    labels = np.array(["no", f"yes {ODD} 🦊", "may&be", "<b>"])[y]
    town = np.array(["<i>a</i>", "it's", '"b"', "🦊", ODD])
    columns = {
        f"age {ODD}": (y + rng.normal(scale=0.9, size=n_rows)).round(2),
        "town & <b>country</b>": town[(y + rng.integers(3, size=n_rows)) % 5],
        "gap": [None if rng.random() < 0.2 + 0.3 * (c == 1) else float(i % 7) for i, c in enumerate(y.tolist())],
        "row 'id'": np.arange(n_rows),
        **{f"noise {j}": rng.normal(size=n_rows).round(3) for j in range(n_noise)},
    }
    return pl.DataFrame(columns), labels


@cache
def evaluated(n_classes=2):
    X, y = odd_table(n_classes=n_classes)
    positive = f"yes {ODD} 🦊" if n_classes == 2 else None
    model = SelectiveNaiveBayes(scoring=METRICS, keep=X.columns[0]).fit(X, y)
    predictions = predict_outer_folds(model, X, y)
    context = ReportContext(
        f"target {ODD}", positive=positive, source=f"file {ODD}.csv", command=f"bayesieve fit '{ODD}'",
        findings=check_data(X, y).findings,
    )  # fmt: skip
    return model, X, predictions, context, summarize(model, X, predictions, context)


@cache
def evaluated_with_pairs(n_classes=2):
    """Return the same with two pairs: one whose columns have odd names and values, and one of columns of no table."""
    model, X, predictions, context, _ = evaluated(n_classes)
    rng, names = np.random.default_rng(0), X.columns
    age, noise = Intervals(np.array([0.0, 0.5, 1.0]), False), Intervals(np.array([0.0]), False)
    town = Groups((("<i>a</i>", "it's"), ('"b"', "🦊"), (ODD,)), False)
    gap = Intervals(np.array([1.0, 3.0]), True)
    pairs = []
    for (a, first), (b, second) in (((names[0], age), (names[1], town)), ((names[-1], noise), ("gap", gap))):
        shape = first.n_bins, second.n_bins, len(model.classes_)
        table = np.zeros((shape[0] + 1, shape[1] + 1, shape[2]), dtype=np.int64)
        table[:-1, :-1] = np.rint(rng.normal(size=shape) * 2**40)
        pairs.append(PairTable((a, b), (first, second), table, rng.integers(0, 30, shape), 5.5, 0.0125))
    paired = with_pairs(copy(model), pairs)
    return paired, X, predictions, context, summarize(paired, X, predictions, context)


def product_table(n_rows=500):
    """Return a table whose target depends on the product of two columns, one column with a copy, and noise."""
    rng = np.random.default_rng(0)
    a, b, c, noise = rng.normal(size=(4, n_rows))
    y = np.where(rng.logistic(size=n_rows) < 3 * np.sign(a * b) + c, "yes", "no")
    return pl.DataFrame({"a": a, "b": b, "c": c, "c again": c**3, "noise": noise}), y


def words_table(n_rows=600, seed=0):
    """Return a column whose categories read like missing values, with missing values, and its target."""
    rng = np.random.default_rng(seed)
    words = [*MISSING_WORDS, None, "some"]
    place = rng.integers(len(words), size=n_rows)
    y = rng.random(n_rows) < np.linspace(0.05, 0.95, len(words))[(place * 7) % len(words)]
    return pl.DataFrame({"word": [words[i] for i in place]}), y
