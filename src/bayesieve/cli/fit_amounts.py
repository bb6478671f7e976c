# SPDX-License-Identifier: BSD-3-Clause
"""The revenue of positive rows: a number, or a column."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import is_number, list_values
from bayesieve.exceptions import ParameterError

__all__ = ["read_amount"]

Amount = tuple[float | None, NDArray[np.float64] | None, str | None]


def read_amount(amount: str | None, X: Any, names: Sequence[str], positive: NDArray[np.bool_]) -> Amount:
    """Return the mean revenue of a positive row, the revenue of each row, and the name of the column with it.

    ``amount`` is a number, or the name of a column; a missing value in it counts as 0.
    """
    if amount is None:
        return None, None, None
    if amount not in names:
        try:
            return float(amount), None, None
        except ValueError:
            raise ParameterError(f"--amount must be a number or a column, got {amount!r}.") from None
    values = list_values(X, names.index(amount))
    if not all(value is None or is_number(value) for value in values):
        raise ParameterError(f"--amount names the column {amount!r}, which is not numeric.")
    amounts = np.nan_to_num(np.array([0.0 if value is None else float(value) for value in values]))
    return float(amounts[positive].mean()), amounts, amount
