"""Tables cut into blocks of rows, for tests."""

from itertools import pairwise

import numpy as np
import pandas as pd

from bayesieve.data import MemoryBlocks, RawBlock, RawBlocks


def mixed_table(n_rows=600, seed=0):
    """Return a table of numbers with gaps, whole numbers and labels, and a target that depends on some."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < 0.4).astype(int)
    table = pd.DataFrame({f"x{j}": rng.normal(size=n_rows) + y * (j % 3) * 0.5 for j in range(5)})
    table["few"] = rng.integers(0, 4, n_rows) + y
    table["label"] = np.where(rng.random(n_rows) < 0.3 + 0.3 * y, "a", np.where(rng.random(n_rows) < 0.5, "b", "c"))
    table.loc[::7, "x1"] = np.nan
    return table, y


def cut(table, y, weights=None, ends=(0, 130, 130, 131, 400), kind=MemoryBlocks):
    """Return the rows in blocks, one of them empty, one of a single row."""
    ends = [*ends, len(table)]
    rows = [RawBlock(table[a:b], y[a:b], None if weights is None else weights[a:b]) for a, b in pairwise(ends)]
    targets = [RawBlock(None, each.y, each.weights) for each in rows]
    return RawBlocks(kind(rows), kind(targets), table[:0])
