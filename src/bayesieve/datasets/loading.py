"""A data set's files, found or fetched, become a checked Bunch."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sklearn.utils import Bunch

from bayesieve.data import build_typed_frame, read_bytes
from bayesieve.datasets.download import download
from bayesieve.datasets.sample import Sample, fingerprint, stack
from bayesieve.datasets.storage import cache_folder, find_files, homes
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["Entry", "Part", "Reader", "load_entry", "locate"]


class Reader(Protocol):
    """Bytes of a part's files become a sample."""

    @property
    def feature_names(self) -> Any:
        """Names of the columns."""

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the classes 0, 1, ..., the positive one last; none where classes are numbers of their own."""

    def read(self, contents: Any, part: str) -> Sample:
        """Read one part; a ValueError, LookupError or the like says that the files hold something else."""


@dataclass(frozen=True)
class Part:
    """The files of a subset, matrix first, and the fingerprint of what they hold."""

    files: tuple[str, ...]
    sha256: str


@dataclass(frozen=True)
class Entry:
    """A data set: its folder's name, what it is, where it is published, how to read it, and its parts."""

    name: str
    title: str
    url: str
    reader: Reader
    parts: Mapping[str, Part]
    license: str = "CC BY 4.0"


def load_entry(entry: Entry, subset: str, data_home: str | os.PathLike[str] | None) -> Bunch:
    """Load a subset: one part, or ``"all"``, which is every part with published labels."""
    names = [subset]
    if subset == "all":
        names = [name for name, part in entry.parts.items() if name == "all" or _is_labelled(entry, part)]
    elif subset not in entry.parts:
        known = ", ".join(repr(name) for name in dict.fromkeys((*entry.parts, "all")))
        raise ParameterError(f"subset of {entry.name} must be one of {known}; got {subset!r}.")
    sample = stack([_load_part(entry, name, data_home) for name in names])
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


def _is_labelled(entry: Entry, part: Part) -> bool:
    """Tell whether a part has as many files as the part with the most: a matrix without labels has one less."""
    return len(part.files) == max(len(other.files) for other in entry.parts.values())


def _load_part(entry: Entry, name: str, data_home: str | os.PathLike[str] | None) -> Sample:
    part = entry.parts[name]
    others = {file for other in entry.parts.values() for file in other.files} - set(part.files)
    paths = locate(entry.name, entry.url, part.files, data_home, sorted(others))
    contents = [read_bytes(path) for path in paths]
    where = " and ".join(map(str, paths))
    try:
        sample = entry.reader.read(contents, name)
    except Exception as error:  # foreign bytes can break a reader in any way
        raise DataError(
            f"{entry.name}: {where} cannot be read as that data set ({type(error).__name__}: {error}); "
            "remove the file to fetch it again."
        ) from error
    found = fingerprint(sample)
    if found != part.sha256:
        raise DataError(
            f"{entry.name}: what {where} holds differs from the published data set (SHA-256 of the table {found[:12]}, "
            f"expected {part.sha256[:12]}); remove the file to fetch it again."
        )
    return sample


def locate(
    name: str,
    url: str,
    files: Sequence[str],
    data_home: str | os.PathLike[str] | None,
    others: Sequence[str] = (),
) -> list[Path]:
    """Return the paths of a data set's files: on this machine, or fetched with others that come along."""
    for home in homes(data_home):
        paths = find_files(home / name, files)
        if paths:
            return paths
    folder = (Path(data_home).expanduser() if data_home else cache_folder()) / name
    download(url, files, others, folder)
    paths = find_files(folder, files)
    if not paths:
        raise DataError(f"{name}: {files[0]} was fetched into {folder} but is not there.")
    return paths
