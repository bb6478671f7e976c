# SPDX-License-Identifier: BSD-3-Clause
"""Files of the data sets: in a folder that the user names or in a cache, or downloaded from their public source."""

import http.client
import io
import os
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from bayesieve.data import COMPRESSIONS
from bayesieve.exceptions import DataError, DownloadError

__all__ = ["cache_folder", "download", "find_files", "homes", "locate"]

_TIMEOUT = 30.0  # seconds without an answer
_MOST_BYTES = 2**30  # of a body, or of a member of an archive


def locate(
    name: str,
    url: str,
    files: Sequence[str],
    data_home: str | os.PathLike[str] | None,
    others: Sequence[str] = (),
) -> list[Path]:
    """Return the paths of a data set's files: on this machine, or downloaded together with others."""
    for home in homes(data_home):
        paths = find_files(home / name, files)
        if paths:
            return paths
    folder = (Path(data_home).expanduser() if data_home else cache_folder()) / name
    download(url, files, others, folder)
    paths = find_files(folder, files)
    if not paths:
        raise DataError(f"{name}: {files[0]} was downloaded into {folder} but does not exist there.")
    return paths


def download(url: str, names: Sequence[str], others: Sequence[str], folder: Path) -> None:
    """Download the named files into a folder, and the others if the same archive has them.

    ``BAYESIEVE_DATA_URL`` replaces the scheme and host, for a mirror of the sources.
    """
    url = _mirrored(url)
    body = _fetch(url, f"{folder.name}/{names[0]}")
    suffix = PurePosixPath(urllib.parse.urlsplit(url).path).suffix
    if suffix == ".zip":
        files = _members(body, names, others, url)
    else:
        files = {names[0] + (suffix if suffix in COMPRESSIONS else ""): body}
    try:
        _store(files, folder)
    except OSError as error:
        raise DownloadError(
            f"{url} was downloaded but cannot be saved in {folder} ({error.strerror or error}); "
            "set another folder with data_home or BAYESIEVE_CACHE."
        ) from None


def _mirrored(url: str) -> str:
    mirror = os.environ.get("BAYESIEVE_DATA_URL")
    if not mirror:
        return url
    return mirror.rstrip("/") + urllib.parse.urlsplit(url).path


def _fetch(url: str, example: str) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "bayesieve"})
    try:
        _refuse_plain(url)
        with urllib.request.build_opener(_Redirects).open(request, timeout=_TIMEOUT) as response:
            body: bytes = response.read(_MOST_BYTES + 1)
            if len(body) > _MOST_BYTES:
                raise ValueError(f"it has more than {_MOST_BYTES} bytes")
            if response.length:  # the bytes that were announced and did not come
                raise http.client.IncompleteRead(body, response.length)
    except urllib.error.HTTPError as error:
        reason = f"the server answered {error.code} {error.reason}"
    except http.client.IncompleteRead as error:
        reason = f"the connection broke after {len(error.partial)} bytes"
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(getattr(error, "reason", error)) or type(error).__name__
    else:
        return body
    raise DownloadError(
        f"{url} could not be downloaded ({reason}); set BAYESIEVE_DATA to a folder that holds {example} if you have it."
    )


def _refuse_plain(url: str) -> None:
    """Refuse what is not encrypted, except from a mirror that the user named."""
    if urllib.parse.urlsplit(url).scheme != "https" and not os.environ.get("BAYESIEVE_DATA_URL"):
        raise ValueError("only https is downloaded")


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        _refuse_plain(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _members(body: bytes, names: Sequence[str], others: Sequence[str], url: str) -> Mapping[str, bytes]:
    """Return members of a zip archive, from any of its folders."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            member = {PurePosixPath(path).name: path for path in reversed(archive.namelist())}
            absent = [name for name in names if name not in member]
            if not absent:
                return {name: _unpack(archive, member[name]) for name in (*names, *others) if name in member}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DownloadError(f"{url} is not a complete zip archive ({error}).") from None
    raise DownloadError(f"The archive {url} does not hold {absent[0]}; its layout may have changed.")


def _unpack(archive: zipfile.ZipFile, member: str) -> bytes:
    with archive.open(member) as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise zipfile.BadZipFile(f"{member} has more than {_MOST_BYTES} bytes")
    return content


def _store(files: Mapping[str, bytes], folder: Path) -> None:
    """Write each file under another name and then rename it, so that no incomplete file is ever read."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


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
