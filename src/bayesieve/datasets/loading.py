# SPDX-License-Identifier: BSD-3-Clause
"""Load a published data set as a checked Bunch: one public function per data set."""

import os

from sklearn.utils import Bunch

from bayesieve.data import build_typed_frame, read_bytes
from bayesieve.datasets.download import locate
from bayesieve.datasets.manifest import ENTRIES, Entry, Subset
from bayesieve.datasets.readers import Sample, stack
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["load_entry"]


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


Home = str | os.PathLike[str] | None


def load_arcene(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load ARCENE; subset is "train", "valid" or "all"."""
    return load_entry(ENTRIES["arcene"], subset, data_home)


def load_dexter(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load DEXTER, sparse; subset is "train", "valid", "test" (without labels) or "all" (with labels)."""
    return load_entry(ENTRIES["dexter"], subset, data_home)


def load_dorothea(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load DOROTHEA, sparse; subset is "train", "valid", "test" (without labels) or "all" (with labels)."""
    return load_entry(ENTRIES["dorothea"], subset, data_home)


def load_gisette(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load GISETTE; subset is "train", "valid", "test" (without labels) or "all" (with labels)."""
    return load_entry(ENTRIES["gisette"], subset, data_home)


def load_madelon(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load MADELON; subset is "train", "valid", "test" (without labels) or "all" (with labels)."""
    return load_entry(ENTRIES["madelon"], subset, data_home)


def load_breast_w(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Breast Cancer Wisconsin (Original); malignant is positive."""
    return load_entry(ENTRIES["breast-w"], subset, data_home)


def load_pima(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Pima Indians Diabetes."""
    return load_entry(ENTRIES["pima"], subset, data_home)


def load_heart_statlog(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Statlog (Heart); present disease is positive."""
    return load_entry(ENTRIES["heart-statlog"], subset, data_home)


def load_spect(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load SPECT Heart; subset is "train", "test" or "all", and abnormal is positive."""
    return load_entry(ENTRIES["spect"], subset, data_home)


def load_vote(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Congressional Voting Records; republican is positive."""
    return load_entry(ENTRIES["vote"], subset, data_home)


def load_horse_colic(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Horse Colic; subset is "train", "test" or "all", and no surgical lesion, the rarer class, is positive."""
    return load_entry(ENTRIES["horse-colic"], subset, data_home)


def load_crx(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Credit Approval; "+" is positive."""
    return load_entry(ENTRIES["crx"], subset, data_home)


def load_german(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Statlog (German Credit Data); bad is positive."""
    return load_entry(ENTRIES["german"], subset, data_home)


def load_hepatitis(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Hepatitis; death is positive."""
    return load_entry(ENTRIES["hepatitis"], subset, data_home)


def load_ionosphere(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load Ionosphere; bad is positive."""
    return load_entry(ENTRIES["ionosphere"], subset, data_home)


def load_20newsgroups(subset: str = "train", data_home: Home = None) -> Bunch:
    """Load 20 Newsgroups as a list of messages; subset is "train", "test" or "all"."""
    return load_entry(ENTRIES["20newsgroups"], subset, data_home)


def load_kdd98_targets(subset: str = "all", data_home: Home = None) -> Bunch:
    """Load the targets of KDD Cup 1998's validation rows; the target is TARGET_B."""
    return load_entry(ENTRIES["kdd98"], subset, data_home)
