# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C while a command loads its libraries: it ends at once, with a sentence.

An exception in the middle of an import may be caught there and become another error, so that none is raised.
"""

import os
import signal
import sys
from types import FrameType
from typing import Final

__all__ = ["INTERRUPTED", "allow_early_exit", "end_early_exit"]

INTERRUPTED: Final = 130  # the exit code that shells give to Ctrl-C


def _exit_at_once(number: int, frame: FrameType | None) -> None:
    sys.stderr.write("Interrupted before the command began; nothing was read or written.\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def allow_early_exit() -> None:
    """Let Ctrl-C end the program at once, until the command begins; a program that ignores it still does."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_at_once)


def end_early_exit() -> None:
    """Let Ctrl-C be an exception again."""
    if signal.getsignal(signal.SIGINT) is _exit_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
