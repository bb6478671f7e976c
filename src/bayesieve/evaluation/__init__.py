# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation: scores on held-out rows, which take no part in selection, tuning or fit.

A name is loaded on first use; the functions ``compare`` and ``evaluate`` are in modules of their names.
"""

from typing import TYPE_CHECKING

from bayesieve._lazy_names import lazy_names

if TYPE_CHECKING:
    from bayesieve.evaluation.compare import Comparison as Comparison
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
    "Comparison": "compare",
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
__getattr__, __dir__ = lazy_names(__name__, _MODULES)
