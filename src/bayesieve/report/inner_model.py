# SPDX-License-Identifier: BSD-3-Clause
"""The classifier inside a pipeline, a search or a classifier of decisions, and the table that it sees."""

from typing import Any

__all__ = ["inner_estimator", "open_model", "with_scoring"]


def inner_estimator(estimator: Any) -> Any:
    """Return the classifier inside an estimator that need not be fitted."""
    if hasattr(estimator, "steps"):
        return inner_estimator(estimator.steps[-1][1])
    return inner_estimator(estimator.estimator) if hasattr(estimator, "estimator") else estimator


def open_model(model: Any, X: Any) -> tuple[Any, Any]:
    """Return what decides inside a fitted pipeline or search, and the rows of ``X`` as it sees them."""
    if hasattr(model, "best_estimator_"):
        return open_model(model.best_estimator_, X)
    if hasattr(model, "steps"):
        return open_model(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)
    return model, X


def with_scoring(model: Any, scoring: Any) -> Any:
    """Return a copy that is not fitted, of a classifier or of that inside another, with these scores of sizes."""
    parameters = model.get_params(deep=False)
    if "steps" in parameters:
        *steps, (name, last) = parameters["steps"]
        changed: dict[str, Any] = {"steps": [*steps, (name, with_scoring(last, scoring))]}
    elif "estimator" in parameters:
        changed = {"estimator": with_scoring(model.estimator, scoring)}
    else:
        changed = {"scoring": scoring}
    return type(model)(**(parameters | changed))
