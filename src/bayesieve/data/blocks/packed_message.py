# SPDX-License-Identifier: BSD-3-Clause
"""Messages between processes, in which large arrays take as few bytes as their numbers need.

Sums of gradients are integers of 64 bits of which a third are leading zeros, and scores are multiples of 2^-40. All
first bytes of an array's numbers come first, then all second bytes, and so on: what hardly varies stands together, and
the compression of zlib takes it away. Every bit comes back.
"""

import pickle
import zlib
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["PackedMessage", "pack", "unpack"]

_LEAST: Final = 1 << 14  # bytes of an array that is compressed: less is not worth the time
_LEVEL: Final = 1


class _PackedArray(NamedTuple):
    """Compressed bytes, and how many a number has; 0 for bytes as they are."""

    data: bytes
    itemsize: int


class PackedMessage(NamedTuple):
    """A pickled object, and its large arrays apart."""

    head: bytes
    arrays: tuple[_PackedArray, ...]


def pack(message: Any) -> PackedMessage:
    """Return a message to send.

    >>> packed = pack(np.arange(100_000))
    >>> sum(len(array.data) for array in packed.arrays) < 100_000 * 8 // 4
    True
    >>> bool((unpack(packed) == np.arange(100_000)).all())
    True
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    return PackedMessage(head, tuple(map(_packed, buffers)))


def unpack(message: PackedMessage) -> Any:
    """Return what was packed."""
    return pickle.loads(message.head, buffers=map(_unpacked, message.arrays))


def _packed(buffer: pickle.PickleBuffer) -> _PackedArray:
    with memoryview(buffer) as own:
        itemsize = own.itemsize
    raw = buffer.raw()
    if raw.nbytes >= _LEAST:
        by_place = np.frombuffer(raw, dtype=np.uint8).reshape(-1, itemsize).T
        data = zlib.compress(by_place.tobytes(), _LEVEL)
        if len(data) < raw.nbytes:
            return _PackedArray(data, itemsize)
    return _PackedArray(raw.tobytes(), 0)


def _unpacked(array: _PackedArray) -> bytearray:
    if not array.itemsize:
        return bytearray(array.data)
    by_place = np.frombuffer(zlib.decompress(array.data), dtype=np.uint8).reshape(array.itemsize, -1)
    return bytearray(by_place.T.tobytes())  # arrays of it can be written to
