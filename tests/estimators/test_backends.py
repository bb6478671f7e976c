"""A fit does not depend on the engine, on the number of threads, or on the processor's vector unit."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache

import numpy as np
import pytest
from cases import plain_bayes
from draws import draws
from sklearn.datasets import make_classification

from bayesieve._native import available, core
from bayesieve.search import SEARCHES
from bayesieve.search.criteria import CRITERIA

N_ROWS = draws(80, 150)
IN_USE = core.vector_build() if core is not None else None
BINS = "equal_frequency"  # which has every column take part
compiled = pytest.mark.skipif(not available(), reason="there is no compiled core that could differ")


def problem(seed, n_classes=2):
    # More than sixteen columns: a thread takes that many at a time.
    X, y = make_classification(N_ROWS, 20, n_informative=5, n_redundant=3, n_classes=n_classes, random_state=seed)
    X[:, 9] = X[:, 0]  # a twin, for ties
    X[:20, 3] = np.nan
    weights = np.random.default_rng(seed).integers(0, 4, N_ROWS)
    return X, y, weights


def fitted_values(model):
    """Return all fitted values of a model."""
    results = {key: values.tolist() for key, values in model.cv_results_.items()}
    return model.path_.to_dict(), model.why_, results, model.support_.tolist()


@pytest.mark.slow
@compiled
@pytest.mark.filterwarnings("ignore:No column improves")
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("turn", range(draws(2, len(SEARCHES))))
def test_engines_and_threads_agree(criterion, turn):
    # Each criterion has two searches of its own; all of them by `make nightly`, and in the contract of engines.
    search = list(SEARCHES)[(list(CRITERIA).index(criterion) + 3 * turn) % len(SEARCHES)]
    seed = (list(CRITERIA).index(criterion) + list(SEARCHES).index(search)) % 2
    X, y, weights = problem(seed, n_classes=2 + seed)
    sizes = (draws(14, 3), 20) if "back" in search else (0, draws(3, 5))
    how = {"n_features": sizes, "cv": 2, "feature_groups": {"pair": [4, 5]}, "discretizer": BINS}
    fits = [
        plain_bayes(search, criterion, backend=backend, n_jobs=n_jobs, **how).fit(X, y, weights)
        for backend, n_jobs in (("reference", 1), ("native", 1), ("native", 2), ("auto", 7))
    ]
    assert all(fitted_values(fit) == fitted_values(fits[0]) for fit in fits[1:])


@compiled
@pytest.mark.parametrize("n_classes", [2, 3])
def test_engines_and_threads_agree_on_what_is_informative(n_classes):
    X, y = make_classification(400, 40, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=5)
    fits = [
        plain_bayes("backward", "log_loss", backend=backend, n_jobs=n_jobs, discretizer="modl").fit(X, y)
        for backend, n_jobs in (("reference", 1), ("native", 1), ("native", 2), ("auto", 7))
    ]
    assert all(fitted_values(fit) == fitted_values(fits[0]) for fit in fits[1:])
    left_out = [entry["reason"].startswith("uninformative") for entry in fits[0].why_.values()]
    assert 20 < sum(left_out) < 40


SCRIPT = """
import json, sys
import numpy as np
from sklearn.datasets import make_classification
from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
for n_classes in (2, 3):
    X, y = make_classification(600, 25, n_informative=8, n_classes=n_classes, random_state=4)
    criteria = ("error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map")
    for k, criterion in enumerate(criteria):  # each with both searches, one for each number of classes
        search, weights = (("forward", np.arange(600) % 5 + 0.3), ("backward", None))[(k + n_classes) % 2]
        how = {"n_features": (3, 9), "cv": 2, "discretizer": "equal_frequency", "bins": "best", "weights": "none"}
        model = SelectiveNaiveBayes(search, criterion, **how).fit(X, y, weights)
        print(json.dumps([model.path_.to_dict(), model.why_]))
rng = np.random.default_rng(0)
X = rng.normal(size=(600, 5))
model = ScorecardClassifier().fit(X, rng.logistic(size=600) < 3 * np.sign(X[:, 0] * X[:, 1]) + X[:, 2])
print(json.dumps([model.why_, len(model.pairs_), model.predict_proba(X).tolist()]))
"""


@cache
def printed_here():
    with redirect_stdout(io.StringIO()) as here:
        exec(SCRIPT, {})
    return here.getvalue()


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("build", [build for build in ("portable", "avx2") if build != IN_USE])
def test_portable_and_vector_kernels_agree(build):
    portable = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "BAYESIEVE_SIMD": build},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed_here() == portable
    assert len(portable.splitlines()) == 17
    assert json.loads(portable.splitlines()[-1])[1] == 1
