"""Names of what is compared."""

from collections.abc import Mapping
from typing import Any

from bayesieve.evaluation.learner import Learner
from bayesieve.evaluation.opened_data import Source
from bayesieve.exceptions import ParameterError

__all__ = ["name_data", "named"]


def named(things: Any, what: str) -> dict[str, Any]:
    """Return things by name: a mapping as it is, others by the names of their classes."""
    if isinstance(things, Mapping):
        found = {str(name): thing for name, thing in things.items()}
    else:
        many = things if isinstance(things, list | tuple) else [things]
        names = ["all" if thing is None else type(_estimator(thing)).__name__ for thing in many]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ParameterError(f"{what} has two of {repeated[0]}; give a mapping of names to them.")
        found = dict(zip(names, many, strict=True))
    if not found:
        raise ParameterError(f"{what} is empty.")
    return found


def name_data(data: Any) -> dict[str, Source]:
    """Return named sources: one alone is called "data"."""
    is_many = isinstance(data, Mapping) and not hasattr(data, "target")
    named: dict[str, Source] = dict(data) if is_many else {"data": data}
    if not named:
        raise ParameterError("data is empty; give (X, y), or a mapping of names to such pairs.")
    return {str(name): source for name, source in named.items()}


def _estimator(thing: Any) -> Any:
    return thing.estimator if isinstance(thing, Learner) else thing
