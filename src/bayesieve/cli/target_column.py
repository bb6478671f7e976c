# SPDX-License-Identifier: BSD-3-Clause
"""The target column of a table, and the columns that a command works on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import pick_columns, resolve_columns, split_target
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.report import format_label

__all__ = ["split_target_column"]


def split_target_column(
    frame: Any, names: Sequence[str], target: str, columns: Sequence[str], dropped: Sequence[str] = ()
) -> tuple[Any, NDArray[Any]]:
    """Return the features and the target of the rows that have a target.

    Features are ``columns``, all but the target if there are none, without those that are dropped.
    """
    (place,) = resolve_columns(target, names, "--target")
    features = resolve_columns(columns, names, "--column") or [j for j in range(len(names)) if j != place]
    if place in features:
        raise ParameterError(f"--column names {target!r}, which is the target; name another column.")
    left_out = set(resolve_columns(dropped, names, "--drop"))
    features = [j for j in features if j not in left_out]
    if not features:
        also = " and those of --drop" if left_out else ""
        raise DataError(f"There is no column besides the target {target!r}{also}.")
    X, y = split_target(pick_columns(frame, [*features, place]), len(features))
    if not len(y):
        raise DataError(f"The target {target!r} is missing in every row; name another column as --target.")
    return X, _dates_as_text(y) if y.dtype.kind == "M" else y


def _dates_as_text(y: NDArray[Any]) -> NDArray[Any]:
    """Return dates and times as people write them: a model file has labels of text and numbers only."""
    days = np.datetime_data(y.dtype)[0] == "D"
    labels = y.tolist() if days else y.astype("datetime64[us]").tolist()  # nanoseconds would be integers
    return np.array([format_label(label) for label in labels])
