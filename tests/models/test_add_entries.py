"""Table entries added to the scores of rows: as a loop over rows adds them, however many rows there are."""

import numpy as np
import pytest

from bayesieve.models.model import add_entries


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.intp])
@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 300])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_entries_are_added_as_by_a_loop(n_classes, n_rows, dtype):
    rng = np.random.default_rng(n_rows)
    table = rng.integers(-(2**50), 2**50, (7, n_classes))
    codes = rng.integers(0, 7, n_rows).astype(dtype)
    scores = rng.integers(-(2**50), 2**50, (n_classes, n_rows))
    expected = [[scores[c, i] + table[codes[i], c] for i in range(n_rows)] for c in range(n_classes)]
    add_entries(scores, table, codes)
    assert scores.tolist() == expected
