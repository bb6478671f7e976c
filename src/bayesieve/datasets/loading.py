# SPDX-License-Identifier: BSD-3-Clause
"""A data set of the manifest as a checked Bunch."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sklearn.utils import Bunch

from bayesieve.data import build_typed_frame, read_bytes
from bayesieve.datasets.download import locate
from bayesieve.datasets.readers import Sample, fingerprint, stack
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["Entry", "PublishedSums", "Reader", "Subset", "load_entry"]


class Reader(Protocol):
    """Reads the bytes of a subset's files as a sample."""

    @property
    def feature_names(self) -> Any:
        """Names of the columns."""

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the classes 0, 1, ..., the positive one last; empty if the classes are numbers."""

    def read(self, contents: Any, subset: str) -> Sample:
        """Read one subset; a ValueError, LookupError or the like means that the files hold something else."""


@dataclass(frozen=True)
class PublishedSums:
    """What the organizers of a challenge published of a subset: rows, positive rows and the sum of all numbers."""

    n_rows: int
    n_positive: int
    total: float


@dataclass(frozen=True)
class Subset:
    """The files of a subset, matrix first, and the fingerprint of their content, or sums where it is not known."""

    files: tuple[str, ...]
    sha256: str = ""
    sums: PublishedSums | None = None

    def difference(self, sample: Sample) -> str:
        """Return in words how a sample differs from what is published; empty if it does not."""
        if self.sums is not None:
            positive = None if sample.target is None else int((sample.target == 1).sum())
            found = (len(sample.data), self.sums.n_positive if positive is None else positive, float(sample.data.sum()))
            expected = (self.sums.n_rows, self.sums.n_positive, self.sums.total)
            names = ("rows", "positive rows", "sum of all numbers")
            wrong = [each for each in zip(names, found, expected, strict=True) if each[1] != each[2]]
            return f"{wrong[0][0]} {wrong[0][1]:.12g}, expected {wrong[0][2]:.12g}" if wrong else ""
        digest = fingerprint(sample)
        same = digest == self.sha256
        return "" if same else f"SHA-256 of the table {digest[:12]}, expected {self.sha256[:12]}"


@dataclass(frozen=True)
class Entry:
    """A data set: the name of its folder, its title, source, reader and subsets."""

    name: str
    title: str
    url: str
    reader: Reader
    subsets: Mapping[str, Subset]
    license: str = "CC BY 4.0"


def load_entry(entry: Entry, subset: str, data_home: str | os.PathLike[str] | None) -> Bunch:
    """Load one subset, or ``"all"``, which is every subset with published labels."""
    names = [subset]
    if subset == "all":
        names = [name for name, each in entry.subsets.items() if name == "all" or _is_labeled(entry, each)]
    elif subset not in entry.subsets:
        options = ", ".join(repr(name) for name in dict.fromkeys((*entry.subsets, "all")))
        raise ParameterError(f"subset of {entry.name} must be one of {options}, got {subset!r}.")
    sample = stack([_load_subset(entry, name, data_home) for name in names])
    reader = entry.reader
    bunch = Bunch(
        data=build_typed_frame(sample.data, ("pandas", "polars")) if isinstance(sample.data, dict) else sample.data,
        target=sample.target,
        feature_names=list(reader.feature_names),
        DESCR=f"{entry.title}\n\nSource: {entry.url}\nLicense: {entry.license}\nSubset: {subset}",
    )
    if reader.target_names:
        bunch.target_names = list(reader.target_names)
    return bunch


def _is_labeled(entry: Entry, subset: Subset) -> bool:
    """Return whether a subset has the maximum number of files: a matrix without labels has one file less."""
    return len(subset.files) == max(len(other.files) for other in entry.subsets.values())


def _load_subset(entry: Entry, name: str, data_home: str | os.PathLike[str] | None) -> Sample:
    subset = entry.subsets[name]
    others = {file for other in entry.subsets.values() for file in other.files} - set(subset.files)
    paths = locate(entry.name, entry.url, subset.files, data_home, sorted(others))
    contents = [read_bytes(path) for path in paths]
    where = " and ".join(map(str, paths))
    try:
        sample = entry.reader.read(contents, name)
    except Exception as error:  # foreign bytes can break a reader in any way
        raise DataError(
            f"{entry.name}: {where} cannot be read as that data set ({type(error).__name__}: {error}); "
            "remove the file to download it again."
        ) from error
    if difference := subset.difference(sample):
        raise DataError(
            f"{entry.name}: the content of {where} differs from the published data set ({difference}); remove the file "
            "to download it again."
        )
    return sample
