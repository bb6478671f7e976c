# SPDX-License-Identifier: BSD-3-Clause
"""The content of a data set file, and its fingerprint."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesieve.data import TypedValues

__all__ = ["Sample", "fingerprint", "stack"]


@dataclass(frozen=True)
class Sample:
    """Rows of a data set and their classes.

    Attributes
    ----------
    data : float64 array, SciPy CSR matrix, mapping of names to `TypedValues`, or list of str
        The features.
    target : int64 array, or None
        The classes; None if the labels are not published.
    """

    data: Any
    target: NDArray[np.int64] | None


def stack(samples: Sequence[Sample]) -> Sample:
    """Concatenate samples with the same columns; the target is None if it is None in any of them."""
    if len(samples) == 1:
        return samples[0]
    blocks = [sample.data for sample in samples]
    targets = [sample.target for sample in samples if sample.target is not None]
    return Sample(_stack(blocks), np.concatenate(targets) if len(targets) == len(samples) else None)


def fingerprint(sample: Sample) -> str:
    """Return the SHA-256 of the parsed table, which depends neither on compression nor on the reader.

    Numbers are little-endian float64 in row order, with one form of NaN and of zero; positions and classes are int64;
    text is UTF-8. Each piece is preceded by its length.
    """
    digest = sha256()
    for piece in (*_pieces(sample.data), b"" if sample.target is None else _integers(sample.target)):
        digest.update(f"{len(piece)}:".encode())
        digest.update(piece)
    return digest.hexdigest()


def _stack(blocks: Sequence[Any]) -> Any:
    first = blocks[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(blocks)
    if isinstance(first, Mapping):
        return {
            name: TypedValues(column.kind, [value for block in blocks for value in block[name].values], column.levels)
            for name, column in first.items()
        }
    return [text for block in blocks for text in block] if isinstance(first, list) else sparse.vstack(blocks, "csr")


def _pieces(data: Any) -> Iterator[bytes]:
    if isinstance(data, Mapping):
        for column in data.values():
            numeric = column.kind == "numeric"
            yield _numbers(column.values) if numeric else b"".join(_text(value) for value in column.values)
    elif isinstance(data, list):
        yield from map(_text, data)
    elif isinstance(data, np.ndarray):
        yield _integers(data.shape)
        yield _numbers(data)
    else:
        yield from map(_integers, (data.shape, data.indptr, data.indices))
        yield _numbers(data.data)


def _numbers(values: Any) -> bytes:
    numbers = np.array(values, dtype="<f8") + 0.0  # minus zero is zero, None is NaN
    return np.where(np.isnan(numbers), np.nan, numbers).astype("<f8").tobytes()


def _integers(values: Any) -> bytes:
    return np.asarray(values, dtype="<i8").tobytes()


def _text(value: str | None) -> bytes:
    encoded = b"" if value is None else value.encode()
    return f"{-1 if value is None else len(encoded)}:".encode() + encoded
