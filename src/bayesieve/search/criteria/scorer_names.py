# SPDX-License-Identifier: BSD-3-Clause
"""Names that scikit-learn has for criteria of this library."""

__all__ = ["SCORER_NAMES", "criterion_name"]

SCORER_NAMES = {
    "roc_auc": "auc",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "accuracy": "error",
    "balanced_accuracy": "balanced_error",
}
"""Names of scikit-learn's scorers, and the criteria that order subsets as they do."""


def criterion_name(name: str) -> str:
    """Return the name of a criterion, given that or the name of a scorer."""
    return SCORER_NAMES.get(name, name)
