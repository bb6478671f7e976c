"""Answers have the same bits whatever vector instructions NumPy and BLAS find on a machine."""

import io
import os
import platform
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__

SCRIPT = """
import hashlib
import numpy as np
from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from mixed_models import mixed

for n_classes in (2, 3):
    X, y = mixed(400, n_classes)
    X["many"] = np.random.default_rng(1).normal(size=400) + np.unique(y, return_inverse=True)[1]
    weights = np.random.default_rng(2).gamma(2.0, size=400)
    calibrated = [SelectiveNaiveBayes(calibration=kind) for kind in ("beta", "isotonic")]
    for model in (ScorecardClassifier(), *calibrated):
        model.fit(X, y, sample_weight=weights)
        tables = [np.ascontiguousarray(each.table) for each in model.scorecard_.tables]
        parts = [model.predict_proba(X), model.feature_importances_, model.scorecard_.start, *tables]
        print(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
"""
PLAIN = {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__), "OPENBLAS_CORETYPE": "Prescott"}


def digests_here():
    with redirect_stdout(io.StringIO()) as here, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(SCRIPT, {})
    return here.getvalue().split()


def digests(**variables):
    tests = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, **variables, "PYTHONPATH": path}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the names are those of x86")
def test_vector_instructions_change_nothing():
    found = digests_here()
    assert len(set(found)) == 6
    assert found == digests(**PLAIN)
