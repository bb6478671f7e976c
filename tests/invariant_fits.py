"""What an answer may not depend on: tables of several kinds, each public estimator, and its answer as plain arrays."""

from copy import copy

import numpy as np
import pandas as pd

import bayesieve

LABELS = np.array(["red", "green", "blue", "grey", "pink"])


def random_table(rng, n_classes, weights, *, with_ties=True):
    """Return columns of several kinds in a random order, and class numbers; classes may have equal numbers of rows.

    There are numbers, whole numbers, numbers with gaps, few and many labels, two columns that interact, and noise.
    Without ties, no two of the many labels have the same weight of rows of each class.
    """
    n_rows = len(weights)
    a, b = rng.normal(size=(2, n_rows))
    y = np.where(rng.random(n_rows) < 0.7, (a * b > 0) + (n_classes > 2) * (a > 0), rng.integers(0, n_classes, n_rows))
    if rng.random() < 0.5:  # equal numbers of rows
        y = np.argsort(np.argsort(y + 0.5 * rng.random(n_rows), kind="stable")) * n_classes // n_rows
    elif n_classes == 2:
        y = y * (rng.random(n_rows) < 0.6)
    y[:n_classes] = np.arange(n_classes)
    x = rng.normal(size=(4, n_rows)) + y * rng.choice([0, 0.5, 1.0], (4, 1))
    x[2, rng.random(n_rows) < 0.15] = np.nan
    table = pd.DataFrame({"a": a, "b": b, "size": x[0], "count": x[1].round(), "gaps": x[2]})
    table["color"] = LABELS[np.clip(x[3] + 2, 0, 4).astype(int)]
    table["town"] = np.array(["west", "east", "south", "north"])[np.clip(y + rng.integers(0, 3, n_rows), 0, 3)]
    street = rng.integers(0, int(rng.integers(10, 55)), n_rows)
    table["street"] = [f"s{k}" for k in (street if with_ties else _without_ties(street, y, weights))]
    table["noise"] = rng.normal(size=n_rows)
    return table[rng.permutation(table.columns)].astype({"color": object, "town": object, "street": object}), y


def _without_ties(labels, y, weights):
    """Return labels of which those with the same weight of rows in each class are one."""
    while True:
        counts = np.zeros((labels.max() + 1, y.max() + 1))
        np.add.at(counts, (labels, y), weights)
        distinct, merged = np.unique(counts, axis=0, return_inverse=True)
        if len(distinct) == len(counts):
            return labels
        labels = merged.ravel()[labels]


# Each line: a name, a function of the positive class that returns an estimator, and whether it is for two classes only.
RISING = {"a": bayesieve.Column(monotone="increasing")}
ESTIMATORS = {
    "ScorecardClassifier": (lambda p: bayesieve.ScorecardClassifier(n_jobs=1, pos_label=p), False),
    "ScorecardClassifier, best": (
        lambda p: bayesieve.ScorecardClassifier("best", columns=RISING, n_jobs=1, pos_label=p),
        True,
    ),
    "SelectiveNaiveBayes": (lambda p: bayesieve.SelectiveNaiveBayes(n_jobs=1, pos_label=p), False),
    "SelectiveNaiveBayes, best bins": (
        lambda p: bayesieve.SelectiveNaiveBayes(
            bins="best", weights="fractional", calibration="isotonic", cv=3, n_jobs=1, pos_label=p
        ),
        False,
    ),
    "SelectiveNaiveBayes, beta": (
        lambda p: bayesieve.SelectiveNaiveBayes(weights="averaged", calibration="beta", n_jobs=1, pos_label=p),
        False,
    ),
    "NaiveBayesSelector": (lambda p: bayesieve.NaiveBayesSelector(n_jobs=1), False),
    "NaiveBayesSelector, auc": (
        lambda p: bayesieve.NaiveBayesSelector(search="floating", criterion="auc", cv=3, n_jobs=1),
        False,
    ),
    "NaiveBayesSelector, share": (lambda p: bayesieve.NaiveBayesSelector(criterion="brier", cv=0.3, n_jobs=1), False),
    "FilterSelector, mutual_info": (lambda p: bayesieve.FilterSelector("mutual_info", n_jobs=1), False),
    "FilterSelector, relieff": (lambda p: bayesieve.FilterSelector("relieff", n_features=3, n_jobs=1), False),
    "FilterSelector, jmi": (lambda p: bayesieve.FilterSelector("jmi", n_jobs=1), False),
    "FilterSelector, cfs": (lambda p: bayesieve.FilterSelector("cfs", n_jobs=1), False),
    "MODLDiscretizer": (lambda p: bayesieve.MODLDiscretizer(n_jobs=1), False),
    "VoteClassifier": (lambda p: bayesieve.VoteClassifier("majority", n_features=2, n_jobs=1, pos_label=p), True),
    "VoteSelector": (lambda p: bayesieve.VoteSelector("any", n_features=2, n_jobs=1, pos_label=p), True),
    **{
        f"BoostClassifier, {method}": (
            lambda p, method=method: bayesieve.BoostClassifier(method=method, n_jobs=1, pos_label=p),
            True,
        )
        for method in ("confidence", "real", "logit", "brier")
    },
    "BoostSelector": (lambda p: bayesieve.BoostSelector(n_jobs=1), True),
    "BenefitClassifier": (
        lambda p: bayesieve.BenefitClassifier(bayesieve.SelectiveNaiveBayes(n_jobs=1), cost=1.0, pos_label=p),
        True,
    ),
    "BenefitClassifier, bins": (
        lambda p: bayesieve.BenefitClassifier(bayesieve.SelectiveNaiveBayes(n_jobs=1), "bins", cost=1.0, pos_label=p),
        True,
    ),
    "WrapperSelector": (
        lambda p: bayesieve.WrapperSelector(
            bayesieve.SelectiveNaiveBayes(cv=0, n_jobs=1), n_features=2, cv=2, scoring="neg_log_loss"
        ),
        False,
    ),
}


