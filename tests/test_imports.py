"""Importing the library is quick and brings in nothing that is optional."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bayesieve
from bayesieve import data

TIMER = """
import sys, time
began = time.process_time()
exec(sys.argv[1])
print(time.process_time() - began, *sys.modules)
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

HELP = """
import sys
from typer.testing import CliRunner
from bayesieve.cli.app import app

names = [each.callback.__name__ for each in app.registered_commands]
for words in ([], *([name] for name in names)):
    assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0, words
print(len(names), *sys.modules)
"""

OURS, THEIRS = "from bayesieve import SelectiveNaiveBayes", "import sklearn.naive_bayes"
OPTIONAL = ["pandas", "polars", "pyarrow", "typer", "rich", "matplotlib"]


def python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


MOST_RATIO = 1.6  # of processor seconds


@pytest.fixture(scope="module")
def imports():
    """Return the processor time of two imports and what is loaded; if the ratio is high, the least time of two each."""
    found = {}
    for _ in range(2):
        for line in (OURS, THEIRS):
            seconds, *loaded = python("-c", TIMER, line).split()
            found[line] = min(float(seconds), found.get(line, (np.inf,))[0]), set(loaded)
        if found[OURS][0] < MOST_RATIO * found[THEIRS][0]:
            break
    return found


def test_a_classifier_imports_little_more_than_that_of_scikit_learn(imports):
    assert imports[OURS][0] < MOST_RATIO * imports[THEIRS][0]
    assert len(imports[OURS][1]) <= len(imports[THEIRS][1]) + 260


def test_nothing_optional_is_imported(imports):
    # scikit-learn itself imports pandas and rich where they are installed.
    ours, theirs = ({*OPTIONAL} & imports[line][1] for line in (OURS, THEIRS))
    assert ours <= theirs
    assert not ours & {"polars", "typer", "matplotlib"}


def test_an_estimator_is_loaded_without_the_others(imports):
    own = {name.removeprefix("bayesieve.") for name in imports[OURS][1] if name.startswith("bayesieve.")}
    assert "estimators.selective_naive_bayes" in own
    others = (
        "estimators.wrapper_selector",
        "estimators.filter_selector",
        "additive",
        "data.files.table_file",
        "filters",
        "cli",
        "report",
    )
    assert not own & set(others)


def test_a_fit_on_arrays_needs_nothing_optional():
    assert python("-c", WITHOUT_OPTIONAL, *OPTIONAL).strip() == "(40,)"


def test_names_are_loaded_on_first_use():
    loaded = python("-c", "import sys, bayesieve; print(*sys.modules)").split()
    assert not {"numpy", "sklearn", "scipy", "narwhals"} & set(loaded)
    assert [name for name in loaded if name.startswith("bayesieve.")] == []


def test_readers_of_files_are_loaded_on_first_use():
    assert all(getattr(data, name) is not None for name in data.__all__)
    assert set(data.__all__) <= set(dir(data))


def test_every_name_is_declared_for_type_checkers_and_loads():
    tree = ast.parse(Path(bayesieve.__file__).read_text())
    aliases = [node.names for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    declared = {alias.asname for names in aliases for alias in names if alias.asname}
    assert declared == set(bayesieve.__all__) - {"__version__"}
    for name in bayesieve.__all__:
        assert getattr(bayesieve, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        bayesieve.absent  # noqa: B018


def test_help_loads_no_estimators():
    n_commands, *loaded = python("-c", HELP).split()
    assert not {"joblib", "matplotlib", "pandas", "polars", "sklearn"} & set(loaded)
    own = {name.split(".")[1] for name in loaded if name.startswith("bayesieve.")}
    assert not own & {"estimators", "evaluation", "export", "quality", "report"}
    assert len([name for name in loaded if name.startswith("bayesieve.cli.")]) <= 2 * int(n_commands)
