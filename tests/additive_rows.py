"""Random rows for the tests of scorecards, and the losses that these have."""

from dataclasses import replace

import numpy as np
import pytest

from bayesieve.additive.loss import loss_of_classes
from bayesieve.additive.priors import column_basis
from bayesieve.additive.rows import AdditiveRows, PairRows

ONE = 2.0**40  # scores are multiples of its inverse

every_loss = pytest.mark.parametrize("loss", ["logistic", "softmax"])


def class_number(loss, seed):
    """Return two classes, or three to ten."""
    return 2 if loss == "logistic" else 3 + seed % 8


def in_units(scores):
    """Return scores rounded to multiples of 2^-40."""
    return np.rint(scores * ONE) / ONE


def with_classes(rows, seed, n_classes):
    """Return the same rows of other classes, of which some may be missing in a fold."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, n_classes, rows.n_rows).astype(np.float64)
    leads = rng.integers(0, n_classes, rows.n_columns)
    return replace(rows, target=target, loss=loss_of_classes(n_classes), leads=leads)


def random_rows(seed, n_rows=None, loss="logistic"):
    """Return rows with few and many bins, some empty in a fold, missing and neutral values, weights and trends."""
    rows = _rows_of_two_classes(seed, n_rows)
    return rows if loss == "logistic" else with_classes(rows, seed, class_number(loss, seed))


def _rows_of_two_classes(seed, n_rows):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(8, 90)) if n_rows is None else n_rows
    target = rng.integers(0, 2, n_rows).astype(np.float64)
    n_folds = int(rng.integers(2, 5))
    fold_ends = np.sort(rng.choice(np.arange(2, n_rows - 1), n_folds - 1, replace=False))
    target[:2], target[-2:] = (0.0, 1.0), (1.0, 0.0)  # both classes outside every fold
    codes, bases, missing, monotone = [], [], [], []
    for _ in range(int(rng.integers(1, 5))):
        nominal, has_missing = bool(rng.integers(2)), bool(rng.integers(2))
        n_bins = int(rng.choice([2, 3, 5, 64, 300] if nominal else [2, 3, 5, 40])) + has_missing
        own = rng.integers(0, n_bins, n_rows)
        if rng.integers(2):  # a column that knows something
            own = np.where(rng.random(n_rows) < 0.6, target.astype(np.intp), own)
        mass = np.bincount(own, minlength=n_bins) + 1.0
        values = None if nominal else (np.sort(rng.normal(size=n_bins - has_missing)), (-1.0, 1.5))
        codes.append(own.astype(np.uint16))
        bases.append(column_basis(mass, values, has_missing=has_missing))
        missing.append(has_missing)
        monotone.append(0 if nominal else int(rng.integers(-1, 2)))
    kind = rng.integers(3)
    weights = [np.ones(n_rows), rng.integers(1, 5, n_rows) * 1.0, rng.gamma(1.0, 1000.0, n_rows) + 1e-3][kind]
    return AdditiveRows(
        codes,
        bases,
        np.array(missing),
        np.array(monotone, dtype=np.int8),
        target,
        weights,
        np.append(fold_ends, n_rows).astype(np.int64),
        neutral=[
            np.bincount(own, weights=weights, minlength=len(basis.gaps)) + 1.0 if first and rng.integers(2) else None
            for own, basis, first in zip(codes, bases, missing, strict=True)
        ],
    )


def some_rows(rows, own):
    """Return some of the rows as a single fold, with derivatives in the unit of all of them."""
    target = rows.target[own]
    return replace(
        rows,
        codes=[codes[own] for codes in rows.codes],
        target=target,
        weights=rows.weights[own],
        fold_ends=np.array([len(target)]),
        given_bits=rows.bits,
    )


def copies_of_a_column(seed, n_rows, n_columns):
    """Return rows of the same column many times."""
    rows = random_rows(seed, n_rows=n_rows)
    return replace(
        rows,
        codes=[rows.codes[0]] * n_columns,
        bases=[rows.bases[0]] * n_columns,
        missing=np.full(n_columns, rows.missing[0]),
        neutral=[rows.neutral[0]] * n_columns,
        monotone=np.zeros(n_columns, dtype=np.int8),
    )


def random_pair_rows(seed, loss="logistic", n_columns=12):
    """Return rows with ties, copies of columns, columns of one bin, a single class, weights of 0 and fractions.

    Scores of the rows, and the generator that goes on, are returned, too.
    """
    random = np.random.default_rng(seed)
    n_rows = int(random.integers(1, 300)) if seed % 4 else int(random.integers(2000, 9000))
    n_bins = random.integers(1, 9, n_columns)
    shape = random.uniform(0.5, 3, (n_columns, 1))
    codes = (random.random((n_columns, n_rows)) ** shape * n_bins[:, None]).astype(np.uint8)
    if seed % 3 == 0:
        codes[1], n_bins[1] = codes[0], n_bins[0]
    target = (random.random(n_rows) < random.choice([0.0, 0.02, 0.5, 1.0])).astype(int)
    kinds = [np.ones(n_rows), random.integers(0, 5, n_rows).astype(float)]
    weights = [*kinds, random.random(n_rows) * random.choice([1e-3, 1.0, 1e6])][seed % 3]
    fold = random.integers(0, random.integers(2, 7), n_rows)
    fold[0] = 1
    n_classes = class_number(loss, seed)
    if n_classes > 2:
        target = np.where(target == 1, random.integers(0, n_classes, n_rows), 1)
    made = loss_of_classes(n_classes)
    threads = int(random.integers(1, 4))
    rows = PairRows(codes, n_bins, target, weights, fold, n_threads=threads, loss=made)
    scores = random.normal(size=(n_rows, made.n_scores)) * random.choice([0.0, 0.5, 5.0, 300.0])
    return rows, scores, random


def rows_with_a_product(seed, n_rows=900, effect=0.0, n_classes=3):
    """Return rows of six columns and their additive scores; columns 0 and 1 multiply into the first class."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_rows, 6))
    offset = np.zeros((n_rows, n_classes))
    offset[:, 0], offset[:, 1] = values[:, 0], 0.7 * np.abs(values[:, 2])
    scores = offset.copy()
    scores[:, 0] += effect * values[:, 0] * values[:, 1]
    target = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    loss, fold = loss_of_classes(n_classes), random.permutation(n_rows) % 3
    rows = PairRows(codes_of_eight(values), np.full(6, 8), target, np.ones(n_rows), fold, loss=loss)
    return rows, offset if n_classes > 2 else offset[:, 1:] - offset[:, :1]


def codes_of_eight(values):
    """Return eight bins of equal frequency of each column of numbers."""
    ranks = values.argsort(axis=0).argsort(axis=0)
    return np.ascontiguousarray((ranks * 8 // len(values)).T.astype(np.uint8))
