# SPDX-License-Identifier: BSD-3-Clause
"""Readers of data set files: declared tables, matrices with labels in another file, messages; and fingerprints."""

import io
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesieve.data import TypedValues

__all__ = ["DeclaredTable", "DenseMatrix", "Messages", "Sample", "SparseMatrix", "fingerprint", "stack"]


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
    for piece in (*_pieces(sample.data), b"" if sample.target is None else _integer_bytes(sample.target)):
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
            yield _number_bytes(column.values) if numeric else b"".join(_text_bytes(value) for value in column.values)
    elif isinstance(data, list):
        yield from map(_text_bytes, data)
    elif isinstance(data, np.ndarray):
        yield _integer_bytes(data.shape)
        yield _number_bytes(data)
    else:
        yield from map(_integer_bytes, (data.shape, data.indptr, data.indices))
        yield _number_bytes(data.data)


def _number_bytes(values: Any) -> bytes:
    numbers = np.array(values, dtype="<f8") + 0.0  # minus zero is zero, None is NaN
    return np.where(np.isnan(numbers), np.nan, numbers).astype("<f8").tobytes()


def _integer_bytes(values: Any) -> bytes:
    return np.asarray(values, dtype="<i8").tobytes()


def _text_bytes(value: str | None) -> bytes:
    encoded = b"" if value is None else value.encode()
    return f"{-1 if value is None else len(encoded)}:".encode() + encoded


_MISSING = "?"


@dataclass(frozen=True)
class DeclaredTable:
    """Delimited text without types.

    Attributes
    ----------
    declaration : str
        One line per column, in the file's order: its name, and if it is nominal its codes after bars, each with a label
        if that differs from the code (``sex | 1 male | 2 female``). A name in parentheses is not a feature.
    target : str
        The column of the class; its codes are declared with the positive class last.
    separator : str, or None
        None for blanks.
    header : bool
        Whether the file begins with a line of names.
    """

    declaration: str
    target: str
    separator: str | None = ","
    header: bool = False

    @cached_property
    def columns(self) -> dict[str, dict[str, str]]:
        """Labels by code for each column, empty for numbers."""
        lines = [[cell.strip() for cell in line.split("|")] for line in self.declaration.strip().splitlines()]
        return {name: dict((code.split(None, 1) * 2)[:2] for code in codes) for name, *codes in lines}

    @property
    def feature_names(self) -> list[str]:
        """The columns other than the target and those in parentheses."""
        return [name for name in self.columns if name != self.target and not name.startswith("(")]

    @property
    def target_names(self) -> tuple[str, ...]:
        """The labels of the classes, the positive one last."""
        return tuple(self.columns[self.target].values())

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read an array if all features are numbers, otherwise typed columns."""
        lines = [line for line in contents[0].decode("latin-1").splitlines() if line.strip()][self.header :]
        rows = [[cell.strip() for cell in line.split(self.separator)] for line in lines]
        cells = dict(zip(self.columns, zip(*rows, strict=True), strict=True))
        position = {code: i for i, code in enumerate(self.columns[self.target])}
        target = np.array([position[code] for code in cells[self.target]], dtype=np.int64)
        features = {name: self._typed(name, cells[name]) for name in self.feature_names}
        if any(column.kind == "nominal" for column in features.values()):
            return Sample(features, target)
        return Sample(np.array([column.values for column in features.values()], dtype=np.float64).T.copy(), target)

    def _typed(self, name: str, cells: Sequence[str]) -> TypedValues:
        labels = self.columns[name]
        values: list[Any] = [None if cell == _MISSING else labels[cell] if labels else float(cell) for cell in cells]
        return TypedValues("nominal" if labels else "numeric", values, tuple(dict.fromkeys(labels.values())))


@dataclass(frozen=True)
class Matrix:
    """Base of both kinds: unnamed columns, counted from 1 as in the challenge, and labels 1 and -1."""

    n_features: int

    target_names = ()

    @property
    def feature_names(self) -> list[str]:
        """Names by position."""
        return [f"x{j}" for j in range(1, self.n_features + 1)]


@dataclass(frozen=True)
class DenseMatrix(Matrix):
    """One row per line, with all numbers."""

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read the matrix, and the labels if there are any."""
        return Sample(_parsed_numbers(contents[0]).reshape(-1, self.n_features), _labels(contents[1:]))


@dataclass(frozen=True)
class SparseMatrix(Matrix):
    """One row per line: ``position:value`` pairs if ``valued``, otherwise the positions of the ones; both from 1."""

    valued: bool

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read the matrix, and the labels if there are any."""
        lines = contents[0].removesuffix(b"\n").split(b"\n")  # an empty line is a row of zeros
        ends = np.cumsum([0, *(len(line.split()) for line in lines)])
        numbers = _parsed_numbers(contents[0].replace(b":", b" ") if self.valued else contents[0])
        positions, values = (numbers[::2], numbers[1::2]) if self.valued else (numbers, np.ones(len(numbers)))
        shape = (len(lines), self.n_features)
        matrix = sparse.csr_matrix((values, positions.astype(np.int32) - 1, ends), shape=shape)
        matrix.sort_indices()
        return Sample(matrix, _labels(contents[1:]))


def _parsed_numbers(content: bytes) -> NDArray[np.float64]:
    return np.array(content.split()).astype(np.float64)


def _labels(contents: Sequence[bytes]) -> NDArray[np.int64] | None:
    return _parsed_numbers(contents[0]).astype(np.int64) if contents else None


@dataclass(frozen=True)
class Messages:
    """Messages in latin-1, in the order of class and number."""

    folder: str
    target_names: tuple[str, ...]

    feature_names = ()

    def read(self, contents: Sequence[bytes], subset: str) -> Sample:
        """Read one subset of the archive."""
        position = {group: i for i, group in enumerate(self.target_names)}
        messages = []
        with tarfile.open(fileobj=io.BytesIO(contents[0])) as archive:
            for member in archive:
                folder, *rest = PurePosixPath(member.name).parts
                if not member.isfile() or folder != f"{self.folder}-{subset}":
                    continue
                group, number = rest
                file = archive.extractfile(member)
                messages.append((position[group], int(number), file.read().decode("latin-1") if file else ""))
        messages.sort()
        return Sample([text for _, _, text in messages], np.array([group for group, _, _ in messages], dtype=np.int64))