IN_BLOCKS = ["ScorecardClassifier", "SelectiveNaiveBayes", "NaiveBayesSelector"]


def fitted(name, table, labels, weights, positive, before=None):
    """Return an estimator, fitted to a table; ``before`` is what its columns were called."""
    model = ESTIMATORS[name][0](positive)
    if before is not None and "columns" in model.get_params() and model.columns is not None:
        called = {was: now for now, was in before.items()}
        model.set_params(columns={called[was]: column for was, column in model.columns.items()})
    metadata = {"amounts": np.arange(len(labels)) % 7 + 1.0} if name.startswith("BenefitClassifier") else {}
    return model.fit(table, labels, weights, **metadata)


def columns_of(model, before):
    """Return the selected columns and pairs by what they were called, or the number of bins of each."""
    model = getattr(model, "estimator_", model)
    if isinstance(model, bayesieve.MODLDiscretizer):
        return {before[name]: partition.n_bins for name, partition in model.partitions_.items()}
    pairs = {frozenset(before[name] for name in pair) for pair in getattr(model, "pairs_", ())}
    return {before[name] for name in model.get_feature_names_out()}, pairs


def answer_of(model, table, labels, before):
    """Return what a model finds in rows: probabilities in the order of ``labels`` and intervals, scores, or bins."""
    if isinstance(model, bayesieve.MODLDiscretizer):
        bins = dict(zip(map(before.get, table.columns), model.transform(table).T, strict=True))
        return np.array([_by_first_row(bins[name]) for name in sorted(bins)])
    if isinstance(model, bayesieve.FilterSelector):
        scores = dict(zip(map(before.get, table.columns), model.scores_, strict=True))
        return np.array([scores[name] for name in sorted(scores)])
    if not hasattr(model, "predict_proba"):
        return np.array([visit.score for visit in model.path_.visits()])
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    order = [place[label] for label in labels]
    probabilities = model.predict_proba(table)[:, order]
    if isinstance(model, bayesieve.BenefitClassifier):
        return np.column_stack([probabilities, np.sort(model.expected_benefit(table), axis=1)])
    return np.hstack([probabilities, _intervals(model, table, labels, order)])


def _intervals(model, table, labels, order):
    """Return intervals of the probabilities, if the model has them."""
    if not hasattr(model, "predict_interval"):
        return np.empty((len(table), 0))
    if len(labels) == 2:
        return copy(model).set_params(pos_label=labels[1]).predict_interval(table)
    return model.predict_interval(table)[:, order].reshape(len(table), -1)


def _by_first_row(codes):
    """Return codes that are numbered by the first row that has each."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
