# SPDX-License-Identifier: BSD-3-Clause
"""Memory that is freed stays with the process: what is allocated next need not be cleared by the system again."""

import ctypes
import sys

__all__ = ["keep_freed_memory"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # parameters of mallopt, of the C library of GNU
_MOST_KEPT = (1 << 31) - 1  # bytes, the largest int
_LARGEST = 1 << 30  # bytes of an allocation that is kept
_LARGEST_BEFORE = 1 << 25  # the same in older libraries


def keep_freed_memory() -> None:
    """Let the allocator keep arrays that are freed, where it can; the largest amount in use stays what it is.

    All folds of a fit allocate arrays of the same sizes; without this, the system clears their pages each time.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _MOST_KEPT)
        if not mallopt(_MMAP_THRESHOLD, _LARGEST):
            mallopt(_MMAP_THRESHOLD, _LARGEST_BEFORE)
