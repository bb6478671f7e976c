"""Importing the library is quick and brings in nothing that is optional."""

import subprocess
import sys

import pytest

TIMER = """
import importlib, sys, time
began = time.perf_counter()
importlib.import_module(sys.argv[1])
print(time.perf_counter() - began, *[name for name in sys.argv[2:] if name in sys.modules])
"""

WITHOUT_OPTIONAL = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import numpy, bayesieve
rng = numpy.random.default_rng(0)
X = rng.normal(size=(40, 2))
print(bayesieve.SelectiveNaiveBayes(n_features=1).fit(X, X[:, 0] > 0).predict(X).shape)
"""

MODULES = ["bayesieve", "sklearn.naive_bayes"]
OPTIONAL = ["pandas", "polars", "pyarrow", "typer", "rich", "matplotlib"]


def python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def imports():
    """Return the best time and the optional modules loaded of three imports, in turn: a busy moment hits both."""
    runs = [(module, *python("-c", TIMER, module, *OPTIONAL).split()) for _ in range(3) for module in MODULES]
    return {
        module: (min(float(seconds) for name, seconds, *_ in runs if name == module), set(runs[i][2:]))
        for i, module in enumerate(MODULES)
    }


def test_import_takes_less_than_twice_that_of_scikit_learn(imports):
    assert imports["bayesieve"][0] < 2 * imports["sklearn.naive_bayes"][0]


def test_nothing_optional_is_imported(imports):
    # scikit-learn itself imports pandas and rich where they are installed.
    assert imports["bayesieve"][1] <= imports["sklearn.naive_bayes"][1]
    assert not imports["bayesieve"][1] & {"polars", "typer", "matplotlib"}


def test_a_fit_on_arrays_needs_nothing_optional():
    assert python("-c", WITHOUT_OPTIONAL, *OPTIONAL).strip() == "(40,)"
