"""A whole mailing, from the table to decisions, against the fit of a boosted ensemble.

Each has a process of its own and one thread, and what counts is the processor's time: threads that wait for each other
by turning in circles would make a busy machine decide.
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
    found: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
    with TemporaryDirectory() as folder:
        table = Path(folder) / "campaign.pickle"
        table.write_bytes(pickle.dumps(make_donors(random_state=1), protocol=5))
        for _ in range(_REPEATS):
            for name, each in found.items():
                each.append(_apart(name, table))
    best = {name: {key: min(one[key] for one in each) for key in each[0]} for name, each in found.items()}
    ours, theirs = best["ours"], best["theirs"]
    rows = [
        Row("from the table to decisions, to the fit alone", ours["seconds"], theirs["seconds"], "s", 5.0, gain=True),
        Row("peak memory beyond the input, to one GiB", ours["megabytes"], 1073.7, "MB", 1.0),
        Row("peak memory beyond the input", ours["megabytes"], theirs["megabytes"], "MB"),
    ]
    notes = [f"expected profit: ours ${ours['profit']:,.0f}, by the ensemble ${theirs['profit']:,.0f}, on new people"]
    title = "A mailing of 95,412 people, 478 columns, one thread: 20 columns by the Brier score, and whom to mail"
    return Section(title, "HistGradientBoostingClassifier", rows, notes)


def _apart(name: str, table: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.donors", name, str(table)]
    here = Path(__file__).resolve().parents[1]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=here, env=alone).stdout
    measured: dict[str, float] = json.loads(told.splitlines()[-1])
    return measured


def _here(name: str, table: Path) -> dict[str, float]:
    warnings.simplefilter("ignore")  # the small warm-up finds nothing
    # From a file: to simulate the table takes more memory than the table, and the fit would find it free.
    with table.open("rb") as file:
        campaign, small = pickle.load(file), make_donors(1000, random_state=2)
    _TASKS[name](small)  # whatever is loaded at first use
    _forget_peak()
    before, began = peak(), time.process_time()
    model = _TASKS[name](campaign)
    measured = {"seconds": time.process_time() - began, "megabytes": (peak() - before) / 1e6}
    new = make_donors(random_state=3)
    amounts = _amounts(campaign).predict(new.data)
    mailed = model.predict_proba(new.data)[:, 1] * amounts > new.cost
    value = new.probabilities * new.expected_amounts - new.cost
    return {**measured, "profit": float(value[mailed].sum())}


def _forget_peak() -> None:
    """Let the peak be what is held now."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # Linux only, as a wrong figure would flatter


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
    print(json.dumps(_here(sys.argv[1], Path(sys.argv[2]))))
