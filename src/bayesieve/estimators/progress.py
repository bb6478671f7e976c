# SPDX-License-Identifier: BSD-3-Clause
"""Progress, behind one adapter: scikit-learn's callbacks where they exist (1.9), logged lines for ``verbose``."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from sklearn.base import BaseEstimator

from bayesieve.estimators._sklearn import open_callbacks
from bayesieve.estimators._types import TableLike, TargetLike
from bayesieve.search import Observer, Step, StopSearch, log_progress, stage_times

__all__ = ["Callbacks", "Lines", "log_stages", "progress"]


class Verbose(Protocol):
    """An estimator that may report its steps."""

    verbose: int


@contextmanager
def progress(estimator: Verbose, n_steps: int | None, X: TableLike, y: TargetLike) -> Iterator[list[Observer]]:
    """Give the observers that an estimator's callbacks and ``verbose`` ask for."""
    lines: list[Observer] = [Lines(n_steps)] if estimator.verbose else []
    context, has_callbacks = open_callbacks(estimator, n_steps)
    if context is None:
        yield lines
        return
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    callbacks: list[Observer] = [Callbacks(estimator, context)] if has_callbacks else []
    yield [*lines, *callbacks]
    context.call_on_fit_task_end(estimator=estimator)


@contextmanager
def log_stages(estimator: Verbose) -> Iterator[None]:
    """Log where the time of a fit went, if ``verbose`` is 2 or more."""
    if estimator.verbose < 2:
        yield
        return
    with stage_times() as times:
        yield
        log_progress(f"{type(estimator).__name__} was fitted in {times}")


class Callbacks(Observer):
    """Each step of the search is a task of the fit."""

    def __init__(self, estimator: BaseEstimator, context: Any) -> None:
        self._estimator = estimator
        self._context = context

    def on_step(self, step: Step, n_steps: int) -> None:
        """Report a step; a callback may ask to stop."""
        context = self._context.subcontext(task_name="step")
        context.call_on_fit_task_begin(estimator=self._estimator)
        if context.call_on_fit_task_end(estimator=self._estimator):
            raise StopSearch("callback")


class Lines(Observer):
    """One line per step, at most about five per second."""

    def __init__(self, n_steps: int | None) -> None:
        self._expected = n_steps
        self._began = time.monotonic()
        self._shown = 0.0

    def on_step(self, step: Step, n_steps: int) -> None:
        """Report the step, and how long the rest may take."""
        now = time.monotonic()
        if now - self._shown < 0.2 and n_steps != self._expected:
            return
        self._shown = now
        elapsed = now - self._began
        left = "" if self._expected is None else f", about {elapsed / n_steps * (self._expected - n_steps):.0f} s left"
        sign = "+" if step.action == "add" else "-"
        columns = "1 column" if step.n_features == 1 else f"{step.n_features} columns"
        state = f"{columns}, score {step.score:.6g}"
        log_progress(f"step {n_steps}: {sign}{step.column}, {state}, {elapsed:.1f} s{left}")
