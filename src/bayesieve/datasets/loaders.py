# SPDX-License-Identifier: BSD-3-Clause
"""The public functions, one per data set."""

import os

from sklearn.utils import Bunch

from bayesieve.datasets.loading import load_entry
from bayesieve.datasets.manifest import ENTRIES

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
