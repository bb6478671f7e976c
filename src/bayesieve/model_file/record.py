# SPDX-License-Identifier: BSD-3-Clause
"""What a model file holds: a fitted classifier without rows, codes or code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.decisions import Threshold
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models.amount_model import AmountModel
from bayesieve.models.scorecard import Scorecard

__all__ = ["SavedBenefit", "SavedColumn", "SavedModel"]


@dataclass(frozen=True)
class SavedColumn:
    """A column of the training table: its name, and whether its values are ordered (nominal otherwise)."""

    name: str
    ordered: bool


@dataclass(frozen=True)
class SavedBenefit:
    """The benefits of actions, for a classifier inside a `BenefitClassifier`.

    Attributes
    ----------
    cost : float
        The cost of acting on a row.
    pos_label : object
        The class whose rows have amounts; None for the second.
    matrix : float array of shape (n_actions, n_classes), or None
        The benefits of all rows; None where there are amounts.
    amount : AmountModel, str or None
        What predicts the amount of a row, or the name of the column that has it.
    """

    cost: float
    pos_label: Any
    matrix: NDArray[np.float64] | None
    amount: AmountModel | str | None


@dataclass(frozen=True)
class SavedModel:
    """A fitted classifier.

    Attributes
    ----------
    estimator : str
        The name of its class.
    columns : tuple of SavedColumn
        All columns of the training table, in order.
    named : bool
        Whether the names were the table's own (``feature_names_in_``).
    scorecard : Scorecard
        What predicts.
    threshold : Threshold or None
        How probabilities become a class; None where the most probable one is taken.
    partitions : mapping of column name to Partition
        Bins for display.
    parameters : mapping
        Of the constructor, as far as they are plain values.
    summary : mapping
        Facts about the training: strings, numbers, booleans, None, lists and dicts of them.
    training : TrainingRecord or None
        Data and date of the training, and scores on held-out rows.
    benefit : SavedBenefit or None
        The benefits by which a `BenefitClassifier` decides; None where the classifier decides itself.
    """

    estimator: str
    columns: tuple[SavedColumn, ...]
    named: bool
    scorecard: Scorecard
    threshold: Threshold | None = None
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    training: TrainingRecord | None = None
    benefit: SavedBenefit | None = None

    @property
    def builder(self) -> str:
        """The name of the class that `load` returns."""
        return self.estimator if self.benefit is None else "BenefitClassifier"
