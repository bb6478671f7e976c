# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per command; files that start with the name of a command belong to it."""

import os
import sys
from typing import Final

__all__ = ["INTERRUPTED", "NOT_BEGUN", "main"]

INTERRUPTED: Final = 130
"""The exit code that shells give to Ctrl-C."""

NOT_BEGUN: Final = "Interrupted before the command began; nothing was read or written."
"""What Ctrl-C prints while libraries are loaded."""


def main() -> None:
    """Run the command line; its libraries come with the extra ``[cli]``."""
    _open_outputs()
    try:
        from bayesieve.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.stderr.write(
            f"The command line needs {error.name}, which is not installed: pip install 'bayesieve[cli]'.\n"
        )
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write(f"{NOT_BEGUN}\n")
        raise SystemExit(INTERRUPTED) from None
    app()


def _open_outputs() -> None:
    """Let characters that an output does not have be replaced, and what goes to a closed output vanish."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
