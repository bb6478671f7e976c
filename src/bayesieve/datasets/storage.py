"""Where the files of the data sets are: in a folder that the user names, or in a cache."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bayesieve.data import COMPRESSIONS

__all__ = ["cache_folder", "find_files", "homes"]


def cache_folder() -> Path:
    """Return the folder of downloads: ``BAYESIEVE_CACHE``, or where this platform keeps such things."""
    chosen = os.environ.get("BAYESIEVE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bayesieve"
    variable, fallback = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / fallback) / "bayesieve"


def homes(data_home: str | os.PathLike[str] | None) -> list[Path]:
    """Return the folders to look in, in this order."""
    named = [data_home, os.environ.get("BAYESIEVE_DATA")]
    return [Path(home).expanduser() for home in named if home] + [cache_folder()]


def find_files(folder: Path, names: Sequence[str]) -> list[Path] | None:
    """Return the paths of all these files, each plain or compressed; None if one is not there."""
    found = [_find_file(folder, name) for name in names]
    return [path for path in found if path] if all(found) else None


def _find_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}{suffix}" for suffix in ("", *COMPRESSIONS))
    return next((path for path in candidates if path.is_file()), None)
