"""A classifier fitted, judged and told of, whichever command asked for it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import typer
from numpy.typing import NDArray

from bayesieve.cli.fit_text import print_data, print_summary
from bayesieve.cli.places import check_places
from bayesieve.cli.watching import watched
from bayesieve.data import write_atomically
from bayesieve.exceptions import ParameterError
from bayesieve.report import FoldShelf, HonestRows, Question, judge, render_page, summarize

__all__ = ["METRICS", "Outputs", "fit_and_tell", "stop", "tell"]

METRICS = ("error", "auc", "brier", "log_loss")
_INTERRUPTED = 130  # what a shell makes of Ctrl-C


@dataclass(frozen=True)
class Outputs:
    """Where results go.

    Attributes
    ----------
    report, model : path or None
        Files to write. Beside the report stands its summary, as JSON.
    as_json : bool
        Whether the summary is printed as JSON.
    checkpoint : path or None
        A folder in which finished parts are kept.
    """

    report: Path | None = None
    model: Path | None = None
    as_json: bool = False
    checkpoint: Path | None = None

    @property
    def summary(self) -> Path | None:
        """Where the report's numbers go."""
        return None if self.report is None else self.report.with_suffix(".json")

    def check(self, data: Sequence[Path] = ()) -> None:
        """Refuse places that cannot or must not be written, before any work."""
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"--report is an HTML file, got {str(self.report)!r}.")
        written = {"--report": self.report, "the summary of --report": self.summary, "--model": self.model}
        check_places(written, data)
        if self.checkpoint is not None:
            self.checkpoint.mkdir(parents=True, exist_ok=True)


def fit_and_tell(
    classifier: Any, X: Any, y: NDArray[Any], question: Question, outputs: Outputs, n_folds: int = 5
) -> None:
    """Fit on all rows, then without each fold; print and write what was found."""
    if not outputs.as_json:
        print_data(X, Counter(y.tolist()), question)
    done: list[None] = []
    shelf = None
    if outputs.checkpoint is not None:
        shelf = FoldShelf(outputs.checkpoint, f"{question.fingerprint} {question.target} {n_folds} {classifier}")
    with watched("Fitting, then again without each fold", n_folds + 1, lambda: len(done)):
        model = classifier.fit(X, y)
        done.append(None)
        if outputs.model is not None:
            model.save(outputs.model)
        stopped = not model.path_.complete and model.max_time is None
        honest = None if stopped else judge(model, X, y, n_folds, shelf, lambda: done.append(None))
    if honest is None:
        stop(outputs, "the same command goes on" if outputs.checkpoint else "with --checkpoint FOLDER it could go on")
    else:
        tell(model, X, honest, question, outputs)


def stop(outputs: Outputs, again: str) -> NoReturn:
    """End after Ctrl-C, and say what is left of the work, and what could be done ``again``."""
    kept = f"the model is in {outputs.model}" if outputs.model else "no model was written"
    typer.echo(f"Interrupted before the honest estimate was done; {kept}; {again}.", err=True)
    raise typer.Exit(_INTERRUPTED)


def tell(model: Any, X: Any, honest: HonestRows, question: Question, outputs: Outputs) -> None:
    """Print and write what was found; X has the rows that were judged."""
    summary = summarize(model, X, honest, question)
    if outputs.report is not None and outputs.summary is not None:
        write_atomically(outputs.report, render_page(summary).encode(), "The report")
        write_atomically(outputs.summary, json.dumps(summary, indent=1).encode(), "The summary")
    if outputs.as_json:
        typer.echo(json.dumps(summary))
    else:
        print_summary(summary, outputs.report, outputs.model)
