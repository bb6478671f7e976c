# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per command; files that start with the name of a command belong to it."""

import atexit
import gc
import sys
from typing import Final

from bayesieve.cli.deferred_modules import defer_modules
from bayesieve.cli.early_interrupt import allow_early_exit

__all__ = ["main"]

_YOUNG_OBJECTS: Final = 200_000  # more than a fit of a small table makes; looking for garbage twice took 3 % of it


def _collect_less() -> None:
    """Let the collector of reference cycles look at the objects of a short program once, and not at its end again."""
    gc.set_threshold(_YOUNG_OBJECTS)
    atexit.register(gc.freeze)  # first, so that it is called last


def main() -> None:
    """Run the command line; its libraries come with the extra ``[cli]``."""
    allow_early_exit()
    _collect_less()
    defer_modules()
    try:
        from bayesieve.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.stderr.write(
            f"The command line needs {error.name}, which is not installed: pip install 'bayesieve[cli]'.\n"
        )
        raise SystemExit(2) from None
    app()
