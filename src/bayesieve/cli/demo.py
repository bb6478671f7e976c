# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve demo``: a fit on built-in data, from the table to the report."""

import shlex
from pathlib import Path

import typer

from bayesieve.cli.terminal import print_errors
from bayesieve.data import build_frame

__all__ = ["demo"]


def demo(
    out: Path = typer.Option(Path(), help="Folder for report.html, report.report.json and model.json."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Run fit on scikit-learn's breast cancer data, and write a report and a model.

    Example: bayesieve demo
    """
    from sklearn.datasets import load_breast_cancer

    from bayesieve import ScorecardClassifier
    from bayesieve.cli.fit_in_memory import METRICS, fit_and_evaluate
    from bayesieve.cli.fit_outputs import FitOutputs, FitProgress
    from bayesieve.report import ReportContext

    data = load_breast_cancer()
    X = build_frame(dict(zip(data.feature_names.tolist(), data.data.T, strict=True)), "polars")
    y = data.target_names[data.target]
    command = ["bayesieve", "demo", *([] if out == Path() else ["--out", str(out)])]
    context = ReportContext("diagnosis", positive="malignant", source="Breast cancer", command=shlex.join(command))
    classifier = ScorecardClassifier(scoring=METRICS, pos_label=context.positive, n_jobs=-1)
    with print_errors():
        out.mkdir(parents=True, exist_ok=True)
        outputs = FitOutputs(out / "report.html", out / "model.json", as_json, progress=FitProgress(stores=False))
        outputs.check()
        with outputs.interruptible():
            fit_and_evaluate(classifier, X, y, context, outputs)
