# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation: scores on held-out rows, which take no part in selection, tuning or fit."""

from bayesieve.evaluation.compare import Comparison, compare
from bayesieve.evaluation.evaluate import evaluate
from bayesieve.evaluation.learner import Learner
from bayesieve.evaluation.outer_cv import OuterFit, outer_fits, score_probabilities
from bayesieve.evaluation.paired_tests import corrected_error
from bayesieve.evaluation.reference_models import REFERENCE_MODELS, ReferenceRows, reference_matrix
from bayesieve.evaluation.result import Evaluation

__all__ = [
    "REFERENCE_MODELS",
    "Comparison",
    "Evaluation",
    "Learner",
    "OuterFit",
    "ReferenceRows",
    "compare",
    "corrected_error",
    "evaluate",
    "outer_fits",
    "reference_matrix",
    "score_probabilities",
]
