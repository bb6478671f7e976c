"""Random problems for tests: raw rows as plain lists, and the segments that an engine is given for them."""

from dataclasses import dataclass, replace

import numpy as np

from bayesieve import SelectiveNaiveBayes
from bayesieve.bins import Codes, Summary
from bayesieve.data import DenseBatch, SparseCodes, Strata, read_weights
from bayesieve.models import NaiveBayes
from bayesieve.search.engine import MemorySegments, Segment


@dataclass(frozen=True, eq=False)  # a case is itself alone, so that what is computed of it can be kept
class Case:
    """Rows and folds; a code equal to (or above) its column's number of parts is *unseen*.

    Weights are ``units * unit``. With ``own_parts``, a fold's parts are the codes of positive weight among its training
    rows, as after ``discretizer=None``; otherwise every fold has the parts of ``n_bins``. Each ``sparse``-th column,
    if it is not 0, is held by its entries, however many there are.
    """

    columns: list[list[int]]
    n_bins: list[int]
    labels: list[int]
    n_classes: int
    units: list[int]
    unit: float
    folds: list[tuple[list[int], list[int]]]
    smoothing: float | str = "auto"
    own_parts: bool = False
    sparse: int = 0


def plain_case(columns, labels, **changes):
    """Return a case scored on its training rows, each of weight one."""
    n_rows = len(labels)
    case = Case(
        columns=[list(column) for column in columns],
        n_bins=[max(2, max(column) + 1) for column in columns],
        labels=list(labels),
        n_classes=max(2, max(labels) + 1),
        units=[1] * n_rows,
        unit=1.0,
        folds=[(list(range(n_rows)), list(range(n_rows)))],
    )
    return replace(case, **changes)


def make_segments(case, model=None):
    """Return the segments of a case: tables of a fold come from its training rows, by naive Bayes or another model."""
    model = model or NaiveBayes(case.smoothing)
    return MemorySegments(_segment(case, model, fitting, scored) for fitting, scored in case.folds)


def of_two_classes(case):
    """Return the case with every other class merged."""
    return replace(case, labels=[label % 2 for label in case.labels], n_classes=2)


def make_codes(columns, n_bins, n_rows):
    """Return codes in the widths that the library would choose."""
    narrow = [column for column, parts in zip(columns, n_bins, strict=True) if parts < 256]
    wide = [column for column, parts in zip(columns, n_bins, strict=True) if parts >= 256]
    place = np.argsort(np.argsort([parts >= 256 for parts in n_bins], kind="stable"))
    return Codes(
        np.array(narrow, dtype=np.uint8).reshape(len(narrow), n_rows),
        np.array(wide, dtype=np.uint16).reshape(len(wide), n_rows),
        place.astype(np.int64),
        np.array(n_bins, dtype=np.int64),
    )


def make_sparse(codes, every):
    """Return the same codes, each ``every``-th column as its most common code and the entries of other codes."""
    columns, n_rows = [codes.column(j) for j in range(codes.n_columns)], codes.n_rows
    entries = [SparseCodes.join([]), *(_entries(column) for column in columns[::every])]
    rest = [j for j in range(codes.n_columns) if j % every]
    dense = make_codes([columns[j] for j in rest], codes.n_bins[rest].tolist(), n_rows)
    place = np.empty(codes.n_columns, dtype=np.int64)
    place[rest], place[::every] = dense.place, len(rest) + np.arange(len(entries) - 1)
    return Codes(dense.narrow, dense.wide, place, codes.n_bins, SparseCodes.join(entries))


def _entries(column):
    common = np.bincount(column, minlength=1).argmax()
    rows = np.flatnonzero(column != common)
    sizes = np.array([0, len(rows)])
    return SparseCodes(
        np.array([common], dtype=np.uint16), sizes, rows.astype(np.int32), column[rows].astype(np.uint16)
    )


def _segment(case, model, fitting, scored):
    columns, n_bins = _coded(case, fitting)
    codes, target, units = _rows(case, columns, n_bins, fitting)
    mass = np.zeros(case.n_classes, dtype=np.int64)
    np.add.at(mass, target, units)
    counts = codes.count(target, units, case.n_classes)
    tables = model.learn(counts, codes.offsets, mass, case.unit)
    codes, target, units = _rows(case, columns, n_bins, scored)
    codes = make_sparse(codes, case.sparse) if case.sparse else codes
    return Segment(codes, target, units, case.n_classes, tables)


def _rows(case, columns, n_bins, rows):
    codes = make_codes([[column[i] for i in rows] for column in columns], n_bins, len(rows))
    labels, units = [case.labels[i] for i in rows], [case.units[i] for i in rows]
    return codes, np.array(labels, dtype=np.int32), np.array(units, dtype=np.int64)


