# SPDX-License-Identifier: BSD-3-Clause
"""Two builds in turn, on the same problems: ``python -m benchmarks.alternate OLD NEW [sections] [--repeats N]``.

OLD and NEW are source trees, each with its compiled core built in. The figures are those of the sections of
``python -m benchmarks`` that measure this library alone; each build has a process of its own and makes its problems by
its own ``benchmarks`` package. Both take turns, so that a machine that slows down slows both.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

_SCRIPT = Path(__file__).resolve().parent / "alternate_run.py"
_SECTIONS = ("scan", "wrapper", "filters", "modl_speed", "classifier", "scorecard", "blocks", "memory")
_FOLDS = ("0", "5")  # of the fits whose memory is measured


class Build:
    """A process that measures one build."""

    def __init__(self, tree: Path) -> None:
        path = os.pathsep.join(map(str, (tree / "src", tree)))
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-P", str(_SCRIPT)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tree, env=environment
        )

    def ask(self, question: str) -> str:
        """Return the answer to one line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(question, file=self._process.stdin, flush=True)
        if not (answer := self._process.stdout.readline().strip()):
            raise RuntimeError(f"The build in {self._process.args} failed to measure {question!r}; see above.")
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Print the ratio of each figure, and the median."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alternate", description="Two builds, in turn.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"some of {', '.join(_SECTIONS)}; all if none")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each build; the least time counts")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(_SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(_SECTIONS)}")
    trees = (given.old.resolve(), given.new.resolve())
    if missing := [str(tree) for tree in trees if not list((tree / "src/bayesieve/_native").glob("_core*"))]:
        parser.error(f"no core is built in {', '.join(missing)}")
    figures: dict[str, tuple[float, float]] = {}
    print(f"{'ratio':>6} {'old':>10} {'new':>10}")
    for section in given.sections or _SECTIONS:
        found = _memory(trees) if section == "memory" else _times(section, trees, given.repeats)
        figures |= found
        ratios = [new / old for old, new in found.values()]
        print(f"{median(ratios):6.3f} {'':21} {section}: median, largest {max(ratios):.3f}\n", flush=True)
    ratios = [new / old for old, new in figures.values()]
    print(f"{median(ratios):6.3f} {'':21} median of {len(ratios)} figures, largest {max(ratios):.3f}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


def _times(section: str, trees: tuple[Path, Path], repeats: int) -> dict[str, tuple[float, float]]:
    """Return the least processor seconds of each figure in the old and the new build."""
    builds = [Build(tree) for tree in trees]
    names, new_names = (build.ask(section).split(";") for build in builds)
    if len(names) != len(new_names):
        raise RuntimeError(f"{section} has {len(names)} figures in the old build and {len(new_names)} in the new one.")
    figures = {}
    for i, name in enumerate(names):
        taken: list[list[float]] = [[], []]
        for k in range(2 * repeats):
            turn = (k + k // 2) % 2  # old, new, new, old: neither always comes after the other
            taken[turn].append(float(builds[turn].ask(f"{section}/{i}")))
        figures[f"{section}: {name}"] = _show(section, name, min(taken[0]) * 1e3, min(taken[1]) * 1e3, "ms")
    for build in builds:
        build.close()
    return figures


def _memory(trees: tuple[Path, Path]) -> dict[str, tuple[float, float]]:
    """Return the megabytes beyond the input that a fit needs; each fit has a process of its own."""
    figures = {}
    for folds in _FOLDS:
        needed = []
        for tree in trees:
            build = Build(tree)
            needed.append(float(build.ask(f"memory/{folds}")))
            build.close()
        name = f"fit with cv={folds}, 50,000 x 200"
        figures[f"memory: {name}"] = _show("memory", name, needed[0], needed[1], "MB")
    return figures


def _show(section: str, name: str, old: float, new: float, unit: str) -> tuple[float, float]:
    print(f"{new / old:6.3f} {old:7.4g} {unit} {new:7.4g} {unit} {section}: {name}", flush=True)
    return old, new


if __name__ == "__main__":
    main()
