"""The positive class, and class priors where a model is used."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.estimators._types import Label
from bayesieve.exceptions import ParameterError
from bayesieve.training.rows import TrainingRows

__all__ = ["positive_index", "read_prior_shift"]


def positive_index(pos_label: Label, classes: Sequence[Label]) -> int:
    """Return the position of the positive class of two; the second by default."""
    if pos_label is None:
        return 1
    if pos_label not in classes:
        raise ParameterError(f"pos_label is {pos_label!r:.60}; the classes are {list(classes)!r:.80}.")
    return classes.index(pos_label)


def read_prior_shift(class_prior: Mapping[Label, float] | ArrayLike | None, rows: TrainingRows) -> NDArray[np.int64]:
    """Return what another class prior than that of the training rows adds to the score of each class."""
    classes = rows.classes.tolist()
    if class_prior is None:
        return np.zeros(len(classes), dtype=np.int64)
    try:
        by_class = [class_prior.get(label) for label in classes] if isinstance(class_prior, Mapping) else class_prior
        prior = np.array(by_class, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.empty(0)
    if prior.shape != (len(classes),) or not (np.isfinite(prior).all() and (prior > 0).all()):
        expected = f"a positive number for each of the classes {list(classes)!r:.80}"
        raise ParameterError(f"class_prior must be {expected}, got {class_prior!r:.60}.")
    trained = np.array([float(each) * rows.unit for each in rows.class_mass], dtype=np.float64)
    return to_fixed(log_positive(prior / prior.sum()) - log_positive(np.maximum(trained, 1e-300) / trained.sum()))
