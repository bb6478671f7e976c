"""Run the benchmarks: ``python -m benchmarks [sections] [--full] [--json FILE]``."""

import argparse
import json
import os
import platform
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import sklearn

from bayesieve._native import core

_GROUPS = {"modl": ("modl_agreement", "modl_search", "modl_speed")}
_SECTIONS = (
    "scan",
    "threads",
    "twins",
    "wrapper",
    "growth",
    "memory",
    "classifier",
    "votes",
    "donors",
    "scale",
    "out_of_core",
    "filters",
    "filters_weka",
    *_GROUPS["modl"],
)
_KNOWN = (*_SECTIONS, *_GROUPS)


def main() -> None:
    """Print a table a section, and write all figures to a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory as ratios.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"some of {', '.join(_KNOWN)}; all if none")
    parser.add_argument("--full", action="store_true", help="let peers search for all columns (several minutes each)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args()
    unknown = set(given.sections) - set(_KNOWN)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(_KNOWN)}")
    if core is None:
        parser.error("the compiled core is missing: nothing to measure")
    machine = _machine()
    print("# bayesieve benchmarks\n\n" + ", ".join(f"{name} {value}" for name, value in machine.items()), flush=True)
    results = {}
    sections = [name for given_name in given.sections for name in _GROUPS.get(given_name, (given_name,))]
    for name in sections or _SECTIONS:
        begin = time.perf_counter()
        section = import_module(f"benchmarks.{name}").run(given.full)
        print(f"\n{section.to_markdown()}\n\n({time.perf_counter() - begin:.0f} s)", flush=True)
        results[name] = section.to_dict()
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps({"machine": machine, "sections": results}, indent=2) + "\n")


def _machine() -> dict[str, object]:
    """Describe what the figures hold for; a load above zero at the start means noise."""
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "AVX2": core.uses_avx2(),
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


if __name__ == "__main__":
    main()
