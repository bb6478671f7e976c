# SPDX-License-Identifier: BSD-3-Clause
"""Names of selectors, classifiers and data sets."""

from collections.abc import Mapping
from typing import Any

from bayesieve.evaluation.data_source import Source
from bayesieve.evaluation.learner import Learner
from bayesieve.exceptions import ParameterError

__all__ = ["name_data", "name_estimators"]


def name_estimators(estimators: Any, parameter: str) -> dict[str, Any]:
    """Return estimators by name: a mapping as it is, others by the names of their classes."""
    if isinstance(estimators, Mapping):
        by_name = {str(name): each for name, each in estimators.items()}
    else:
        values = estimators if isinstance(estimators, list | tuple) else [estimators]
        names = ["all" if each is None else type(_estimator(each)).__name__ for each in values]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ParameterError(f"{parameter} has two of {repeated[0]}; use a mapping of names to them.")
        by_name = dict(zip(names, values, strict=True))
    if not by_name:
        raise ParameterError(f"{parameter} is empty.")
    for each in by_name.values():
        if each is not None and not hasattr(_estimator(each), "fit"):
            raise ParameterError(
                f"{parameter} must be estimators, got {type(each).__name__}; the arguments are selectors, classifiers "
                "and (X, y), with None as the selector that keeps all columns."
            )
    return by_name


def name_data(data: Any) -> dict[str, Source]:
    """Return sources by name; a single one is named "data"."""
    has_names = isinstance(data, Mapping) and not hasattr(data, "target")
    sources: dict[str, Source] = dict(data) if has_names else {"data": data}
    if not sources:
        raise ParameterError("data is empty; use (X, y), or a mapping of names to such pairs.")
    return {str(name): source for name, source in sources.items()}


def _estimator(learner: Any) -> Any:
    return learner.estimator if isinstance(learner, Learner) else learner
