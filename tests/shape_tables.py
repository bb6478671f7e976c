"""Random rows of joint shapes."""

import numpy as np

from bayesieve.additive import ShapeRows
from bayesieve.additive.shape_data import column_basis


def random_rows(seed, n_rows=None):
    """Return rows with few and many bins, some empty in a fold, missing values, weights and monotone columns."""
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
    return ShapeRows(
        codes,
        bases,
        np.array(missing),
        np.array(monotone, dtype=np.int8),
        target,
        weights,
        np.append(fold_ends, n_rows).astype(np.int64),
    )
