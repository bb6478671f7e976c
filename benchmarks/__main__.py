# SPDX-License-Identifier: BSD-3-Clause
"""Run the benchmarks: ``python -m benchmarks [sections] [--full] [--json FILE]``.

``python -m benchmarks quality`` compares the predictions of classifiers instead, takes hours, and has its
own options; so have ``python -m benchmarks subsets``, columns of selectors judged by others, ``size``, the share of the
gain of all columns that the automatic size keeps, ``promise``, whether a model's own log loss is that of test rows,
``own_scores``, the same of simulated rows, and ``intervals``, how often intervals of probabilities hold the truth.
"""

import argparse
import json
import os
import platform
import sys
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
    "numpy_engines",
    "wrapper",
    "growth",
    "memory",
    "classifier",
    "scorecard_speed",
    "onnx_scoring",
    "few_rows",
    "wrapper_judge",
    "votes",
    "donors",
    "scale",
    "scorecard_scale",
    "out_of_core",
    "filters",
    "filters_weka",
    *_GROUPS["modl"],
)
_NAMES = (*_SECTIONS, *_GROUPS)
_OWN_OPTIONS = ("quality", "subsets", "size", "promise", "own_scores", "intervals")


def main() -> None:
    """Print one table per section, and write all figures to a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory as ratios.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"some of {', '.join(_NAMES)}; all if none")
    parser.add_argument("--full", action="store_true", help="full problems and all peers (minutes per section)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    unknown = set(args.sections) - set(_NAMES)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(_NAMES)}")
    if core is None:
        parser.error("the compiled core is missing: nothing to measure")
    machine = _machine()
    print("# bayesieve benchmarks\n\n" + ", ".join(f"{name} {value}" for name, value in machine.items()), flush=True)
    results = {}
    sections = [name for section in args.sections for name in _GROUPS.get(section, (section,))]
    for name in sections or _SECTIONS:
        begin = time.perf_counter()
        section = import_module(f"benchmarks.{name}").run(args.full)
        print(f"\n{section.to_markdown()}\n\n({time.perf_counter() - begin:.0f} s)", flush=True)
        results[name] = section.to_dict()
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps({"machine": machine, "sections": results}, indent=2) + "\n")


def _machine() -> dict[str, object]:
    """Describe the machine of the figures; a load above zero at the start means noise."""
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "kernels": core.vector_build(),
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in _OWN_OPTIONS:
        import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
    else:
        main()
