"""With which selected column another one is most redundant.

Measured by the symmetric uncertainty 2 I(a; b) / (H(a) + H(b)) of two code columns: 0 if they are independent, 1 if
each determines the other. A thousand rows, evenly spread over the table, are enough for that.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Codes
from bayesieve.engine import Segment
from bayesieve.filters import ClassTables, CodedRows
from bayesieve.filters.univariate import symmetric_uncertainty
from bayesieve.training.labeled_rows import sampled_rows

__all__ = ["closest_partners"]

_MOST_CELLS = 40_000_000
_BLOCK = 4096
_MOST_CODES = 16
_DIGITS = 9  # beyond, the order of summation and the machine's logarithm show


def closest_partners(
    segment: Segment | CodedRows, columns: Sequence[int], selected: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """Return, for each of some columns, the other selected column that it shares most with, and how much.

    Columns of more than 255 bins are left out: a thousand rows do not fill their pair tables. Of many selected columns
    the first to enter are compared: 64, or fewer in a wide table, 8 at least.
    """
    rows = sampled_rows(segment.codes.n_rows)
    selected = selected[: max(8, min(64, _MOST_CELLS // max(1, len(columns) * len(rows))))]
    columns, selected = [[j for j in some if segment.codes.is_narrow(j)] for some in (columns, selected)]
    partners: dict[int, tuple[int, float]] = {}
    for begin in range(0, len(columns), _BLOCK):
        block = columns[begin : begin + _BLOCK]
        picked = _coarse(segment.codes.pick(block, rows))
        shares = np.array([_shares(segment, picked, s, rows) for s in selected]).reshape(len(selected), len(block))
        for k, j in enumerate(block):
            others = [(-share, i) for i, share in enumerate(shares[:, k].tolist()) if selected[i] != j and share > 0]
            if others:
                share, i = min(others)
                partners[j] = (selected[i], -share)
    return partners


def _shares(segment: Segment | CodedRows, picked: Codes, partner: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the symmetric uncertainty of the picked columns with one other."""
    other = _coarse(segment.codes.pick([partner], rows))
    joint = picked.count(other.column(0).astype(np.int32), segment.weights[rows], int(other.n_bins[0]) + 1)
    mass = joint[: int(picked.offsets[1])].sum(axis=0)
    return np.asarray(symmetric_uncertainty(ClassTables(joint, picked.offsets, mass)).round(_DIGITS))


def _coarse(codes: Codes) -> Codes:
    """Join neighbouring codes of columns that have many: a thousand rows do not fill larger tables."""
    n_codes = codes.n_bins + 1
    many = n_codes > _MOST_CODES
    if not many.any():
        return codes
    joined = codes.narrow.astype(np.int64) * _MOST_CODES // n_codes[:, None]
    narrow = np.where(many[:, None], joined, codes.narrow).astype(np.uint8)
    return Codes(narrow, codes.wide, codes.place, np.where(many, _MOST_CODES - 1, codes.n_bins))
