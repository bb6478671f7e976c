"""Weighted contingency counts of coded columns: the input of every model, criterion and filter.

Columns are stacked: column ``j`` has codes ``0 .. offsets[j + 1] - offsets[j] - 1`` and owns the rows
``offsets[j]:offsets[j + 1]`` of the result, so that one array holds the counts of columns of any width.
"""

import numpy as np
import numpy.typing as npt

from bayesieve._native import core, warn_if_missing

__all__ = ["count_codes", "count_codes_numpy"]

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]

_MAX_CODES = 65536  # the number of values of a uint16


def count_codes(
    codes: Codes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]:
    """Count every column at once, with the compiled core if it is available.

    Parameters
    ----------
    codes : uint8 or uint16 array of shape (n_columns, n_rows), C-contiguous
    target : int32 array of shape (n_rows,)
        Class of each row, from 0 to ``n_classes - 1``.
    weights : int64 array of shape (n_rows,)
        Not negative; 1 counts a row once.
    offsets : int64 array of shape (n_columns + 1,)
        Starts at 0 and does not decrease; see the module's docstring.
    n_classes : int

    Returns
    -------
    counts : int64 array of shape (offsets[-1], n_classes)
        ``counts[offsets[j] + v, c]`` is the weight of the rows with code ``v`` in column ``j`` and class ``c``.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1]], dtype=np.uint8)
    >>> target = np.array([0, 0, 1], dtype=np.int32)
    >>> weights = np.array([1, 1, 5], dtype=np.int64)
    >>> count_codes(codes, target, weights, np.array([0, 2]), n_classes=2)
    array([[1, 0],
           [1, 5]])
    """
    if core is None:
        warn_if_missing()
        return count_codes_numpy(codes, target, weights, offsets, n_classes)
    return core.count_codes(codes, target, weights, offsets, n_classes)


def count_codes_numpy(
    codes: Codes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]:
    """Specification of `count_codes`, and its fallback without the compiled core."""
    _check_arrays(codes, target, weights, offsets)
    _check_ranges(codes, target, weights, offsets, n_classes)
    counts = np.zeros((int(offsets[-1]), n_classes), dtype=np.int64)
    # A float64 holds every integer below 2**53, so bincount's sums are exact there.
    fits_float = _total(weights) < 2**53
    for column, start, stop in zip(codes, offsets[:-1], offsets[1:], strict=True):
        cells = column.astype(np.int64) * n_classes + target
        block = counts[start:stop].reshape(-1)
        if fits_float:
            block[:] = np.bincount(cells, weights=weights, minlength=block.size)
        else:
            np.add.at(block, cells, weights)
    return counts


def _total(weights: npt.NDArray[np.int64]) -> int:
    """Sum without overflow: high and low halves separately."""
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())


def _check_arrays(
    codes: Codes, target: npt.NDArray[np.int32], weights: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
) -> None:
    """Refuse wrong shapes and dtypes, with the messages of the compiled core."""
    if codes.ndim != 2 or codes.dtype not in (np.uint8, np.uint16) or not codes.flags.c_contiguous:
        raise ValueError("codes must be a C-contiguous uint8 or uint16 array of shape (n_columns, n_rows)")
    n_columns, n_rows = codes.shape
    for name, array, dtype, size, shape in (
        ("target", target, np.int32, n_rows, "(n_rows,)"),
        ("weights", weights, np.int64, n_rows, "(n_rows,)"),
        ("offsets", offsets, np.int64, n_columns + 1, "(n_columns + 1,)"),
    ):
        if array.shape != (size,) or array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a contiguous {np.dtype(dtype)} array of shape {shape}")


def _check_ranges(
    codes: Codes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> None:
    """Refuse values out of range, with the messages of the compiled core."""
    n_codes = np.diff(offsets)
    rows = codes.shape[1]
    faults = {
        "offsets must start at 0": offsets[0] != 0,
        "offsets must not decrease": (n_codes < 0).any(),
        f"a column must not have more than {_MAX_CODES} codes": (n_codes > _MAX_CODES).any(),
        "n_classes must be at least 1": n_classes < 1,
        "target must hold values from 0 to n_classes - 1": ((target < 0) | (target >= n_classes)).any(),
        "weights must not be negative": (weights < 0).any(),
        "weights must sum to less than 2**63": _total(weights) >= 2**63,
        "codes of a column must be smaller than its number of codes in offsets": rows > 0
        and (codes.max(axis=1) >= n_codes).any(),
    }
    for message, present in faults.items():
        if present:
            raise ValueError(message)
