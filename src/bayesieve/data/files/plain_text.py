# SPDX-License-Identifier: BSD-3-Clause
"""Decompress and decode text files; errors are one sentence."""

import bz2
import gzip
import lzma
import sys
import warnings
import zlib
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from bayesieve.exceptions import DataError, EncodingGuessWarning

__all__ = ["COMPRESSIONS", "STANDARD_INPUT", "decode", "read_bytes"]

COMPRESSIONS = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
STANDARD_INPUT = Path("-")
_MARKS = {b"\x1f\x8b": ".gz", b"\xfd7zXZ": ".xz", b"BZh": ".bz2"}  # first bytes, by which standard input is known


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed if its last suffix is that of a compressed file; ``-`` is stdin."""
    suffix = path.suffix.lower()
    try:
        if path == STANDARD_INPUT:
            content = _read_stream(sys.stdin.buffer)
            suffix = next((suffix for mark, suffix in _MARKS.items() if content.startswith(mark)), "")
        else:
            content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    decompress = COMPRESSIONS.get(suffix)
    if decompress is None:
        return content
    try:
        return decompress(content)
    except (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise DataError(f"{path} cannot be decompressed ({error}); the file seems truncated or damaged.") from None


@lru_cache(maxsize=1)
def _read_stream(stream: BinaryIO) -> bytes:
    """Read standard input once, since a table may be read again with other types."""
    return stream.read()


def decode(content: bytes, path: Path) -> str:
    r"""Return text whose lines end in ``\n``; text that is not UTF-8 is read as Windows-1252, with a warning."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = _decode_utf16(content, path)
    elif b"\0" in content:
        raise DataError(f"{path} holds zero bytes, so it is not a text file; CSV or ARFF text was expected.")
    else:
        text = _decode_bytes(content, path)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _decode_bytes(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        text, name = _decode_western(content)
        warnings.warn(
            f"{path} is not UTF-8 (byte 0x{content[error.start]:02X} in line {line}), so it was read as {name}; "
            "save it as UTF-8 if letters look wrong.",
            EncodingGuessWarning,
            stacklevel=2,
        )
        return text


def _decode_western(content: bytes) -> tuple[str, str]:
    """Return the text and its encoding: Windows-1252, as Excel writes CSV, has letters where latin-1 has controls."""
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:  # five bytes have no letter there
        return content.decode("latin-1"), "latin-1"


def _decode_utf16(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-16")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} begins as UTF-16 but ends early ({error.reason}); the file seems truncated.") from None
