# SPDX-License-Identifier: BSD-3-Clause
"""Messages between processes, in which large arrays take as few bytes as their numbers need.

Sums of gradients are integers of 64 bits of which a third are leading zeros, and scores are multiples of a power of
two. All first bytes of an array's numbers come first, then all second bytes, and so on: what hardly varies stands
together, and the compression of zlib takes it away. Small arrays, which may be many, are compressed with the rest of
the message. Every bit comes back.
"""

import pickle
import zlib
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["PackedMessage", "pack", "unpack"]

_LEAST: Final = 1 << 14  # bytes of an array that is compressed: less is not worth the time
_LEVEL: Final = 1


class _PackedArray(NamedTuple):
    """Compressed bytes, and how many a number has, 0 for bytes as they are; whether they are folded integers."""

    data: bytes
    itemsize: int
    folded: bool = False


class PackedMessage(NamedTuple):
    """A pickled object, compressed, and its large arrays apart."""

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

    def stays(buffer: pickle.PickleBuffer) -> bool:
        if buffer.raw().nbytes < _LEAST:
            return True
        buffers.append(buffer)
        return False

    head = pickle.dumps(message, protocol=5, buffer_callback=stays)
    return PackedMessage(zlib.compress(head, _LEVEL), tuple(map(_packed, buffers)))


def unpack(message: PackedMessage) -> Any:
    """Return what was packed."""
    return pickle.loads(zlib.decompress(message.head), buffers=map(_unpacked, message.arrays))


def _packed(buffer: pickle.PickleBuffer) -> _PackedArray:
    with memoryview(buffer) as own:
        itemsize, folded = own.itemsize, own.itemsize == 8 and own.format in ("l", "q")
    raw = buffer.raw()
    content = np.frombuffer(raw, dtype=np.uint8)
    if folded:  # 0, -1, 1, -2, ...: small numbers of both signs have leading zeros
        signed = content.view(np.int64)
        content = ((signed << 1) ^ (signed >> 63)).view(np.uint8)
    data = zlib.compress(content.reshape(-1, itemsize).T.tobytes(), _LEVEL)
    if len(data) < raw.nbytes:
        return _PackedArray(data, itemsize, folded)
    return _PackedArray(raw.tobytes(), 0)


def _unpacked(array: _PackedArray) -> bytearray:
    if not array.itemsize:
        return bytearray(array.data)
    by_place = np.frombuffer(zlib.decompress(array.data), dtype=np.uint8).reshape(array.itemsize, -1)
    content = bytearray(by_place.T.tobytes())  # arrays of it can be written to
    if array.folded:
        own = np.frombuffer(content, dtype=np.uint64)
        own[:] = (own >> np.uint64(1)) ^ (np.uint64(0) - (own & np.uint64(1)))
    return content
