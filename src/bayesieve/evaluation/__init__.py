# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation: scores on held-out rows, which take no part in selection, tuning or fit.

A name is loaded on first use.
"""

from typing import TYPE_CHECKING

from bayesieve._lazy_names import lazy_names

if TYPE_CHECKING:
    from bayesieve.evaluation.comparison import (
        Comparison as Comparison,
        compare as compare,
        corrected_error as corrected_error,
    )
    from bayesieve.evaluation.evaluation_task import Learner as Learner
    from bayesieve.evaluation.measures import (
        score_probabilities as score_probabilities,
        scores_with_errors as scores_with_errors,
    )
    from bayesieve.evaluation.nested_cv import evaluate as evaluate
    from bayesieve.evaluation.outer_cv import OuterFit as OuterFit, outer_fits as outer_fits
    from bayesieve.evaluation.reference_models import (
        REFERENCE_MODELS as REFERENCE_MODELS,
        ReferenceTable as ReferenceTable,
        reference_matrix as reference_matrix,
    )
    from bayesieve.evaluation.result import Evaluation as Evaluation

_MODULES = {
    "REFERENCE_MODELS": "reference_models",
    "Comparison": "comparison",
    "Evaluation": "result",
    "Learner": "evaluation_task",
    "OuterFit": "outer_cv",
    "ReferenceTable": "reference_models",
    "compare": "comparison",
    "corrected_error": "comparison",
    "evaluate": "nested_cv",
    "outer_fits": "outer_cv",
    "reference_matrix": "reference_models",
    "score_probabilities": "measures",
    "scores_with_errors": "measures",
}
__all__ = [*_MODULES]
__getattr__, __dir__ = lazy_names(__name__, _MODULES)
