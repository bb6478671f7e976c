"""The demo, as a person and as a program would run it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from report.report_cases import compare_shortly
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from bayesieve import ScorecardClassifier, load
from bayesieve.cli.app import app


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        compare_shortly(patch)
        return folder, CliRunner().invoke(app, ["demo", "--out", str(folder)], env={"COLUMNS": "120"})


def test_demo_prints_the_verdict_the_columns_and_both_estimates(ran):
    _, result = ran
    assert result.exit_code == 0, result.output
    for words in (
        "569 rows, 30 columns",
        "Cross-validated ROC AUC 0.99",
        "of 30 columns, chosen to keep 99% of the improvement",
        "gradient boosting",
        "worst area",
        "cross-validated",
        "selection score",
        "log loss",
    ):
        assert words in result.output


def test_demo_writes_a_model_and_a_report_that_say_what_the_library_does(ran):
    folder, _ = ran
    summary = json.loads((folder / "report.report.json").read_text())
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.array(["malignant", "benign"])[y]
    model = ScorecardClassifier().fit(X, labels)
    assert np.array_equal(load(folder / "model.json").predict_proba(X), model.predict_proba(X))
    selected = next(size for size in summary["sizes"] if size["selected"])
    assert [summary["columns"]["name"][j] for j in selected["columns"]] == list(model.path_.order)
    areas = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, labels):
        outer = ScorecardClassifier().fit(X.iloc[train], labels[train])
        areas.append(roc_auc_score(labels[test] == "malignant", outer.predict_proba(X.iloc[test])[:, 1]))
    assert selected["held_out"]["auc"]["mean"] == pytest.approx(np.mean(areas), rel=1e-5)
    of_sizes = ScorecardClassifier(scoring=["log_loss"]).fit(X, labels).cv_results_
    place = of_sizes["n_features"].tolist().index(selected["n_columns"])
    assert selected["optimistic"]["log_loss"] == pytest.approx(-of_sizes["mean_test_log_loss"][place], rel=1e-5)


def test_module_runs_as_program_and_bad_option_is_refused():
    good = subprocess.run([sys.executable, "-m", "bayesieve", "--version"], capture_output=True, text=True, check=True)
    assert good.stdout.startswith("0.")
    assert CliRunner().invoke(app, ["--version"]).stdout == good.stdout
    bad = subprocess.run([sys.executable, "-m", "bayesieve", "demo", "--nonsense"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert "--nonsense" in bad.stderr


def test_command_line_without_its_extra_says_what_to_install():
    script = "import sys; sys.modules['typer'] = None; from bayesieve.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 2
    assert (
        result.stderr.strip() == "The command line needs typer, which is not installed: pip install 'bayesieve[cli]'."
    )
