"""Faults at the borders of the library that an attack from outside found, one test each."""

import decimal
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bayesieve import ScorecardClassifier, check_data, load
from bayesieve.data.document import seal
from bayesieve.exceptions import DataError, ModelFileError

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
X = pd.DataFrame({"a": Y + RNG.normal(size=200)})


def test_a_signaling_nan_is_missing():
    numbers = [decimal.Decimal(int(100 * value)) for value in X["a"]]
    signaling, quiet = (pd.DataFrame({"a": [decimal.Decimal(each), *numbers[1:]]}) for each in ("sNaN", "NaN"))
    answers = [ScorecardClassifier("best").fit(each, Y).predict_proba(each) for each in (signaling, quiet)]
    assert np.array_equal(*answers)
    with pytest.raises(DataError, match="Column 'a' has the decimal number sNaN, which cannot be compared; use NaN"):
        check_data(signaling, Y)


def test_the_library_of_a_model_file_is_known(tmp_path):
    path = tmp_path / "model.json"
    ScorecardClassifier("best").fit(X, Y).save(path)
    document = json.loads(path.read_text())
    del document["checksum"]
    document["model"]["summary"]["library"] = "a"
    path.write_text(json.dumps(seal(document)))
    with pytest.raises(ModelFileError, match=r"model\.summary\.library must be 'pandas' or 'polars'"):
        load(path)


THREADS = """
import resource
import numpy as np
from bayesieve import MODLDiscretizer, ScorecardClassifier
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 300)
X = rng.normal(size=(300, 40)) + y[:, None] * (np.arange(40) < 3)
expected = ScorecardClassifier(n_features=3, n_jobs=1).fit(X, y).predict_proba(X)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28), resource.RLIM_INFINITY))
MODLDiscretizer(n_jobs=4).fit(X, y)
assert (ScorecardClassifier(n_features=3, n_jobs=4).fit(X, y).predict_proba(X) == expected).all()
print("same")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_threads_that_cannot_start_are_done_without():
    """Each thread would need a stack of 4 GiB, and the process may have 256 MiB more."""
    command = ["sh", "-c", 'ulimit -s 4194304 && exec "$0" -c "$1"', sys.executable, THREADS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_one_thread())
    assert done.stdout == "same\n", done.stderr


def _one_thread():
    import os

    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
