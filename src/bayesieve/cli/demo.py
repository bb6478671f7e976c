"""``bayesieve demo``: the main job on built-in data, end to end."""

import json
from collections import Counter
from contextlib import nullcontext
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer

from bayesieve import SelectiveNaiveBayes
from bayesieve.data import build_frame
from bayesieve.evaluation import OuterEstimate, outer_estimate

__all__ = ["demo"]

_METRICS = ("error", "auc", "brier", "log_loss")
_TITLES = {
    "accuracy": "accuracy",
    "auc": "area under ROC",
    "brier": "Brier score (less is better)",
    "log_loss": "log loss (less is better)",
}


def demo(as_json: bool = typer.Option(False, "--json", help="Print plain data for programs.")) -> None:
    """Select columns of scikit-learn's breast-cancer data, and estimate honestly what they are worth.

    Example: bayesieve demo
    """
    data = load_breast_cancer()
    X = build_frame(dict(zip(data.feature_names.tolist(), data.data.T, strict=True)), "polars")
    y = data.target_names[data.target]
    classifier = SelectiveNaiveBayes(search="forward", criterion="brier", scoring=_METRICS)
    console = Console()
    waiting = "Selecting, then selecting again without each of 5 folds ..."
    with console.status(waiting) if console.is_terminal and not as_json else nullcontext():
        model = classifier.fit(X, y)
        honest = outer_estimate(classifier, X, y)
    if as_json:
        typer.echo(json.dumps({"path": model.path_.to_dict(), "outer": honest.folds, "selected": honest.selected}))
        return
    classes = ", ".join(f"{count} {label}" for label, count in Counter(y.tolist()).most_common())
    console.print(f"\n[bold]Breast cancer[/bold]: {len(y)} biopsies ({classes}), {len(data.feature_names)} columns.\n")
    console.print(_path_table(model, honest))
    console.print(_estimate_table(model, honest))


def _path_table(model: Any, honest: OuterEstimate) -> Table:
    n_folds = len(honest.folds["brier"])
    table = Table(title="The path: columns as they entered", title_justify="left")
    for heading in ("step", "column", "Brier score", "gain", "runner-up", f"in {n_folds} folds"):
        table.add_column(heading, justify="left" if heading in ("column", "runner-up") else "right")
    before = -model.path_.phases[0].score
    table.add_row("", "[dim]class priors alone[/dim]", f"{before:.4f}", "", "", "")
    for i, (step, value) in enumerate(zip(model.path_.steps, model.path_.values, strict=True), 1):
        again = honest.selected.get(step.column, 0)
        table.add_row(str(i), step.column, f"{value:.4f}", f"{before - value:.4f}", step.runner_up or "", str(again))
        before = value
    return table


def _estimate_table(model: Any, honest: OuterEstimate) -> Table:
    table = Table(title=f"What {model.n_features_} columns are worth", title_justify="left")
    table.add_column("score")
    table.add_column("outer folds (honest)", justify="right")
    table.add_column("search folds (flattering)", justify="right")
    chosen = model.cv_results_["n_features"].tolist().index(model.n_features_)
    during = {name: float(model.cv_results_[f"mean_test_{name}"][chosen]) for name in _METRICS}
    flattering = {
        "accuracy": 1 + during["error"],
        "auc": during["auc"],
        "brier": -during["brier"],
        "log_loss": -during["log_loss"],
    }
    for metric, score in flattering.items():
        outer = f"{honest.mean(metric):.4f} ± {honest.standard_error(metric):.4f}"
        table.add_row(_TITLES[metric], outer, f"{score:.4f}")
    return table
