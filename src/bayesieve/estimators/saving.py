# SPDX-License-Identifier: BSD-3-Clause
"""Estimators and model files: what can be saved, and what is built from a file."""

import os
from importlib import import_module
from typing import Any, Final, cast

from sklearn.utils.validation import check_is_fitted

from bayesieve.model_file.file import load_model, write_model
from bayesieve.model_file.saved_model import FittedClassifier, SavedModel, saved_model

__all__ = ["SavingMixin", "load"]

_SAVED: Final = (
    "benefit_classifier", "boosting", "scorecard_classifier", "scorecard_regressor", "selective_naive_bayes", "voting",
)  # fmt: skip


def load(path: str | os.PathLike[str]) -> Any:
    """Return the fitted estimator that ``save`` wrote to a file.

    Parameters
    ----------
    path : str or path
        The file, a JSON document. Nothing in it is ever executed.

    Returns
    -------
    estimator : object
        Predicts what the saved one did, to the last bit.

    Raises
    ------
    ModelFileError
        If the file is missing, truncated, edited, foreign, or of a newer version.
    """
    for module in _SAVED:  # each registers its builder when it is imported
        import_module(f"bayesieve.estimators.{module}")
    return load_model(path)


class SavingMixin:
    """What a classifier can do that `bayesieve.load` can build."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a JSON file, from which `bayesieve.load` makes one that predicts the same bits.

        Parameters
        ----------
        path : str or path
            The file. It holds the selected subset only: a loaded model cannot ``select`` another.
        """
        check_is_fitted(self)
        write_model(path, self._saved_model())

    def _saved_model(self) -> SavedModel:
        """Return what a model file keeps."""
        return saved_model(cast(FittedClassifier, self))
