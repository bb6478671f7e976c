"""A data set of an evaluation: columns of rows by position, in the format of the table."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix

from bayesieve.evaluation.labeled_table import LabeledTable

X = np.arange(24.0).reshape(6, 4) % 5
Y = np.array([0, 1] * 3)
ROWS, COLUMNS = np.array([4, 1, 3]), [2, 0]


@pytest.mark.parametrize("make", [np.asarray, csr_array, csc_array, csr_matrix, pd.DataFrame])
def test_some_columns_of_some_rows(make):
    data = LabeledTable(make(X), Y)
    taken = data.take(ROWS, COLUMNS)
    assert type(taken) is type(make(X)) or make is csc_array
    plain = taken.toarray() if hasattr(taken, "toarray") else np.asarray(taken)
    np.testing.assert_array_equal(plain, X[ROWS][:, COLUMNS])


def test_a_fingerprint_changes_with_a_value_and_with_nothing_else():
    for make in (np.asarray, csr_array, pd.DataFrame):
        changed = X.copy()
        changed[5, 3] += 1
        one, again, other = (LabeledTable(make(each), Y).fingerprint for each in (X, X.copy(), changed))
        assert one == again
        assert one != other
    assert LabeledTable(X, Y).fingerprint != LabeledTable(X, 1 - Y).fingerprint


def test_columns_vary_among_some_rows():
    data = LabeledTable(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0]]), [0, 1, 0])
    assert not data.varies(np.array([0, 1, 2]), [0])
    assert not data.varies(np.array([1, 2]), [0, 1])
    assert data.varies(np.array([0, 1]), [0, 1])
