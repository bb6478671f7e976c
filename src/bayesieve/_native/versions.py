# SPDX-License-Identifier: BSD-3-Clause
"""Versions of all that decides a result, for a report of a fault."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from bayesieve._native import available

__all__ = ["show_versions"]

_PACKAGES = (
    *("bayesieve", "numpy", "scipy", "scikit-learn", "narwhals", "joblib", "pandas", "polars", "pyarrow", "matplotlib"),
    *("typer", "rich", "dask", "onnx", "onnxruntime", "sqlglot", "skops"),
)


def show_versions() -> None:
    """Print the versions of Python, of this library and of those that it uses, and whether the core is compiled."""
    lines = {"Python": platform.python_version(), "platform": platform.platform()}
    lines["compiled core"] = "yes" if available() else "no"
    lines |= {name: _version(name) for name in _PACKAGES}
    width = max(map(len, lines))
    sys.stdout.write("".join(f"{name:<{width}}  {value}\n" for name, value in lines.items()))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
