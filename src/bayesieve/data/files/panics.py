# SPDX-License-Identifier: BSD-3-Clause
"""Panics of compiled readers: one sentence for the caller, no stack trace on the error stream."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_panic_traces"]

_LOCK = threading.Lock()


@contextmanager
def without_panic_traces() -> Iterator[None]:
    """Keep what is written to the error stream meanwhile, and write it there unless the code inside fails.

    A damaged file lets polars panic: its Rust library writes a stack trace before Python sees the exception. One thread
    at a time redirects the stream of the process; others go on as usual.
    """
    if not _LOCK.acquire(blocking=False):
        yield
        return
    try:
        with tempfile.TemporaryFile() as kept:
            with _redirected(kept.fileno()):
                yield
            kept.seek(0)
            if text := kept.read():
                os.write(2, text)
    finally:
        _LOCK.release()


@contextmanager
def _redirected(target: int) -> Iterator[None]:
    """Let the error stream go to another file."""
    try:
        saved = os.dup(2)
    except OSError:  # there is no error stream
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
