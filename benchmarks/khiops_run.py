# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with Khiops and without this library: the bins of a table.

The folder holds ``data.txt`` (tabs, a header, the class last) and ``kinds.json`` (name of each column: "Numerical" or
"Categorical"); the result is ``bins.json``.
"""

import json
import resource
import sys
import time
from pathlib import Path

# That environment has no package bayesieve to import from.
sys.path.append(str(Path(__file__).resolve().parents[1] / "src" / "bayesieve" / "experiments" / "peers"))

from khiops_script import import_khiops, train

__all__ = ["run"]


def run(folder: Path) -> None:
    """Run Khiops's data preparation, and write the bins of each informative column."""
    kh = import_khiops()
    kinds = json.loads((folder / "kinds.json").read_text(encoding="utf-8"))
    report = folder / "report.khj"
    begin = time.perf_counter()
    train(
        kh,
        kinds,
        folder / "data.txt",
        report,
        do_data_preparation_only=True,
        keep_selected_variables_only=False,
    )
    done = time.perf_counter()
    answer = _bins(json.loads(report.read_text(encoding="utf-8", errors="replace"))["preparationReport"])
    taken = {"wall": done - begin, "processor": _children(), "reading": time.perf_counter() - done}
    (folder / "bins.json").write_text(json.dumps({**answer, "seconds": taken}), encoding="utf-8")


def _children() -> float:
    """Return the processor time of Khiops's processes, which depends less on other programs of the machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bins(report: dict) -> dict:
    """Return class counts of bins, and for categories the values of each."""
    columns = {}
    details = report.get("variablesDetailedStatistics", {})
    for statistics in report["variablesStatistics"]:
        grid = details.get(statistics["rank"], {}).get("dataGrid")
        if grid is None:  # a single bin
            continue
        dimension = grid["dimensions"][0]
        columns[statistics["name"]] = {
            "counts": grid["partTargetFrequencies"],
            "groups": dimension["partition"] if dimension["type"] == "Categorical" else None,
            "default": dimension.get("defaultGroupIndex"),
            "costs": [statistics[f"{kind}Cost"] for kind in ("construction", "preparation", "data")],
        }
    return {"classes": report["summary"]["targetValues"]["values"], "columns": columns}


if __name__ == "__main__":
    run(Path(sys.argv[1]))
