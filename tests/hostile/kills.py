"""Kills programs at random moments and lets them go on: ``python -m hostile.kills --kills 200 [--seed 1]``.

A program that was killed with signal 9 and started again must print what it prints when nothing happens, and must leave
no temporary file beside its own.
"""

import argparse
import random
import subprocess
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
options = ["--seeds", "2", "--series", "240", "--n-jobs", "1", "--out", sys.argv[1]]
app(["reproduce", "004", *options], standalone_mode=False)
"""
PROGRAMS = {"fit": _FIT, "weights": _WEIGHTS, "evaluate": _EVALUATE, "command": _COMMAND, "reproduce": _REPRODUCE}


def run(code, place, limit=None):
    """Run a program, at most some seconds after it is ready; return its output, or None if it was killed."""
    command = [sys.executable, "-c", code, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(process.stderr.read()[-500:])
        began = time.monotonic()
        try:
            out, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, time.monotonic() - began
    if process.returncode:
        raise RuntimeError(errors[-500:])
    return out, time.monotonic() - began


def kill_and_resume(name, seconds, truth, rng, folder):
    """Kill a program up to four times and let it end; return the number of kills and what was wrong."""
    place = Path(folder) / f"{name}{rng.randrange(10**9)}"
    kills = 0
    for attempt in range(5):
        out, _ = run(PROGRAMS[name], place, rng.uniform(0.02, 0.8) * seconds if attempt < 4 else None)
        if out is not None:
            break
        kills += 1
    problems = [] if out.replace(str(place), "") == truth else ["another answer"]
    left = [path.name for path in Path(folder).rglob("*") if path.name.endswith((".new", ".try", ".tmp"))]
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
            out, seconds = run(code, place)
            truths[name] = seconds, out.replace(str(place), "")
        while sum(total.values()) < options.kills:
            name = min(PROGRAMS, key=lambda each: total.get(each, 0))
            kills, problems = kill_and_resume(name, *truths[name], rng, folder)
            total[name] = total.get(name, 0) + max(kills, 0)
            findings += len(problems)
            print(f"{name}: {kills} kills, {problems or 'the same answer'}", flush=True)
    print(f"{sum(total.values())} kills ({total}); {findings} findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
