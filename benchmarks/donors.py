# SPDX-License-Identifier: BSD-3-Clause
"""A mailing, from the table to decisions, against the fit of a boosted ensemble.

Each has its own process and one thread, and the measure is processor time: with threads that spin while they wait, the
result would depend on the load of the machine.
"""

import gc
import json
import os
import pickle
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from bayesieve import BenefitClassifier, SelectiveNaiveBayes
from bayesieve.datasets import make_donors
from benchmarks.memory import peak
from benchmarks.report import Row, Section

__all__ = ["run"]

_GIFTS = ["LASTGIFT", "AVGGIFT"]
_REPEATS = 2


def run(full: bool) -> Section:
    """Measure bins, a forward search for 20 columns, probabilities and decisions of 95,412 people."""
    runs: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
    with TemporaryDirectory() as folder:
        table = Path(folder) / "campaign.pickle"
        table.write_bytes(pickle.dumps(make_donors(random_state=1), protocol=5))
        for _ in range(_REPEATS):
            for name, each in runs.items():
                each.append(_run_apart(name, table))
    best = {name: {key: min(one[key] for one in each) for key in each[0]} for name, each in runs.items()}
    ours, theirs = best["ours"], best["theirs"]
    rows = [
        Row(
            "from the table to decisions, to the fit of the ensemble",
            ours["seconds"],
            theirs["seconds"],
            "s",
            5.0,
            gain=True,
        ),
        Row("peak memory beyond the input, to one GiB", ours["megabytes"], 1073.7, "MB", 1.0),
        Row("peak memory beyond the input", ours["megabytes"], theirs["megabytes"], "MB"),
    ]
    notes = [f"expected profit: ours ${ours['profit']:,.0f}, the ensemble ${theirs['profit']:,.0f}, on new people"]
    title = "A mailing of 95,412 people, 478 columns, one thread: 20 columns by the Brier score, and whom to mail"
    return Section(title, "HistGradientBoostingClassifier", rows, notes)


def _run_apart(name: str, table: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.donors", name, str(table)]
    here = Path(__file__).resolve().parents[1]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=here, env=one_thread).stdout
    measured: dict[str, float] = json.loads(output.splitlines()[-1])
    return measured


def _measure(name: str, table: Path) -> dict[str, float]:
    warnings.simplefilter("ignore")  # the small warm-up selects nothing
    # From a file: the simulation needs more memory than the table, and would raise the peak before the fit.
    with table.open("rb") as file:
        campaign, small = pickle.load(file), make_donors(1000, random_state=2)
    _TASKS[name](small)  # libraries are loaded at first use
    _reset_peak()
    before, began = peak(), time.process_time()
    model = _TASKS[name](campaign)
    measured = {"seconds": time.process_time() - began, "megabytes": (peak() - before) / 1e6}
    new = make_donors(random_state=3)
    amounts = _amounts(campaign).predict(new.data)
    mailed = model.predict_proba(new.data)[:, 1] * amounts > new.cost
    value = new.probabilities * new.expected_amounts - new.cost
    return {**measured, "profit": float(value[mailed].sum())}


def _reset_peak() -> None:
    """Reset the peak to the present memory."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # Linux only; without it the figure would be too low


def _ours(campaign: Any) -> Any:
    inner = SelectiveNaiveBayes("forward", n_features=20, cv=0, weights="none", bins="best", n_jobs=1)
    regression = make_pipeline(make_column_transformer(("passthrough", _GIFTS)), LinearRegression())
    model = BenefitClassifier(inner, regression, cost=campaign.cost)
    model.fit(campaign.data, campaign.target, amounts=campaign.amounts)
    assert np.isin(model.predict(campaign.data), (0, 1)).all()
    return model


def _theirs(campaign: Any) -> Any:
    return HistGradientBoostingClassifier(random_state=0).fit(campaign.data, campaign.target)


def _amounts(campaign: Any) -> Any:
    gave = campaign.target == 1
    regression = make_pipeline(make_column_transformer(("passthrough", _GIFTS)), LinearRegression())
    return regression.fit(campaign.data[gave], campaign.amounts[gave])


_TASKS = {"ours": _ours, "theirs": _theirs}

if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]))))
