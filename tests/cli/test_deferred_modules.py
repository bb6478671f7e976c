"""Commands load scipy.stats, which takes longer than scikit-learn, pandas and pydantic only where they use them."""

import subprocess
import sys
from itertools import chain

import numpy as np
import pytest

COMMAND = """
import sys
from bayesieve.cli import main

left = sys.argv[1:]
while left:
    end = [*left, "then"].index("then")
    sys.argv[1:], left = left[:end], left[end + 1 :]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, (sys.argv, stop.code)
print("modules:", *sys.modules)
"""

USE = """
import sys
from bayesieve.cli.deferred_modules import DEFERRED, defer_modules

defer_modules()
defer_modules()
assert sum(type(finder).__name__ == "_DeferringFinder" for finder in sys.meta_path) == 1
import sklearn.base
assert not loaded & set(sys.modules), loaded & set(sys.modules)
import scipy.stats
import numpy
from scipy.special import ndtr
from scipy.stats import norm, rankdata
import scipy.stats.distributions
assert rankdata([3, 1, 2]).tolist() == [3, 1, 2] and scipy.stats.norm is norm and norm.cdf(0) == ndtr(0) == 0.5
assert scipy.stats.distributions.norm is norm
numpy.testing.assert_array_equal([1], [1])
assert numpy.polynomial.Polynomial([1, 2])(3) == 7 and numpy.ctypeslib.as_array is not None
import asyncio.events
async def three():
    return 3
assert asyncio.run(three()) == 3
import pandas
assert pandas.Series([1, 2]).sum() == 3
assert all(type(sys.modules[name]).__name__ == "module" for name in DEFERRED - {"numpy.f2py"})
print("done")
"""

LOADED = {
    "pandas",
    "scipy.stats._stats_py",
    "scipy.special._ufuncs",
    "numpy.f2py.f2py2e",
    "numpy.testing._private.utils",
    "numpy.polynomial.polynomial",
    "asyncio.events",
}
SLOW = {*LOADED, "pydantic", "scipy.optimize", "sklearn.metrics", "sklearn.model_selection"}


def python(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deferred")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(120, 3)).round(2)
    lines = [f"{a},{b},{c},{'yes' if a + b > 0 else 'no'}" for a, b, c in values]
    data, model, report = folder / "data.csv", folder / "model.json", folder / "report.html"
    data.write_text("\n".join(["a,b,c,bought", *lines]))
    fitted = python(
        COMMAND,
        *("fit", str(data), "--target", "bought", "--method", "nb", "--no-compare"),
        *("--model", str(model), "--report", str(report)),
    )
    return data, model, report, fitted


def test_a_fit_loads_no_distributions_metrics_or_splitters(files):
    *_, report, fitted = files
    modules = set(fitted.partition("modules:")[2].split())
    assert "bayesieve.estimators.selective_naive_bayes" in modules
    assert "bayesieve.estimators.benefit_classifier" not in modules
    assert report.exists()
    assert not SLOW & modules


def test_other_commands_load_none_either(files):
    data, model, *_ = files
    given = {"predict": [model, data], "check": [data, "--target", "bought"], "show": [model]}
    others = chain(*(("then", name, *map(str, arguments)) for name, arguments in given.items()))
    printed = python(COMMAND, "rank", str(data), "--target", "bought", *others)
    modules = set(printed.partition("modules:")[2].split())
    assert "numpy" in modules
    assert not SLOW & modules


@pytest.mark.parametrize("before", ["", "import scipy.stats, scipy.special, numpy.testing, asyncio\n"])
def test_deferred_modules_can_be_used(before):
    loaded = set() if before else LOADED
    assert python(f"{before}loaded = {loaded}\n{USE}").strip() == "done"
