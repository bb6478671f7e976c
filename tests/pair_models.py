"""Fitted classifiers with hand-made tables of pairs, for the tests of all that reads them."""

from dataclasses import replace

import numpy as np
import pandas as pd

from bayesieve import SelectiveNaiveBayes
from bayesieve.bins import Groups, Intervals
from bayesieve.models import PairTable

ONE = 2**40  # one nat


def make_rows(n_rows=240, n_classes=2, seed=0):
    """Return a table with numbers, missing numbers and labels, and a target that depends on pairs of columns."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": random.integers(18, 80, n_rows).astype(float),
            "income": random.normal(50, 15, n_rows).round(1),
            "region": random.choice(["north", "south", "east", "west"], n_rows, p=[0.35, 0.3, 0.27, 0.08]),
            "noise": random.normal(size=n_rows).round(2),
        }
    )
    X.loc[random.random(n_rows) < 0.1, "income"] = np.nan
    score = (X["age"] > 45) * 1.5 + (X["region"] == "south") * (X["age"] > 45) + random.normal(size=n_rows) * 0.7
    y = pd.qcut(score, n_classes, labels=False).to_numpy()
    return X, np.array(["no", "yes"])[y] if n_classes == 2 else y


def make_pair(X, y, names=("age", "region"), seed=1):
    """Return a table of random scores in which each cell counts its rows; missing income has a bin of its own."""
    bins = {
        "age": Intervals(np.array([30.0, 45.0, 60.0]), missing=False),
        "income": Intervals(np.array([40.0, 55.0]), missing=True),
        "region": Groups((("north", "east"), ("south",)), missing=False),
        "noise": Intervals(np.array([0.0]), missing=False, joined=0),
    }
    partitions = bins[names[0]], bins[names[1]]
    classes = np.unique(y)
    shape = (partitions[0].n_bins, partitions[1].n_bins, len(classes))
    first, second = (plain_codes(X[name], each) for name, each in zip(names, partitions, strict=True))
    counts = np.zeros((shape[0] + 1, shape[1] + 1, shape[2]), dtype=np.int64)
    np.add.at(counts, (first, second, np.searchsorted(classes, y)), 1)
    table = np.zeros_like(counts)
    table[:-1, :-1] = np.rint(np.random.default_rng(seed).normal(size=shape) * ONE)
    return PairTable(tuple(names), partitions, table, counts[:-1, :-1], log_bayes_factor=12.5, gain=0.0125)


def plain_codes(values, partition):
    """Return the bins of values one by one; the oracle of the partition's own method."""
    codes = []
    for value in values:
        missing = pd.isna(value)
        if missing and partition.missing:
            code = partition.n_bins - 1
        elif missing:
            code = partition.n_bins if partition.joined is None else partition.joined
        elif isinstance(partition, Intervals):
            code = sum(value > bound for bound in partition.bounds)
        else:
            code = next((g for g, group in enumerate(partition.groups) if value in group), partition.n_bins)
        codes.append(code)
    return np.array(codes)


def with_pairs(model, pairs):
    """Return a fitted classifier, each of whose candidates has these pairs."""
    candidates = {columns: replace(each, pairs=tuple(pairs)) for columns, each in model.selection_.candidates.items()}
    model.selection_ = replace(model.selection_, candidates=candidates)
    return model.select(len(model.path_.order))


def make_model(n_classes=2, names=(("age", "region"), ("noise", "income")), **parameters):
    """Return a table, a target, the classifier without pairs, and a copy with the named ones."""
    X, y = make_rows(n_classes=n_classes)
    plain = SelectiveNaiveBayes(**parameters).fit(X, y)
    pairs = [make_pair(X, y, each, seed) for seed, each in enumerate(names, 1)]
    fitted = SelectiveNaiveBayes(**parameters).fit(X, y)
    return X, y, plain, with_pairs(fitted, pairs)


def pair_scores(X, pairs, n_classes):
    """Return what pairs add to the scores, shape (n_classes, n_rows), by plain loops."""
    scores = np.zeros((n_classes, len(X)), dtype=np.int64)
    for pair in pairs:
        first, second = (plain_codes(X[name], each) for name, each in zip(pair.names, pair.partitions, strict=True))
        for i, (a, b) in enumerate(zip(first, second, strict=True)):
            scores[:, i] += pair.table[a, b]
    return scores
