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
    classifier = SelectiveNaiveBayes(scoring=_METRICS)
    console = Console()
    waiting = "Weighing columns, then again without each of 5 folds ..."
    with console.status(waiting) if console.is_terminal and not as_json else nullcontext():
        model = classifier.fit(X, y)
        honest = outer_estimate(classifier, X, y)
    if as_json:
        told = {"weights": model.weights_, "path": model.path_.to_dict()}
        typer.echo(json.dumps({**told, "outer": honest.folds, "selected": honest.selected}))
        return
    classes = ", ".join(f"{count} {label}" for label, count in Counter(y.tolist()).most_common())
    console.print(f"\n[bold]Breast cancer[/bold]: {len(y)} biopsies ({classes}), {len(data.feature_names)} columns.\n")
    console.print(_column_table(model, honest))
    console.print(_estimate_table(model, honest))


def _column_table(model: Any, honest: OuterEstimate) -> Table:
    """Return the chosen columns, the most important first."""
    n_folds = len(honest.folds["brier"])
    table = Table(title="The columns that have a weight", title_justify="left")
    for heading in ("column", "weight", "share of the log-odds", "log loss alone", "at step", f"in {n_folds} folds"):
        table.add_column(heading, justify="left" if heading == "column" else "right")
    share_of = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    for name in sorted(model.weights_, key=lambda name: -share_of[name]):
        why = model.why_[name]
        alone, step = f"{-why['score_alone']:.4f}", "" if why["step"] is None else str(why["step"])
        again = str(honest.selected.get(name, 0))
        table.add_row(name, f"{model.weights_[name]:.2f}", f"{share_of[name]:.0%}", alone, step, again)
    return table


def _estimate_table(model: Any, honest: OuterEstimate) -> Table:
    table = Table(title=f"What {model.n_features_} columns are worth", title_justify="left")
    table.add_column("score")
    table.add_column("outer folds (honest)", justify="right")
    table.add_column("folds of the fit (flattering)", justify="right")
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
