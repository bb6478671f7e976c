"""The demo, as a person and as a program would run it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.app import app


def test_demo_prints_the_columns_and_both_estimates():
    result = CliRunner().invoke(app, ["demo"], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    for words in (
        "569 biopsies",
        "worst area",
        "outer folds (honest)",
        "folds of the fit (flattering)",
        "log loss",
    ):
        assert words in result.output


def test_demo_json_is_what_the_library_returns():
    result = CliRunner().invoke(app, ["demo", "--json"])
    told = json.loads(result.output)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = SelectiveNaiveBayes().fit(X, y)
    # The demo names the classes, in the other order: weights are the same up to rounding.
    assert told["weights"] == pytest.approx(model.weights_, abs=1e-3)
    fitting, scored = next(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    outer = SelectiveNaiveBayes().fit(X.iloc[fitting], y[fitting])
    area = roc_auc_score(y[scored], outer.predict_proba(X.iloc[scored])[:, 1])
    assert told["outer"]["auc"][0] == pytest.approx(area, abs=1e-3)
    assert len(told["outer"]["auc"]) == 5
    assert np.mean(told["outer"]["log_loss"]) > -told["path"]["phases"][-1]["score"]


def test_module_runs_as_program_and_bad_option_is_refused():
    good = subprocess.run([sys.executable, "-m", "bayesieve", "--version"], capture_output=True, text=True, check=True)
    assert good.stdout.startswith("0.")
    bad = subprocess.run([sys.executable, "-m", "bayesieve", "demo", "--nonsense"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert "--nonsense" in bad.stderr


def test_command_line_without_its_extra_says_what_to_install():
    script = "import sys; sys.modules['typer'] = None; from bayesieve.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.strip() == "The command line needs typer, which is missing: pip install 'bayesieve[cli]'."
