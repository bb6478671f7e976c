# SPDX-License-Identifier: BSD-3-Clause
"""The options of a fit, and the classifier that they describe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils import get_tags

from bayesieve.cli.fit_goals import Goal, check_goal, decision_threshold
from bayesieve.cli.fit_methods import METHODS, Method, methods_with
from bayesieve.cli.target_classes import find_positive
from bayesieve.data import resolve_columns
from bayesieve.exceptions import ParameterError
from bayesieve.report import ReportContext

__all__ = ["FitOptions"]

_COMPARE_SECONDS = 30.0
_DEFAULT_FOLDS = 5


@dataclass(frozen=True)
class FitOptions:
    """Options of ``bayesieve fit``, by their names there; ``command`` is the command line."""

    target: str
    method: Method
    goal: Goal
    positive: str | None
    floor: float | None
    cost: float | None
    amount: str | None
    keep: Sequence[str]
    drop: Sequence[str]
    max_features: int | None
    pairs: str | None
    cv: int | None
    time_limit: float | None
    command: str
    compare: bool | None = None
    min_gain: float | None = None
    one_se: bool = False

    @property
    def n_folds(self) -> int:
        """The number of outer folds."""
        return _DEFAULT_FOLDS if self.cv is None else self.cv

    def positive_class(self, classes: Sequence[Any], counts: Sequence[int]) -> Any:
        """Return the positive class; None if there are more than two classes."""
        if self.positive is not None and len(classes) != 2:
            raise ParameterError(f"--positive is for two classes; this target has {len(classes)}.")
        place = find_positive(self.positive, classes, counts)
        return None if place is None else classes[place]

    def report_context(self, positive: Any, n_classes: int, amount: float | None, **source: Any) -> ReportContext:
        """Return the context of the report; ``source`` describes the data."""
        floor = check_goal(self.goal, n_classes, self.floor, self.cost, amount)
        return ReportContext(
            self.target, self.goal.value, positive, floor, self.cost, amount, command=self.command,
            compare_seconds=self._compare_seconds(), **source
        )  # fmt: skip

    def _compare_seconds(self) -> float | None:
        """Return the time for other models: what --time-limit allows at most, unless they are asked for."""
        if self.compare is None:
            return _COMPARE_SECONDS if self.time_limit is None else min(_COMPARE_SECONDS, self.time_limit)
        return None if self.compare else 0.0

    def classifier(
        self,
        context: ReportContext,
        names: Sequence[str],
        classes: Sequence[Any],
        n_fits: int,
        hidden: str | None = None,
        **parameters: Any,
    ) -> Any:
        """Return the estimator of the method; ``hidden`` is a column that must not be used."""
        kept, dropped = (
            [names[j] for j in resolve_columns(list(each), names, option)]
            for each, option in ((self.keep, "--keep"), (self.drop, "--drop"))
        )
        estimator = METHODS[self.method].build(
            n_features="auto" if self.max_features is None else (0, self.max_features),
            keep=kept or None,
            drop=[*dropped, *([] if hidden is None or hidden in dropped else [hidden])] or None,
            max_time=None if self.time_limit is None else self.time_limit / n_fits,
            n_jobs=-1,
            **self._decision_parameters(context),
            **self._pair_parameters(self.method),
            **self._size_parameters(self.method),
            **parameters,
        )
        if len(classes) != 2 and not get_tags(estimator).classifier_tags.multi_class:
            raise ParameterError(f"--method {self.method.value} is for two classes; this target has {len(classes)}.")
        return estimator

    def _pair_parameters(self, method: Method) -> dict[str, Any]:
        """Return the number of pairs of columns, if it is given; refuse it where there are none."""
        if self.pairs is None:
            return {}
        if "n_pairs" not in METHODS[method].parameters:
            raise ParameterError(f"--pairs is for --method {methods_with('n_pairs')}; this fit uses {method.value}.")
        if self.pairs != "auto" and not self.pairs.isdecimal():
            raise ParameterError(f"--pairs must be auto or a number, 0 for none, got {self.pairs!r}.")
        return {"n_pairs": self.pairs if self.pairs == "auto" else int(self.pairs)}

    def _size_parameters(self, method: Method) -> dict[str, Any]:
        """Return the rule of the number of columns, if it is given; refuse it where the estimator has another."""
        if self.min_gain == 0:
            raise ParameterError("--min-gain must be above 0 and at most 1, got 0.")
        given = {"min_gain": self.min_gain, "one_se": self.one_se or None}
        given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in METHODS[method].parameters:
                option = f"--{name.replace('_', '-')}"
                raise ParameterError(f"{option} is for --method {methods_with(name)}; this fit uses {method.value}.")
        return given

    def _decision_parameters(self, context: ReportContext) -> dict[str, Any]:
        """Return the threshold and the positive class, which every method has."""
        return {
            "threshold": decision_threshold(self.goal, context.floor, self.cost, context.amount),
            "pos_label": context.positive,
        }
