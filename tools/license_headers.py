# SPDX-License-Identifier: BSD-3-Clause
"""Check that each source file names its license: ``python tools/license_headers.py [--fix] PATH ...``.

The first line of a file is a comment with the SPDX identifier of the license in ``LICENSE``; ``--fix`` adds it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

IDENTIFIER = "SPDX-License-Identifier: BSD-3-Clause"
COMMENTS = {".py": "#", ".pyi": "#", ".cpp": "//", ".hpp": "//", ".inc": "//"}


def header(path: Path) -> str:
    """Return the line with which a file begins."""
    return f"{COMMENTS[path.suffix]} {IDENTIFIER}\n"


def sources(paths: list[str]) -> Iterator[Path]:
    """Yield the source files under some folders."""
    for place in map(Path, paths):
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (file for file in files if file.suffix in COMMENTS)


def without_header(paths: list[str]) -> list[Path]:
    """Return the files whose first line is not the header."""
    return [file for file in sources(paths) if not file.read_text(encoding="utf-8").startswith(header(file))]


def main(arguments: list[str]) -> int:
    """Print files without a header, or add it; return the exit code."""
    paths = [each for each in arguments if each != "--fix"]
    missing = without_header(paths)
    for file in missing:
        if "--fix" in arguments:
            file.write_text(header(file) + file.read_text(encoding="utf-8"), encoding="utf-8")
        else:
            print(f"{file}: the first line must be {header(file).strip()!r}; make format adds it")
    return int(bool(missing) and "--fix" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
