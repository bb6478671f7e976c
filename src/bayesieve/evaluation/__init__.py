# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation: scores on held-out rows, which take no part in selection, tuning or fit.

A name is loaded on first use; the functions ``compare`` and ``evaluate`` are in modules of their names.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayesieve.evaluation.learner import Learner as Learner
    from bayesieve.evaluation.outer_cv import (
        OuterFit as OuterFit,
        outer_fits as outer_fits,
        score_probabilities as score_probabilities,
    )
    from bayesieve.evaluation.paired_tests import corrected_error as corrected_error
    from bayesieve.evaluation.reference_models import (
        REFERENCE_MODELS as REFERENCE_MODELS,
        ReferenceRows as ReferenceRows,
        reference_matrix as reference_matrix,
    )
    from bayesieve.evaluation.result import Evaluation as Evaluation

_MODULES = {
    "REFERENCE_MODELS": "reference_models",
    "Evaluation": "result",
    "Learner": "learner",
    "OuterFit": "outer_cv",
    "ReferenceRows": "reference_models",
    "corrected_error": "paired_tests",
    "outer_fits": "outer_cv",
    "reference_matrix": "reference_models",
    "score_probabilities": "outer_cv",
}
__all__ = [*_MODULES]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'bayesieve.evaluation' has no attribute {name!r}")
    value: object = getattr(import_module(f"bayesieve.evaluation.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
