# SPDX-License-Identifier: BSD-3-Clause
"""Estimators that are built from model files: each registers itself when it is imported, and all are here."""

import bayesieve.estimators.benefit_classifier
import bayesieve.estimators.boost_classifier
import bayesieve.estimators.boost_selector
import bayesieve.estimators.scorecard_classifier
import bayesieve.estimators.selective_naive_bayes
import bayesieve.estimators.vote_classifier  # noqa: F401
from bayesieve.model_file.file import load

__all__ = ["load"]
