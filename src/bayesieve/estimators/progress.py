"""Progress, behind one adapter: scikit-learn's callbacks where they exist (1.9), lines on stderr for ``verbose``."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bayesieve.search import Observer, Step, StopSearch

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


__all__ = ["CallbackSupportMixin", "Callbacks", "Lines", "watch"]


@contextmanager
def watch(estimator: Any, n_steps: int | None, X: Any, y: Any) -> Iterator[list[Observer]]:
    """Give the observers that an estimator's callbacks and ``verbose`` ask for."""
    lines: list[Observer] = [Lines(n_steps)] if estimator.verbose else []
    if not hasattr(estimator, "_init_callback_context"):
        yield lines
        return
    context = estimator._init_callback_context(max_subtasks=n_steps)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    callbacks: list[Observer] = [Callbacks(estimator, context)] if getattr(estimator, "_skl_callbacks", None) else []
    yield [*lines, *callbacks]
    context.call_on_fit_task_end(estimator=estimator)


class Callbacks(Observer):
    """Each step of the search is a task of the fit."""

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator = estimator
        self._context = context

    def on_step(self, step: Step, n_steps: int) -> None:
        """Report a step; a callback may ask to stop."""
        context = self._context.subcontext(task_name="step")
        context.call_on_fit_task_begin(estimator=self._estimator)
        if context.call_on_fit_task_end(estimator=self._estimator):
            raise StopSearch("callback")


class Lines(Observer):
    """One line a step on stderr, at most about five a second."""

    def __init__(self, n_steps: int | None) -> None:
        self._expected = n_steps
        self._began = time.monotonic()
        self._shown = 0.0

    def on_step(self, step: Step, n_steps: int) -> None:
        """Say what was done and how long the rest may take."""
        now = time.monotonic()
        if now - self._shown < 0.2 and n_steps != self._expected:
            return
        self._shown = now
        elapsed = now - self._began
        left = "" if self._expected is None else f", about {elapsed / n_steps * (self._expected - n_steps):.0f} s left"
        sign = "+" if step.action == "add" else "-"
        state = f"{step.n_features} columns, score {step.score:.6g}"
        sys.stderr.write(f"step {n_steps}: {sign}{step.column}, {state}, {elapsed:.1f} s{left}\n")
