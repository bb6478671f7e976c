"""One case: a table is fitted, and again after a change that may not matter; the same columns, and the same bits."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from cut_tables import cut
from hostile.damage import rng_of
from hostile.tables import choose
from hostile.watched import watched

import bayesieve

_WORDS = np.array(["red", "green", "blue", "a", "A", "none", "ünï", "=1+1", " ", "x,y"])

# Columns of numbers made of normal ones; each is a float64 that a float32 holds, so that containers have no say.
NUMBERS = {
    "normal": lambda rng, v: v.astype(np.float32).astype(float),
    "rounded": lambda rng, v: (v * 8).round() / 8,
    "whole": lambda rng, v: (3 * v).round(),
    "skew": lambda rng, v: np.exp(v).astype(np.float32).astype(float),
    "spike": lambda rng, v: np.where(rng.random(len(v)) < 0.4, 0.0, v.astype(np.float32)),
    "gaps": lambda rng, v: np.where(rng.random(len(v)) < 0.15, np.nan, v.astype(np.float32)),
    "bit": lambda rng, v: (v > 0.3).astype(float),
    "large": lambda rng, v: (v * 2.0**70).astype(np.float32).astype(float),
}


class Case:
    """A table, class numbers, weights, folds, and options of a fit."""

    def __init__(self, rng):
        self.n = int(rng.choice([40, 80, 150, 300]))
        self.n_classes = int(rng.choice([2, 2, 2, 3]))
        hidden = rng.normal(size=(5, self.n))
        table = {f"x{k}": choose(rng, NUMBERS)[1](rng, values) for k, values in enumerate(hidden)}
        table["word"] = _WORDS[np.clip(2 * hidden[0] + rng.normal(size=self.n) + 5, 0, 9).astype(int)]
        self.table = pd.DataFrame(table)
        score = hidden[0] + 0.6 * hidden[1] + 1.5 * (hidden[2] > 0) * (hidden[3] > 0) + rng.logistic(size=self.n) / 2
        self.y = np.searchsorted(np.quantile(score, np.arange(1, self.n_classes) / self.n_classes), score)
        self.weights = rng.integers(1, 4, self.n).astype(float) if rng.random() < 0.3 else None
        self.fold = rng.permutation(np.arange(self.n) % 4) if rng.random() < 0.3 else None
        self.order = np.arange(self.n)
        self.options = {}

    def fitted(self, make, X=None, y=None):
        """Return the model of the rows as they are, or of a given table and target."""
        options = dict(self.options)
        if self.fold is not None:
            options["cv"] = [(np.flatnonzero(self.fold != q), np.flatnonzero(self.fold == q)) for q in range(4)]
        model = make().set_params(n_jobs=1, **options)
        return model.fit(self.table if X is None else X, self.y if y is None else y, self.weights)


def _take(case, rows):
    case.table, case.y, case.order = case.table.iloc[rows], case.y[rows], case.order[rows]
    case.weights = None if case.weights is None else case.weights[rows]
    case.fold = None if case.fold is None else case.fold[rows]


def permute_rows(rng, case, make):
    """Rows in another order, with another index."""
    _take(case, rng.permutation(case.n))
    return case.fitted(make), case.table


def permute_columns(rng, case, make):
    """Columns in another order."""
    case.table = case.table[rng.permutation(case.table.columns)]
    return case.fitted(make), case.table


def rename(rng, case, make):
    """Columns under other names."""
    case.table = case.table.set_axis([f"{rng.integers(10**9)} \"'%" for _ in case.table], axis=1)
    return case.fitted(make), case.table


def scale(rng, case, make):
    """Numbers times powers of two."""
    numbers = case.table.columns[:5]
    case.table = case.table.assign(**{name: case.table[name] * 2.0 ** int(rng.integers(-40, 40)) for name in numbers})
    return case.fitted(make), case.table


def negate(rng, case, make):
    """Some numbers with the opposite sign."""
    numbers = case.table.columns[:5]
    case.table = case.table.assign(**{name: case.table[name] * rng.choice([-1.0, 1.0]) for name in numbers})
    return case.fitted(make), case.table


def name_classes(rng, case, make):
    """Classes under other names, in another order."""
    names = rng.permutation(["zebra", "ape", "Öl"])[: case.n_classes]
    model = case.fitted(make, y=names[case.y])
    return model, case.table, names.tolist()


def change_container(rng, case, make):
    """The table in another library, and numbers as float32."""
    kinds = {
        "polars": lambda frame: pl.from_pandas(frame),
        "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
        "float32": lambda frame: frame.astype({name: np.float32 for name in frame.columns[:5]}),
        "objects": lambda frame: frame.astype(object).where(frame.notna(), None),
        "categories": lambda frame: frame.astype({"word": "category"}),
        "Float64": lambda frame: frame.astype({name: "Float64" for name in frame.columns[:5]}),
    }
    table = choose(rng, kinds)[1](case.table)
    return case.fitted(make, X=table), table


def add_columns(rng, case, make):
    """A constant, an empty column and a copy of a column more."""
    copied = str(rng.choice(case.table.columns))
    case.table = case.table.assign(constant=3, empty=np.nan, copy=case.table[copied])
    return case.fitted(make), case.table


def add_weightless_rows(rng, case, make):
    """Rows of weight zero more."""
    n_more = int(rng.integers(1, 20))
    rows = np.append(np.arange(case.n), rng.integers(0, case.n, n_more))
    weights = np.ones(case.n) if case.weights is None else case.weights
    _take(case, rows)
    case.weights = np.append(weights, np.zeros(n_more))
    return case.fitted(make), case.table


def use_blocks(rng, case, make):
    """Rows in blocks."""
    ends = np.sort(rng.integers(0, case.n, int(rng.integers(1, 4)))).tolist()
    rows = cut(case.table, case.y, case.weights, ends=(0, *ends))
    return make().set_params(n_jobs=1).fit(rows, None), case.table


def use_threads(rng, case, make):
    """More threads."""
    model = make().set_params(n_jobs=3)
    return model.fit(case.table, case.y, case.weights), case.table


CHANGES = [
    permute_rows, permute_columns, rename, scale, negate, name_classes, change_container, add_columns,
    add_weightless_rows, use_blocks, use_threads,
]  # fmt: skip
_NEED_OWN_FOLDS = (use_blocks, use_threads)
_OF_SCORECARDS = (permute_rows, negate, scale, add_weightless_rows, add_columns)
"""Others have folds in the order of the rows, bins from one end, bounds of few decimal digits between the rows of a
fold, where held-out rows may be, and a penalty for each column."""

MODELS = {
    "ScorecardClassifier": lambda: bayesieve.ScorecardClassifier(),
    "ScorecardClassifier, best": lambda: bayesieve.ScorecardClassifier("best"),
    "ScorecardClassifier, neutral": lambda: bayesieve.ScorecardClassifier(missing="neutral", n_pairs=0),
    "SelectiveNaiveBayes": lambda: bayesieve.SelectiveNaiveBayes(),
    "SelectiveNaiveBayes, best bins": lambda: bayesieve.SelectiveNaiveBayes(bins="best", weights="fractional", cv=3),
    "BoostClassifier": lambda: bayesieve.BoostClassifier("confidence", cv=3),
}


def try_change(seed, change=None, name=None):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    case = Case(rng)
    name = name or (str(rng.choice(list(MODELS))) if rng.random() < 0.5 else "ScorecardClassifier")
    if name == "BoostClassifier" and case.n_classes > 2:
        name = "SelectiveNaiveBayes"
    allowed = [each for each in CHANGES if name.startswith("Scorecard") or each not in _OF_SCORECARDS]
    change = change or allowed[int(rng.integers(len(allowed)))]
    if change in _NEED_OWN_FOLDS:
        case.fold = None
    make, text = MODELS[name], f"{name}, {case.n} rows of {case.n_classes} classes: {change.__doc__}"
    with watched() as outcome:
        before = case.fitted(make)
        expected = before.predict_proba(case.table)
        model, table, *names = change(rng, case, make)
        answer = np.asarray(model.predict_proba(table))
        if names:
            answer = answer[:, [model.classes_.tolist().index(each) for each in names[0]]]
        if model.n_features_ != before.n_features_:
            outcome.problems.append(f"{model.n_features_} columns and {before.n_features_}")
            return text, outcome
        difference = np.abs(answer - expected[case.order]).max()
        if difference > 0.0:
            outcome.problems.append(f"probabilities differ by {difference:.2g}")
    return text, outcome
