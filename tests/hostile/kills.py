"""Kills programs at random moments and lets them go on: ``python -m hostile.kills --kills 200 [--seed 1]``.

A program that was killed with signal 9 and started again must print what it prints when nothing happens, must do no
finished work again, and must leave no temporary file besides its own. Of the program ``worker`` a Dask worker is killed
instead, and the program goes on.
"""

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

_ROWS = """
import json, sys, warnings
import numpy as np
import bayesieve
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = rng.integers(0, 2, {n})
X = rng.normal(size=({n}, {d}))
X[:, ::4] += y[:, None] * 0.4
print("ready", flush=True)
"""
_FIT = (
    _ROWS.format(n=1500, d=60)
    + """
model = bayesieve.NaiveBayesSelector("floating", "auc", tol=None, n_jobs=1, n_features=(1, 20), random_state=0,
    checkpoint=sys.argv[1]).fit(X, y)
print(json.dumps([list(model.path_.order), [float(score).hex() for score in model.cv_results_["mean_test_score"]]]))
"""
)
_WEIGHTS = (
    _ROWS.format(n=3000, d=40)
    + """
model = bayesieve.SelectiveNaiveBayes(n_jobs=1, checkpoint=sys.argv[1]).fit(X, y)
print(model.predict_proba(X).tobytes().hex()[:4000])
"""
)
_EVALUATE = (
    _ROWS.format(n=300, d=12)
    + """
selectors = {name: bayesieve.FilterSelector(name, n_features=3, n_jobs=1) for name in ("mrmr", "jmi", "chi2")}
result = bayesieve.evaluate(selectors, bayesieve.SelectiveNaiveBayes(n_jobs=1), (X, y), sizes=[1, 3], cv=6,
    journal=sys.argv[1])
print(result.to_frame().drop(columns="seconds", errors="ignore").to_csv(index=False))
"""
)
_COMMAND = """
import json, sys
from pathlib import Path
from bayesieve.cli.app import app
place = Path(sys.argv[1])
place.mkdir(exist_ok=True)
rows = [f"{i % 7},{i % 11 + 3 * (i % 2)},{i * i % 13},{'yes' if i % 2 else 'no'}" for i in range(400)]
(place / "t.csv").write_text("\\n".join(["a,b,c,y", *rows]))
print("ready", flush=True)
app(["fit", str(place / "t.csv"), "--target", "y", "--method", "nb", "--cv", "3", "--model", str(place / "m.json"),
     "--checkpoint", str(place / "folds")], standalone_mode=False)
model = json.loads((place / "m.json").read_text())["model"]
model["training"].pop("trained")
print(json.dumps(model))
"""
_REPRODUCE = """
import sys
from bayesieve.cli.app import app
print("ready", flush=True)
options = ["--seeds", "2", "--series", "120", "--n-jobs", "1", "--out", sys.argv[1]]
app(["reproduce", "004", *options], standalone_mode=False)
"""
# Rows on Dask: `dask` is killed as a whole, with its checkpoint; `worker` is the worker that may be killed.
_ON_DASK = (
    _ROWS.partition("print(")[0].format(n=600, d=12)
    + """
import dask.dataframe as dd
import os
import pandas as pd
from distributed import Client, LocalCluster
if __name__ == "__main__":
    options = {options}
    with LocalCluster(threads_per_worker=1, dashboard_address=":0", silence_logs=50, **options) as cluster, Client(
        cluster
    ) as client:
        table = dd.from_pandas(pd.DataFrame(X).add_prefix("c").assign(y=y), npartitions=5, sort=False)
        workers = client.run(os.getpid).values()
        print(*(["worker", min(workers)] if options["processes"] else ["ready"]), flush=True)
        model = bayesieve.NaiveBayesSelector("floating", "brier", tol=None, n_features=(1, 6), random_state=0,
            checkpoint=sys.argv[1]).fit(table.drop(columns="y"), table["y"])
        scores = [float(score).hex() for score in model.cv_results_["mean_test_score"]]
        print(json.dumps([list(model.path_.order), scores]), flush=True)
"""
)
_DASK = _ON_DASK.replace("{options}", '{"n_workers": 2, "processes": False}')
_WORKER = _ON_DASK.replace("{options}", '{"n_workers": 2, "processes": True}')
PROGRAMS = {
    "fit": _FIT,
    "weights": _WEIGHTS,
    "evaluate": _EVALUATE,
    "command": _COMMAND,
    "reproduce": _REPRODUCE,
    "dask": _DASK,
    "worker": _WORKER,
}
_LEFT_OVER = (".new", ".try", ".tmp")


