# SPDX-License-Identifier: BSD-3-Clause
"""The model file: one JSON document with a version and a checksum; reading it runs nothing of it."""

import os
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bayesieve.data import write_atomically
from bayesieve.data.document import Entry, canonical, is_sealed, parse_strictly, seal
from bayesieve.exceptions import ModelFileError
from bayesieve.model_file.plain_model import model_from_plain, model_to_plain
from bayesieve.model_file.saved_model import SavedModel

__all__ = ["BUILDERS", "load_model", "read_model", "write_model"]

_FORMAT = "bayesieve model"
_VERSION = 1
_OURS = re.compile(r'\s*\{\s*"checksum"\s*:\s*"sha256:|"format"\s*:\s*"bayesieve model"')
_HEAD = 1000  # characters that hold the format of a model file

BUILDERS: dict[str, Callable[[SavedModel], Any]] = {}
"""The function that builds the estimator of each name; estimators that can be saved register themselves."""


def load_model(path: str | os.PathLike[str]) -> Any:
    """Return the fitted estimator of a model file, by the builder of its name; see `bayesieve.load`."""
    model = read_model(path)
    if model.estimator not in BUILDERS:
        known = ", ".join(sorted(BUILDERS)) or "none"
        raise ModelFileError(
            f"The model file {str(path)!r} holds a {model.estimator!r:.60}; this release can load: {known}."
        )
    return BUILDERS[model.builder](model)


def write_model(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model; the file is the old one or the new one at any moment."""
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": f"bayesieve {version('bayesieve')}",
        "model": model_to_plain(model),
    }
    write_atomically(path, canonical(seal(content)) + b"\n", "The model file", ModelFileError)


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read and check a model."""
    name = f"The file {str(path)!r}"
    document = _parse(path, name)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ModelFileError(f"{name} is not a bayesieve model.")
    _check_version(document.get("version"), name)
    if not is_sealed(document):
        raise ModelFileError(f"{name} was edited: its checksum does not match; save the model again.")
    try:
        fields = Entry(document, "the document").fields("checksum", "format", "version", "written_by", "model")
        return model_from_plain(Entry(fields["model"].value, "model"))
    except ModelFileError as error:
        raise ModelFileError(f"{name} is damaged: {error}") from None


def _parse(path: str | os.PathLike[str], name: str) -> Any:
    try:
        text = Path(path).read_bytes().decode()
    except OSError as error:
        raise ModelFileError(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ModelFileError(f"{name} is damaged or not a bayesieve model: it is not UTF-8.") from None
    try:
        return parse_strictly(text)
    except (ValueError, RecursionError):
        wrong = "is truncated or damaged" if _OURS.search(text[:_HEAD]) else "is not a bayesieve model"
        raise ModelFileError(f"{name} {wrong}.") from None


def _check_version(found: Any, name: str) -> None:
    if type(found) is not int or found < 1:
        raise ModelFileError(f"{name} is damaged: its version is {found!r:.60}.")
    if found > _VERSION:
        raise ModelFileError(
            f"{name} was written by a newer release: its format has version {found}, this one reads up to {_VERSION}."
        )
