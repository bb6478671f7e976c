# SPDX-License-Identifier: BSD-3-Clause
"""Data sets that can be loaded, and the names of the others, which an experiment passes over."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bayesieve.exceptions import DataError, DownloadError, ParameterError

__all__ = ["check_names", "present_sets"]


def check_names(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse the name of a data set that an experiment does not have."""
    known = list(known)
    if unknown := [name for name in names if name not in known]:
        raise ParameterError(f"There is no data set {unknown[0]!r}; choose from {', '.join(known)}.")


def present_sets(loaders: Mapping[str, Callable[[], Any]]) -> tuple[list[str], list[str]]:
    """Return the names of the data sets that can be loaded, and one sentence per other data set."""
    present, notes = [], []
    for name, load in loaders.items():
        try:
            load()
        except (DataError, DownloadError) as error:
            notes.append(f"The data set {name} is passed over: {error}")
        else:
            present.append(name)
    return present, notes