def _coded(case, fitting):
    """Return columns and numbers of parts as one fold sees them."""
    columns, sizes = [], []
    for column, n_bins in zip(case.columns, case.n_bins, strict=True):
        parts = sorted({column[i] for i in fitting if case.units[i]}) if case.own_parts else range(n_bins)
        code_of = {value: code for code, value in enumerate(parts)}
        columns.append([code_of.get(value, len(parts)) for value in column])
        sizes.append(len(parts))
    return columns, sizes


def summarize(column, sample_weight=None, target=None):
    """Return what a coding rule sees of a column; without a target, the rows' classes take turns."""
    n_rows = len(column.ids)
    target = np.arange(n_rows) % 2 if target is None else target
    weights = read_weights(sample_weight, n_rows)
    counts = DenseBatch.of([column]).count(Strata(np.asarray(target, dtype=np.int32), 2, weights.units))
    return Summary(column.name, column.labels, counts, weights.unit)


def exact_scores(engine, moves):
    """Return the score of each move, asked alone: an engine owes exact scores to the best two of a batch only."""
    return [float(engine.score([move])[0]) for move in moves]


def random_case(rng, *, n_columns=None, n_rows=None, n_classes=None, **changes):
    """Return a problem with ties, duplicates, constants, rare classes and uneven weights more often than nature has."""
    n_rows = n_rows or int(rng.choice([1, 2, 3, 8, 20, 35]))
    n_classes = n_classes or int(rng.integers(2, 6))
    labels = _random_labels(rng, n_rows, n_classes)
    columns, n_bins = [], []
    for _ in range(n_columns or int(rng.integers(1, 6))):
        column, parts = _random_column(rng, labels, columns, n_bins)
        columns.append(column)
        n_bins.append(parts)
    units, unit = _random_weights(rng, n_rows)
    folds = _random_folds(rng, units)
    smoothing = ["auto", "auto", 1.0, 0.125, 1e-9][rng.integers(5)]
    case = Case(columns, n_bins, labels, n_classes, units, unit, folds, smoothing, bool(rng.integers(2)))
    return replace(case, **changes)


def _random_labels(rng, n_rows, n_classes):
    labels = rng.integers(0, n_classes, n_rows)
    if rng.integers(3) == 0:  # every class but the first has one row at most
        labels = np.zeros(n_rows, dtype=int)
        rare = rng.permutation(n_rows)[: n_classes - 1]
        labels[rare] = np.arange(1, len(rare) + 1)
    return labels.tolist()


def _random_column(rng, labels, earlier, n_bins):
    n_rows = len(labels)
    kind = rng.choice(["noise", "informed", "informed", "constant", "duplicate", "reversed", "one row apart", "wide"])
    if kind in ("duplicate", "reversed", "one row apart") and earlier:
        j = int(rng.integers(len(earlier)))
        column, parts = list(earlier[j]), n_bins[j]
        if kind == "reversed":
            column = [parts - 1 - code if code < parts else code for code in column]
        elif kind == "one row apart":
            column[int(rng.integers(n_rows))] = int(rng.integers(parts + 1))
        return column, parts
    parts = int(rng.choice([254, 255, 256, 300])) if kind == "wide" else int(rng.integers(2, 6))
    if kind == "constant":
        return [0] * n_rows, parts
    codes = rng.integers(0, parts + (rng.integers(4) == 0), n_rows)
    if kind == "informed":
        codes = np.where(rng.random(n_rows) < 0.6, np.array(labels) % parts, codes)
    return codes.tolist(), parts


def _random_weights(rng, n_rows):
    kind = rng.integers(4)
    if kind == 0:
        return [1] * n_rows, 1.0
    if kind == 1:
        return [1, *rng.integers(0, 4, n_rows - 1).tolist()], 1.0
    if kind == 2:
        return rng.integers(1, 2**11, n_rows).tolist(), 2.0**-10
    return (2 ** rng.integers(0, 31, n_rows)).tolist(), 2.0 ** float(rng.integers(-31, 3))


def _random_folds(rng, units):
    """Return training rows as they are, one held-out part, or two to four folds; all have weight on both sides."""
    everything = list(range(len(units)))
    n_folds = int(rng.integers(0, 5))
    shares = rng.integers(0, max(1, n_folds), len(units))
    folds = []
    for k in range(n_folds):
        scored = [i for i in everything if shares[i] == k]
        fitting = [i for i in everything if shares[i] != k]
        if sum(units[i] for i in scored) and sum(units[i] for i in fitting):
            folds.append((fitting, scored))
    return folds[: 1 if n_folds == 1 else None] or [(everything, everything)]


def plain_bayes(*arguments, **parameters):
    """Return a classifier that searches for columns of weight one: for tests of searches and of tables."""
    return SelectiveNaiveBayes(*arguments, **({"bins": "best", "weights": "none"} | parameters))
