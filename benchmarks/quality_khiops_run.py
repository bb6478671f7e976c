# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with Khiops and without this library: one selective naive Bayes of Khiops."""

import json
import resource
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[1] / "src" / "bayesieve" / "experiments" / "peers"))

from khiops_script import deploy, import_khiops, n_columns, train

from benchmarks.quality_exchange import Answer, Problem

__all__ = ["run"]


def run(folder: Path) -> None:
    """Fit on a file that is written before the clock starts, and predict."""
    kh = import_khiops()
    problem = Problem.read(folder)
    kinds = {**problem.kinds("Numerical", "Categorical"), "class": "Categorical"}
    options = {"sep": "\t", "index": False}
    problem.train.assign(**{"class": problem.target}).to_csv(folder / "train.txt", **options)
    problem.test.assign(**{"class": 0}).to_csv(folder / "test.txt", **options)
    before = _children()
    model = train(kh, kinds, folder / "train.txt", folder / "report.khj", max_cores=1, **problem.settings)
    seconds = _children() - before
    document = json.loads((folder / "report.khj").read_text(encoding="utf-8", errors="replace"))
    answer = deploy(kh, model, "class", folder)
    probabilities = [row[answer["labels"].index("1")] for row in answer["probabilities"]]
    # A tree is one column of the model, whatever columns it splits.
    n_used = None if problem.settings.get("max_trees") else n_columns(document)
    Answer(probabilities, n_used, 0, seconds).write(folder)


def _children() -> float:
    """Return the processor time of Khiops's processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    run(Path(sys.argv[1]))
