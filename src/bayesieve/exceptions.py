# SPDX-License-Identifier: BSD-3-Clause
"""Errors and warnings: each message is one sentence that names what was found and what was expected."""

import sys
import warnings

__all__ = [
    "BayesieveError",
    "BayesieveWarning",
    "CheckpointError",
    "ClippedSelectionWarning",
    "ColumnTypeError",
    "DataError",
    "DecimalGuessWarning",
    "DownloadError",
    "EditError",
    "EncodingGuessWarning",
    "ExportError",
    "InterruptedSearchWarning",
    "ManyClassesWarning",
    "MissingPackageError",
    "ModelFileError",
    "NativeCoreWarning",
    "NoIndicatorWarning",
    "NothingSelectedWarning",
    "OutputError",
    "ParameterError",
    "PooledValuesWarning",
    "RepeatedRowsWarning",
    "SampledModelWarning",
    "SmallWeightsWarning",
    "UnreachedFloorWarning",
    "UnseenValuesWarning",
    "WorkersLostError",
]


class BayesieveError(Exception):
    """Base of all errors that bayesieve raises on purpose."""


class DataError(BayesieveError, ValueError):
    """A table, target or weight vector cannot be used as it is."""


class ColumnTypeError(DataError, TypeError):
    """A column holds values of a type that cannot be used."""


class ParameterError(BayesieveError, ValueError):
    """A parameter contradicts the data or another parameter."""


class CheckpointError(BayesieveError, ValueError):
    """A checkpoint cannot be resumed: truncated, foreign or outdated."""


class ModelFileError(BayesieveError, ValueError):
    """A model cannot be written to a file, or a file is not a valid model: truncated, edited, foreign or newer."""


class EditError(BayesieveError, ValueError):
    """An edit does not apply to a model, or a file holds no edits."""


class ExportError(BayesieveError, ValueError):
    """A model cannot be exported to the requested format."""


class OutputError(BayesieveError, OSError):
    """A file cannot be written; the previous content is untouched."""


class WorkersLostError(BayesieveError, RuntimeError):
    """All Dask workers are lost, or the scheduler cannot be reached."""


class DownloadError(BayesieveError, OSError):
    """A data set is not stored on this machine and cannot be downloaded."""


class MissingPackageError(BayesieveError, ImportError):
    """A package of an extra is not installed."""


class BayesieveWarning(UserWarning):
    """Base of all warnings that bayesieve issues."""


class InterruptedSearchWarning(BayesieveWarning):
    """A search was stopped by Ctrl-C; the best subset so far was kept."""


class NothingSelectedWarning(BayesieveWarning):
    """No column is selected: none improves on the class priors, or the time limit ended the search before."""


class NoIndicatorWarning(BayesieveWarning):
    """Every indicator of a grid is constant."""


class ClippedSelectionWarning(BayesieveWarning):
    """The requested number of columns is not available."""


class IdleColumnWarning(BayesieveWarning):
    """A column of ``keep`` does not change any prediction."""


class PooledValuesWarning(BayesieveWarning):
    """A column has more distinct values than there are codes; the rarest values share one."""


class RepeatedRowsWarning(BayesieveWarning):
    """Rows occur more often than chance explains; copies share a fold."""


class ManyClassesWarning(BayesieveWarning):
    """The target has so many whole numbers that they may be amounts or counts; each is a class."""


class SmallWeightsWarning(BayesieveWarning):
    """Weights add up to far less than the number of rows, so that the table counts as a few rows."""


class SampledModelWarning(BayesieveWarning):
    """A model was learned from a sample of the rows, where that of another size was learned from all."""


class NativeCoreWarning(BayesieveWarning):
    """The compiled core is missing; the NumPy versions of its functions are used."""


class EncodingGuessWarning(BayesieveWarning):
    """A text file is not UTF-8; it was read as Windows-1252, or as latin-1."""


class DecimalGuessWarning(BayesieveWarning):
    """Every comma of a column stands before three digits; it was read as a decimal mark because of the semicolons."""


class UnreachedFloorWarning(BayesieveWarning):
    """A recall or precision floor cannot be guaranteed with the available rows."""


class UnseenValuesWarning(BayesieveWarning):
    """Many rows to predict have values that do not occur in the training data."""


_INSIDE = ("bayesieve", "sklearn", "contextlib")


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line that called the library, whatever lies between: this package or scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
