"""A fitted classifier that becomes a file."""

import os

from sklearn.utils.validation import check_is_fitted

from bayesieve.model_file.capture import FittedClassifier, saved_model
from bayesieve.model_file.file import write_model

__all__ = ["SavingMixin"]


class SavingMixin:
    """What a classifier can do that `bayesieve.load` can build."""

    def save(self: FittedClassifier, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a JSON file, from which `bayesieve.load` makes one that predicts the same bits.

        Parameters
        ----------
        path : str or path
            The file. It holds the selected subset only: a loaded model cannot ``select`` another.
        """
        check_is_fitted(self)
        write_model(path, saved_model(self))
