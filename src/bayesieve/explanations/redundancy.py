"""Which chosen column says most of what another one says.

Measured by the symmetric uncertainty 2 I(a; b) / (H(a) + H(b)) of two code columns: 0 if they are independent, 1 if
each tells the other. A thousand rows, evenly spread over the table, are enough for that.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Codes
from bayesieve.engine import Segment
from bayesieve.filters import CodedRows
from bayesieve.training.labeled_rows import sampled_rows

__all__ = ["closest_partners"]

_MOST_CELLS = 40_000_000
_BLOCK = 4096
_MOST_CODES = 16
_DIGITS = 9  # beyond, the order of summation and the machine's logarithm show


def closest_partners(
    segment: Segment | CodedRows, asked: Sequence[int], chosen: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """Return, for each column asked for, the other chosen column that it shares most with, and how much.

    Columns of more than 255 parts are left out: their pair tables say little about a thousand rows. Of many chosen
    columns the first to enter are compared: 64, or fewer in a wide table, 8 at least.
    """
    rows = sampled_rows(segment.codes.n_rows)
    chosen = chosen[: max(8, min(64, _MOST_CELLS // max(1, len(asked) * len(rows))))]
    asked, chosen = [[j for j in columns if segment.codes.is_narrow(j)] for columns in (asked, chosen)]
    partners: dict[int, tuple[int, float]] = {}
    for begin in range(0, len(asked), _BLOCK):
        block = asked[begin : begin + _BLOCK]
        picked = _coarse(segment.codes.pick(block, rows))
        shares = np.array([_shares(segment, picked, s, rows) for s in chosen]).reshape(len(chosen), len(block))
        for k, j in enumerate(block):
            others = [(-share, i) for i, share in enumerate(shares[:, k].tolist()) if chosen[i] != j and share > 0]
            if others:
                share, i = min(others)
                partners[j] = (chosen[i], -share)
    return partners


def _shares(segment: Segment | CodedRows, picked: Codes, partner: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the symmetric uncertainty of the picked columns with one other."""
    other = _coarse(segment.codes.pick([partner], rows))
    joint = picked.count(other.column(0).astype(np.int32), segment.weights[rows], int(other.n_bins[0]) + 1)
    first = joint[: int(picked.offsets[1])]
    begins = picked.offsets[:-1]
    own = np.add.reduceat(_plogp(joint.sum(axis=1)), begins)
    both = np.add.reduceat(_plogp(joint).sum(axis=1), begins)
    whole, theirs = _plogp(first.sum(keepdims=True))[0, 0], _plogp(first.sum(axis=0)).sum()
    entropies, information = 2 * whole - own - theirs, whole - own - theirs + both
    shares = np.divide(2 * information, entropies, out=np.zeros(picked.n_columns), where=entropies > 0)
    return np.asarray(shares.round(_DIGITS))


def _coarse(codes: Codes) -> Codes:
    """Join neighbouring codes of columns that have many: a thousand rows do not fill larger tables."""
    n_codes = codes.n_bins + 1
    many = n_codes > _MOST_CODES
    if not many.any():
        return codes
    joined = codes.narrow.astype(np.int64) * _MOST_CODES // n_codes[:, None]
    narrow = np.where(many[:, None], joined, codes.narrow).astype(np.uint8)
    return Codes(narrow, codes.wide, codes.place, np.where(many, _MOST_CODES - 1, codes.n_bins))


def _plogp(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return n log n, 0 for n = 0."""
    n = counts.astype(np.float64)
    return n * np.log(np.maximum(n, 1.0))
