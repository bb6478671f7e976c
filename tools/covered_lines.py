# SPDX-License-Identifier: BSD-3-Clause
"""Compare the lines that tests reach with 95 % per file: ``python tools/covered_lines.py core.json src.json``.

The first file is gcovr's summary, the second one coverage.py's. A file below has a reason in ``tools/unreached.toml``;
so that no reason outlives its file, one that is not needed is an error, too.
"""

import json
import sys
import tomllib
from pathlib import Path

LEAST = 95.0
REASONS = Path(__file__).with_name("unreached.toml")


def shares(documents):
    """Return (reached, lines) of each file of both reports."""
    lines = {}
    for document in documents:
        if isinstance(document["files"], list):  # of gcovr
            lines |= {each["filename"]: (each["line_covered"], each["line_total"]) for each in document["files"]}
        else:
            totals = {name: each["summary"] for name, each in document["files"].items()}
            lines |= {name: (each["covered_lines"], each["num_statements"]) for name, each in totals.items()}
    return lines


def findings(lines, reasons):
    """Return what is wrong: files below without a reason, and reasons of files that need none."""
    below = {name: 100.0 * n / of for name, (n, of) in lines.items() if of and 100.0 * n / of < LEAST}
    unknown = [f"{name}: {below[name]:.1f} % of lines, and no reason" for name in sorted(set(below) - set(reasons))]
    idle = [f"{name}: has a reason and needs none" for name in sorted(set(reasons) - set(below))]
    return below, unknown + idle


def main(paths):
    """Print totals and the files below; return 1 if one has no reason."""
    lines = shares([json.loads(Path(path).read_text(encoding="utf-8")) for path in paths])
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    for folder in ("native/", "src/"):
        own = [each for name, each in lines.items() if name.startswith(folder)]
        reached, total = (sum(numbers) for numbers in zip(*own, strict=True)) if own else (0, 0)
        print(
            f"{folder} {len(own)} files, {reached} of {total} lines reached ({100.0 * reached / max(total, 1):.1f} %)"
        )
    below, wrong = findings(lines, reasons)
    for name in sorted(below):
        print(f"{below[name]:5.1f} % {name}: {reasons.get(name, '')}")
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
