"""Random coded tables for the filters."""

import numpy as np
from cases import make_codes, make_sparse

from bayesieve.filters import ClassTables, CodedColumns


def random_rows(rng, *, n_columns=None, largest=9, weights="any"):
    """Return rows sorted by class, the codes of columns as plain lists, and all that a brute force needs."""
    n_rows = int(rng.integers(1, 60))
    n_columns = n_columns or int(rng.integers(1, 6))
    n_bins = rng.integers(1, largest + 1, n_columns).tolist()
    columns = [rng.integers(0, parts, n_rows) for parts in n_bins]
    if n_columns > 2:  # a copy under other names, and a coarser one
        columns[1], n_bins[1] = n_bins[0] - 1 - columns[0], n_bins[0]
        columns[2], n_bins[2] = columns[0] // 2, (n_bins[0] + 1) // 2
    n_classes = int(rng.integers(1, 4))
    target = np.sort(rng.integers(0, n_classes, n_rows)).astype(np.int32)
    kinds = {"one": np.ones(n_rows), "same": np.full(n_rows, 3), "few": rng.integers(1, 4, n_rows)}
    kinds["many"] = rng.integers(1, 2**31, n_rows)
    kind = weights if weights != "any" else str(rng.choice(list(kinds)))
    units = kinds[kind].astype(np.int64)
    codes = make_codes(columns, n_bins, n_rows)
    if rng.random() < 0.3:
        codes = make_sparse(codes, 2)
    rows = CodedColumns(codes, target, units, n_classes)
    plain = [column.tolist() for column in columns]
    return rows, plain, units.tolist(), target.tolist()


def tables_of(rows):
    return ClassTables.of_codes(rows.codes, rows.target, rows.weights, rows.n_classes)
