# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per command; files that start with the name of a command belong to it."""

import gc
import sys
from typing import Final

from bayesieve.cli.deferred_modules import defer_modules

__all__ = ["main"]

_YOUNG_OBJECTS: Final = (
    50_000  # Modules leave no garbage, and looking for it after 700 objects takes a twentieth of a fit.
)


def main() -> None:
    """Run the command line; its libraries come with the extra ``[cli]``."""
    gc.set_threshold(_YOUNG_OBJECTS)
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