# Children of a process that has imported what they need: what is killed is the work, not the start of Python.
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["hostile.preloaded"])


def _execute(code, place, output):
    """Run a program in a child, whose output is a file."""
    with open(output, "w", buffering=1) as file:
        os.dup2(file.fileno(), 1), os.dup2(file.fileno(), 2)
        sys.stdout = sys.stderr = file
        sys.argv = ["program", str(place)]
        exec(code, {"__name__": "__main__"})


def run(code, place, limit=None):
    """Run a program, at most some seconds after it is ready.

    Returns its output, None if it was killed, the number of kills, and its seconds.
    """
    output = place.with_name(f"{place.name}.output")
    output.write_text("")
    child = _SERVER.Process(target=_execute, args=(code, place, output))
    child.start()
    while "\n" not in (text := output.read_text()) and child.is_alive():
        time.sleep(0.01)
    word, *worker = text.partition("\n")[0].split() or [""]
    if word not in ("ready", "worker"):
        child.join()
        raise RuntimeError(output.read_text()[-500:])
    began, kills = time.monotonic(), 0
    child.join(limit)
    if child.is_alive():
        os.kill(int(worker[0]) if worker else child.pid, signal.SIGKILL)
        kills = 1
        child.join()
        if not worker:
            return None, kills, time.monotonic() - began
    text = output.read_text()
    if child.exitcode:
        raise RuntimeError(text[-500:])
    answer = [line for line in text.split("\n")[1:] if "seconds of one processor" not in line]
    return "\n".join(answer), kills, time.monotonic() - began


def finished_jobs(place):
    """Return the lines of a program's journals that were completely written."""
    files = place.rglob("*.jsonl") if place.is_dir() else [place] if place.is_file() else []
    return {line for file in files for line in file.read_bytes().split(b"\n")[:-1]}


def kill_and_resume(name, seconds, truth, rng, folder):
    """Kill a program up to four times and let it end; return the number of kills and what was wrong."""
    place = Path(folder) / f"{name}{rng.randrange(10**9)}"
    kills, problems, jobs = 0, [], set()
    for attempt in range(5):
        out, n, _ = run(PROGRAMS[name], place, rng.uniform(0.02, 0.8) * seconds if attempt < 4 else None)
        kills += n
        if name in ("evaluate", "reproduce"):
            problems += ["lost jobs"] * (not jobs <= finished_jobs(place))
            jobs |= finished_jobs(place)
        if out is not None:
            break
    problems += [] if out.replace(str(place), "") == truth else ["another answer"]
    left = [path.name for path in Path(folder).rglob("*") if path.name.endswith(_LEFT_OVER)]
    return kills, problems + [f"left over: {left}"] * bool(left)


def main():
    """Spread kills over the programs."""
    parser = argparse.ArgumentParser(prog="python -m hostile.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, total, findings = random.Random(options.seed), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        truths = {}
        for name, code in PROGRAMS.items():
            place = Path(folder) / name
            out, _, seconds = run(code, place)
            truths[name] = seconds, out.replace(str(place), "")
        while sum(total.values()) < options.kills:
            name = min(PROGRAMS, key=lambda each: total.get(each, 0))
            kills, problems = kill_and_resume(name, *truths[name], rng, folder)
            total[name] = total.get(name, 0) + kills
            findings += len(problems)
            print(f"{name}: {kills} kills, {problems or 'the same answer'}", flush=True)
    print(f"{sum(total.values())} kills ({total}); {findings} findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
