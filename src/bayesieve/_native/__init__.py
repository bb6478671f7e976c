# SPDX-License-Identifier: BSD-3-Clause
"""Loader of the compiled core: ``core`` is the module, or None if NumPy versions replace it."""

import os
import warnings
from functools import cache

from bayesieve.exceptions import NativeCoreWarning

__all__ = ["available", "core", "warn_if_missing"]

_why_missing, _remedy = "", ""

# An imported module cannot be declared optional, hence the two ignores.
try:
    if os.environ.get("BAYESIEVE_NATIVE") == "0":
        raise ImportError("BAYESIEVE_NATIVE=0 disables it")
    import bayesieve._native._core as core
except ModuleNotFoundError:
    core = None  # type: ignore[assignment]
    _why_missing, _remedy = "no compiler was found when it was installed", "reinstall with a C++17 compiler"
except ImportError as error:
    core = None  # type: ignore[assignment]
    _why_missing, _remedy = str(error), "unset the variable or reinstall"


def available() -> bool:
    """Return whether the compiled core is in use."""
    return core is not None


@cache
def warn_if_missing() -> None:
    """Warn, once per process, if the compiled core is not in use."""
    if not available():
        warnings.warn(
            f"bayesieve runs without its compiled core ({_why_missing}), so searches are much slower: {_remedy}.",
            NativeCoreWarning,
            stacklevel=3,
        )
