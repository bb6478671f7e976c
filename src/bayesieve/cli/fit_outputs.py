# SPDX-License-Identifier: BSD-3-Clause
"""The results of a fit: files that are written, text or JSON that is printed, and what Ctrl-C leaves."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console

from bayesieve.cli import INTERRUPTED
from bayesieve.cli.check import MOST_FINDINGS, print_findings
from bayesieve.cli.files import check_output_paths
from bayesieve.cli.fit_text import print_summary
from bayesieve.data import write_atomically
from bayesieve.exceptions import ParameterError
from bayesieve.quality import Finding
from bayesieve.report import (
    Comparison,
    FoldCache,
    HeldOutPredictions,
    ReportContext,
    probability_model,
    render_page,
    summarize,
    summary_json,
    training_record,
)

__all__ = ["FitOutputs", "FitProgress"]


@dataclass
class FitProgress:
    """What a fit has finished.

    Attributes
    ----------
    is_fitted : bool
        Whether there is a model of all rows.
    written : list of str
        The files that are written, each as a clause.
    cache : FoldCache or None
        Where finished folds are stored, once this is known.
    n_folds : int
        Number of these folds.
    stores : bool
        Whether the command stores what it finished if it is given a folder.
    """

    is_fitted: bool = False
    written: list[str] = field(default_factory=list)
    cache: FoldCache | None = None
    n_folds: int = 0
    stores: bool = True

    def interrupted(self, checkpoint: Path | None) -> str:
        """Return the sentence; ``checkpoint`` is the folder that the user has named."""
        missing = "the evaluation was complete" if self.is_fitted else "a model was fitted"
        written = " and ".join(self.written) or "nothing was written"
        return f"Interrupted before {missing}; {written}; {self._advice(checkpoint)}."

    def _advice(self, checkpoint: Path | None) -> str:
        if not self.stores:
            return "the same command starts from the beginning"
        if checkpoint is None:
            return "the same command starts from the beginning (use --checkpoint FOLDER to resume later)"
        n_stored = None if self.cache is None else self.cache.count(self.n_folds)
        if n_stored == 0 or not checkpoint.is_dir() or not any(checkpoint.iterdir()):
            return f"nothing is stored in {checkpoint} yet, so that the same command starts from the beginning"
        if n_stored is None:
            return f"the same command resumes with what {checkpoint} has of this fit"
        return f"{n_stored} of {self.n_folds} folds are stored in {checkpoint}: run the same command again to resume"


@dataclass(frozen=True)
class FitOutputs:
    """Where the results of a fit go.

    Attributes
    ----------
    report, model : path or None
        Files to write. The summary of the report is written next to it, as JSON.
    as_json : bool
        Whether the summary is printed as JSON.
    checkpoint : path or None
        A folder in which finished folds are stored.
    what_if : bool
        Whether the report has a form in which a reader enters values.
    advice : str
        The options of the command that write files.
    progress : FitProgress
        What is finished.
    """

    report: Path | None = None
    model: Path | None = None
    as_json: bool = False
    checkpoint: Path | None = None
    what_if: bool = False
    advice: str = "--report FILE or --model FILE"
    progress: FitProgress = field(default_factory=FitProgress)

    @property
    def summary(self) -> Path | None:
        """The file with the numbers of the report."""
        return None if self.report is None else self.report.with_suffix(".report.json")

    def check(self, inputs: Sequence[Path] = ()) -> None:
        """Refuse files that cannot or must not be written, before any work."""
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"--report must be an HTML file, got {str(self.report)!r}.")
        if self.what_if and self.report is None:
            raise ParameterError("--what-if adds a form to a report; give --report, too.")
        outputs = {"--report": self.report, "the summary of --report": self.summary, "--model": self.model}
        check_output_paths(outputs, inputs)
        if self.checkpoint is not None:
            self.checkpoint.mkdir(parents=True, exist_ok=True)

    def print_check(self, findings: Sequence[Finding]) -> None:
        """Print what was found in the columns that are used, for people."""
        if not self.as_json:
            print_findings(findings, Console(), MOST_FINDINGS)

    def save(self, model: Any, X: Any, predictions: HeldOutPredictions, context: ReportContext) -> None:
        """Write the model, with its scores on held-out rows; X has its training rows."""
        if self.model is not None:
            fitted = probability_model(model)
            fitted.training_record_ = training_record(fitted, X, predictions, context)
            self.save_model(model)

    def save_model(self, model: Any) -> None:
        """Write the model as it is, if there is a file for it."""
        self.progress.is_fitted = True
        if self.model is not None:
            model.save(self.model)
            self.progress.written[:] = [f"the model was written to {self.model}"]

    def write(
        self,
        model: Any,
        X: Any,
        predictions: HeldOutPredictions,
        context: ReportContext,
        comparison: Comparison | None = None,
    ) -> None:
        """Write the report and print the results; X has the rows of the predictions."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        summary = summarize(model, X, predictions, replace(context, what_if=self.what_if, made=made), comparison)
        if self.report is not None and self.summary is not None:
            write_atomically(self.report, render_page(summary).encode(), "The report")
            self.progress.written.append(f"the report was written to {self.report}")
            write_atomically(self.summary, summary_json(summary.as_json()).encode(), "The summary")
        if self.as_json:
            typer.echo(json.dumps(summary.as_json()))
        else:
            print_summary(summary, self.report, self.model, self.advice, is_fit=context.trained is None)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let Ctrl-C inside end the command with a sentence."""
        try:
            yield
        except KeyboardInterrupt:
            self.exit_interrupted()

    def exit_interrupted(self) -> NoReturn:
        """End after Ctrl-C, and print what was written and how to go on."""
        typer.echo(self.progress.interrupted(self.checkpoint), err=True)
        raise typer.Exit(INTERRUPTED)
