"""Files that a command writes: none of them may be one that it reads, or another that it writes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bayesieve.data import check_writable
from bayesieve.exceptions import ParameterError

__all__ = ["check_places"]


def check_places(written: Mapping[str, Path | None], read: Sequence[Path]) -> None:
    """Refuse to write where nothing can be written, over a file that is read, or two files to one place.

    ``written`` are the places by what they are called on the command line.
    """
    taken = {path.expanduser().resolve(): "a file that is read" for path in read}
    for name, path in written.items():
        if path is None:
            continue
        place = path.expanduser().resolve()
        if place in taken:
            raise ParameterError(
                f"{name} would be written to {str(path)!r}, which is {taken[place]}; name another file."
            )
        taken[place] = f"that of {name}"
        check_writable(path)
