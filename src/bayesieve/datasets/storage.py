# SPDX-License-Identifier: BSD-3-Clause
"""The folders of the data sets: one that the user names, or a cache."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bayesieve.data import COMPRESSIONS

__all__ = ["cache_folder", "find_files", "homes"]


def cache_folder() -> Path:
    """Return the folder of downloads: ``BAYESIEVE_CACHE``, or the cache folder of the platform."""
    folder = os.environ.get("BAYESIEVE_CACHE")
    if folder:
        return Path(folder).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bayesieve"
    variable, fallback = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / fallback) / "bayesieve"


def homes(data_home: str | os.PathLike[str] | None) -> list[Path]:
    """Return the folders to search, in this order."""
    named = [data_home, os.environ.get("BAYESIEVE_DATA")]
    return [Path(home).expanduser() for home in named if home] + [cache_folder()]


def find_files(folder: Path, names: Sequence[str]) -> list[Path] | None:
    """Return the paths of all these files, each plain or compressed; None if one does not exist."""
    paths = [_find_file(folder, name) for name in names]
    return [path for path in paths if path] if all(paths) else None


def _find_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}{suffix}" for suffix in ("", *COMPRESSIONS))
    return next((path for path in candidates if path.is_file()), None)
