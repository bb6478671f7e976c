# SPDX-License-Identifier: BSD-3-Clause
"""Names of a package whose modules are loaded on first use."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, given the module of each name."""
    namespace = vars(sys.modules[package])

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = getattr(import_module(f"{package}.{modules[name]}"), name)
        return namespace[name]

    def names() -> list[str]:
        return sorted({*namespace, *modules})

    return get, names
