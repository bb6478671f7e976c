"""``bayesieve demo``: the main job on built-in data, end to end."""

import shlex
from pathlib import Path

import typer
from sklearn.datasets import load_breast_cancer

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.fitting import METRICS, Outputs, fit_and_tell
from bayesieve.data import build_frame
from bayesieve.report import Question

__all__ = ["demo"]


def demo(
    out: Path = typer.Option(Path(), help="The folder for report.html, report.json and model.json."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Select columns of scikit-learn's breast-cancer data, and measure honestly what they are worth.

    Example: bayesieve demo
    """
    data = load_breast_cancer()
    X = build_frame(dict(zip(data.feature_names.tolist(), data.data.T, strict=True)), "polars")
    y = data.target_names[data.target]
    command = ["bayesieve", "demo", *([] if out == Path() else ["--out", str(out)])]
    question = Question("diagnosis", positive="malignant", source="Breast cancer", command=shlex.join(command))
    with one_sentence():
        out.mkdir(parents=True, exist_ok=True)
        outputs = Outputs(out / "report.html", out / "model.json", as_json)
        outputs.check()
        fit_and_tell(SelectiveNaiveBayes(scoring=METRICS, n_jobs=-1), X, y, question, outputs)
