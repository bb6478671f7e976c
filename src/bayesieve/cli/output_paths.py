# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the files that a command writes: they must be writable, and none may be an input or another output."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bayesieve.data import check_writable
from bayesieve.exceptions import ParameterError

__all__ = ["check_output_paths"]


def check_output_paths(outputs: Mapping[str, Path | None], inputs: Sequence[Path]) -> None:
    """Refuse outputs that cannot be written, that would overwrite an input, or that are the same file.

    ``outputs`` has the paths by their names on the command line.
    """
    used = {path.expanduser().resolve(): "an input file" for path in inputs}
    for name, path in outputs.items():
        if path is None:
            continue
        absolute = path.expanduser().resolve()
        if absolute in used:
            raise ParameterError(
                f"{name} would be written to {str(path)!r}, which is {used[absolute]}; choose another file."
            )
        used[absolute] = f"the file of {name}"
        check_writable(path)
