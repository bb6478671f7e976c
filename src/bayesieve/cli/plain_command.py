# SPDX-License-Identifier: BSD-3-Clause
"""A command whose texts, paths and choices are read without pydantic.

Typer loads pydantic and builds a schema for every option, also for those that are not given, which takes a tenth of a
second. Values that need neither conversion nor a message are read here, and all others by typer.
"""

import os
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

from typer.core import TyperCommand

__all__ = ["PlainCommand"]


class _NotPlainError(Exception):
    """A value that is not what it should be, or that has to be converted."""


class _PlainReader:
    """Reads the values of a parameter in place of typer's own reader."""

    def __init__(self, parameter: Any) -> None:
        self._parameter = parameter

    def __call__(self) -> "_PlainReader":
        """Return the reader, as the method of a parameter does."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as the type of its parameter."""
        kind, has_several = param.type_descriptor.annotation, param.multiple or param.nargs == -1
        try:
            if value is None:
                return () if has_several else None
            if type(value) is kind and value == param.default:
                return value
            if has_several and get_origin(kind) is list and isinstance(value, list | tuple):
                return [_read(get_args(kind)[0], each) for each in value]
            return _read(kind, value)
        except _NotPlainError:
            reader: Any = type(self._parameter).get_runtime_param(self._parameter)
            return reader.coerce(value, param=param, ctx=ctx)


def _read(kind: Any, value: Any) -> Any:
    if isinstance(value, str):
        if kind is str:
            return value
        if kind is Path and _may_be_read(value):
            return Path(value)
        if isinstance(kind, type) and issubclass(kind, Enum) and value in [each.value for each in kind]:
            return kind(value)
    raise _NotPlainError


def _may_be_read(path: str) -> bool:
    """Return whether there is no such file, or one that may be read: typer has a message for others."""
    try:
        os.stat(path)
    except OSError:
        return True
    except ValueError:
        return False
    return os.access(path, os.R_OK)


class PlainCommand(TyperCommand):
    """A command of the program."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; those of versions of typer that do not use pydantic stay as they are."""
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            if hasattr(parameter, "get_runtime_param") and hasattr(parameter, "type_descriptor"):
                parameter.get_runtime_param = _PlainReader(parameter)
        return parameters
