# SPDX-License-Identifier: BSD-3-Clause
"""Modules that NumPy and scikit-learn import and few commands use: in this program they are loaded on first use.

``scipy._lib.array_api_compat`` names all modules of NumPy, and joblib imports asyncio for its caches.
A second ``import`` of such a module loads it, too.
``sklearn.utils.fixes`` imports ``scipy.stats``, which takes longer than all of scikit-learn, for one function. It also
imports pandas, if it is there, and uses it nowhere: it finds none here. A pandas that waits would not do,
because narwhals takes it for one that is loaded and asks it for its types.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Final

__all__ = ["DEFERRED", "defer_modules"]

DEFERRED: Final = frozenset(
    {
        *("numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing"),
        *("scipy.special", "scipy.stats"),
        "asyncio",
    }
)
_UNUSED: Final = {"pandas": "sklearn.utils.fixes"}


class _DeferringFinder:
    """Finds the deferred modules where Python would, with a loader that waits for the first attribute."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in _UNUSED and _is_being_imported(_UNUSED[fullname]):
            raise ModuleNotFoundError(f"{_UNUSED[fullname]} does without {fullname}.", name=fullname)
        if fullname not in DEFERRED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def _is_being_imported(name: str) -> bool:
    """Return whether a module has begun to be loaded and is not finished."""
    return bool(getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False))


def defer_modules() -> None:
    """Load the deferred modules on first use from now on; those that are loaded already stay as they are."""
    if not any(isinstance(finder, _DeferringFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _DeferringFinder())
