# SPDX-License-Identifier: BSD-3-Clause
"""Discretization: the MODL discretizer as a transformer, and the coding rule of the parameter ``discretizer``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from bayesieve.bins import (
    CODING_RULES,
    MODL,
    BinLearner,
    CodingRule,
    DistinctValues,
    Edited,
    Groups,
    Partition,
    Summary,
    with_counts,
)
from bayesieve.bins.binning_rule import distinct_groups
from bayesieve.bins.partition import as_ordered
from bayesieve.data import (
    Scale,
    Strata,
    Table,
    Values,
    build_frame,
    frame_backend,
    read_table,
    read_target,
    read_weights,
    resolve_columns,
)
from bayesieve.data.column import index_numbers
from bayesieve.estimators._sklearn import DocumentationMixin, Interval, StrOptions, validated_fit
from bayesieve.estimators._types import Array, ColumnsLike, Constraints, Frame, TableLike, Tags, Transformer
from bayesieve.estimators.options import by_numeric_column, read_trends
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.rows import accept_any_table, check_header, open_new_rows, warn_of_small_weights
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.explain.scorecard_table import binning_columns, weight_of_evidence
from bayesieve.fit.class_order import order_classes
from bayesieve.fit.rows import MemoryRows, TrainingRows

__all__ = ["MODLDiscretizer", "TransformerRule", "_modl_rule", "read_discretizer"]

_MOST_LABELS = 1 << 18  # of a block, whose counts are held at once


@documented
class MODLDiscretizer(OneToOneFeatureMixin, TransformerMixin, DocumentationMixin, BaseEstimator):
    """Bayes-optimal bins: intervals of numbers and groups of categories.

    Each column's bins are the most probable ones given the classes, by the MODL criterion. An uninformative column
    has a single bin. Nothing has to be tuned.

    Parameters
    ----------
    prior : {"khiops", "2006"}, default="khiops"
        The prior of the criterion: that of today's Khiops, or that of Boullé's paper of 2006 (2005 for categories).
    missing : {"own_bin", "lowest"}, default="own_bin"
        Missing values are a bin of their own; or, as in Khiops, the lowest number and a category like others. In a
        column of one bin they are in it.
    max_bins : int or None, default=None
        The largest number of bins of a column, that of missing values included.
    min_bin_size : float, default=0
        The smallest weight (number of rows) of a bin.
    categorical : "auto", column names, positions, mask or callable, default="auto"
        Numeric columns whose values have no order; "auto" takes booleans, strings and categories only.
    user_splits : mapping or None, default=None
        Given bins: a column's name and its inner bounds, or lists of categories. They are not optimized.
    special_values : mapping, list or None, default=None
        Numbers with a bin each, apart from the intervals: for each column's name, or for all numeric columns.
    monotone : mapping, str or None, default=None
        "increasing" or "decreasing": the share of the second of two classes from interval to interval, for each
        column's name, or for all numeric columns.
    {n_jobs}
    encode : {"bin", "woe"}, default="bin"
        What `transform` returns: the number of the bin, or its weight of evidence for the second of two classes, 0 for
        values that did not occur in training.

    Attributes
    ----------
    partitions_ : dict
        For each column's name an ``Intervals`` (``bounds``) or ``Groups`` (``groups``), with ``counts``, ``level`` and
        ``cost``.
    levels_ : array of shape (n_features_in_,)
        For each column the share of the null model's cost that its bins save; 0 if a single bin is optimal.
    {classes_, n_features_in_, feature_names_in_}

    Notes
    -----
    An integer weight of k counts as k copies of the row; for other weights, factorials become gamma functions. Do not
    normalize weights: if they add up to 1, they count as one row. A sum above 2^30 is treated as 2^30.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesieve import MODLDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bins = MODLDiscretizer().fit(X, y)
    >>> bins.partitions_["petal width (cm)"].bounds
    array([0.8 , 1.75])
    >>> bins.binning_table("petal width (cm)")["bin"].to_list()
    ['<= 0.8', '> 0.8 and <= 1.75', '> 1.75']
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "prior": [StrOptions({"khiops", "2006"})],
        "missing": [StrOptions({"own_bin", "lowest"})],
        "max_bins": [None, Interval(Integral, 1, None, closed="left")],
        "min_bin_size": [Interval(Real, 0, None, closed="left")],
        "categorical": [str, Integral, "array-like", callable],
        "user_splits": [None, Mapping],
        "special_values": [None, Mapping, "array-like"],
        "monotone": [None, Mapping, StrOptions({"increasing", "decreasing"})],
        "n_jobs": [None, Integral],
        "encode": [StrOptions({"bin", "woe"})],
    }

    def __init__(
        self,
        prior: str = "khiops",
        *,
        missing: str = "own_bin",
        max_bins: int | None = None,
        min_bin_size: float = 0,
        categorical: ColumnsLike = "auto",
        user_splits: Mapping[ColumnsLike, Sequence[object]] | None = None,
        special_values: Mapping[ColumnsLike, ArrayLike] | ArrayLike | None = None,
        monotone: Mapping[ColumnsLike, str] | str | None = None,
        n_jobs: int | None = None,
        encode: str = "bin",
    ) -> None:
        self.prior = prior
        self.missing = missing
        self.max_bins = max_bins
        self.min_bin_size = min_bin_size
        self.categorical = categorical
        self.user_splits = user_splits
        self.special_values = special_values
        self.monotone = monotone
        self.n_jobs = n_jobs
        self.encode = encode

    @validated_fit
    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the bins of each column.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Numbers are ordered; booleans, strings and categories are not.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of k counts as k copies of the row.

        Returns
        -------
        self : MODLDiscretizer
            The fitted discretizer.
        """
        table = read_table(X)
        check_header(self, X, table, reset=True)
        weights = read_weights(sample_weight, table.n_rows)
        warn_of_small_weights(weights.total, int(np.count_nonzero(weights.units)))
        target = read_target(y if y is None else np.asarray(y), table.n_rows, weights)
        self._nominal = self._categorical(X, table)
        self.column_names_ = table.names
        self._backend = frame_backend(X)
        self.classes_ = target.classes
        if self.encode == "woe" and target.n_classes != 2:
            raise ParameterError(f"encode='woe' is for two classes; this target has {target.n_classes}.")
        rows = order_classes(MemoryRows(table.as_nominal(self._nominal), target, weights))
        rule = _modl_rule(self, rows.table, rows.class_numbers).for_table(table.n_columns)
        units = None if (weights.units == 1).all() else weights.units
        strata = Strata(rows.target.codes, target.n_classes, units)
        if hasattr(self, "levels_"):
            del self.levels_  # they come last: without them it is not fitted
        self.partitions_: dict[str, Partition] = {}  # grows, so that Ctrl-C leaves the columns that are done
        for _, batch in rows.table.batches(int(effective_n_jobs(self.n_jobs)), _MOST_LABELS):
            learned = BinLearner(batch, rule, weights.unit).learn(batch.count(strata))
            for column, bins in zip(batch.columns, learned, strict=True):
                self.partitions_[column.name] = with_counts(
                    bins.partition, bins.counts[:-1, rows.class_numbers], weights.unit
                )
        levels = (partition.level for partition in self.partitions_.values())
        given = [np.nan if level is None else level for level in levels]
        self.levels_: NDArray[np.float64] = np.array(given, dtype=np.float64)
        return self

    def transform(self, X: TableLike) -> Array:
        """Return the bin of each value, or its weight of evidence.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        bins : int32 or float64 array of shape (n_samples, n_features)
            Bins 0, 1, ... in the order of `binning_table`; ``n_bins`` of the column for categories that did
            not occur in training, and for missing values if there were none. With ``encode="woe"``, their weights of
            evidence.
        """
        check_is_fitted(self, "levels_")
        table = open_new_rows(self, X).as_nominal(self._nominal)
        codes = np.empty((table.n_rows, table.n_columns), dtype=np.int32)
        for first, batch in table.batches(int(effective_n_jobs(self.n_jobs))):
            parts = [self.partitions_[column.name].bins_of(column) for column in batch.columns]
            some = np.empty((len(parts), table.n_rows), dtype=np.uint16)
            batch.code(np.arange(table.n_rows), parts, some)
            codes[:, first : first + len(parts)] = some.T
        return codes if self.encode == "bin" else self._evidence(codes)

    def _evidence(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the weight of evidence of each code; 0 for *unseen*."""
        evidence = np.empty(codes.shape)
        for j, name in enumerate(self.column_names_):
            partition: Any = self.partitions_[name]
            against, inside = np.asarray(partition.counts, dtype=np.float64).T
            evidence[:, j] = np.append(weight_of_evidence(inside, against), 0.0)[codes[:, j]]
        return evidence

    def binning_table(self, column: str | int) -> Frame:
        """Return the bins of a column, as a data frame.

        Parameters
        ----------
        column : str or int
            The column's name or position.

        Returns
        -------
        table : data frame
            One row per bin: its values, its weight by class and in all, its share of the rows, and the rate and
            weight of evidence of the second of two classes, or of each of several. In the library of the training
            table; otherwise pandas or polars, whichever is there.
        """
        check_is_fitted(self, "levels_")
        (place,) = resolve_columns(column, self.column_names_, "column")
        columns = binning_columns(self.partitions_[self.column_names_[place]], self.classes_.tolist())
        return build_frame(columns, self._backend)

    def _categorical(self, X: TableLike, table: Table) -> list[int]:
        if isinstance(self.categorical, str) and self.categorical == "auto":
            return []
        return resolve_columns(self.categorical, table.names, "categorical", X)

    def __sklearn_tags__(self) -> Tags:
        """Accept missing values, categories and sparse tables; a target is needed, and bins are whole numbers."""
        tags = accept_any_table(super().__sklearn_tags__())
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _modl_rule(estimator: MODLDiscretizer, table: Table, class_numbers: NDArray[np.intp]) -> CodingRule:
    """Return the rule that a discretizer's parameters describe.

    Parameters
    ----------
    estimator : MODLDiscretizer
        Its parameters are read.
    table : Table
        The training table, with the columns whose values have no order as nominal ones.
    class_numbers : int array of shape (n_classes,)
        The number of each class in training, in increasing order of the labels.
    """
    trends = read_trends(estimator.monotone, table, len(class_numbers), int(class_numbers[-1]))
    monotone = {table.names[j]: sign for j, sign in trends.items()}
    rule = MODL(estimator.prior, estimator.missing, estimator.max_bins, float(estimator.min_bin_size), monotone)
    given = by_numeric_column(estimator.special_values, table, "special_values")
    special = {name: _special(name, values) for name, values in given.items()}
    user_splits = (estimator.user_splits or {}).items()
    splits = {table.names[resolve_columns(key, table.names, "user_splits")[0]]: split for key, split in user_splits}
    return Edited(rule, splits, special) if splits or special else rule


def _special(name: str, values: object) -> tuple[float, ...]:
    try:
        numbers = np.unique(np.array(values, dtype=np.float64))  # each once, in order
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ParameterError(f"special_values[{name!r}] must be finite numbers, got {values!r:.60}.")
    return tuple(numbers.tolist())


_MOST_ROWS = 1e6


def read_discretizer(discretizer: str | Transformer | None, rows: TrainingRows) -> CodingRule:
    """Return the coding rule of a name, of a `MODLDiscretizer` or of another transformer."""
    if discretizer is None or isinstance(discretizer, str):
        return CODING_RULES[discretizer]
    if isinstance(discretizer, MODLDiscretizer):
        return _modl_rule(discretizer, rows.head, rows.class_numbers)
    return TransformerRule(discretizer)


@dataclass(frozen=True)
class TransformedValues:
    """The outputs of a fitted transformer as bins; missing values do not go through it, but may come out of it."""

    transformer: Transformer
    groups: Groups
    level: None = None
    scale: Scale = Scale.numeric

    @property
    def n_bins(self) -> int:
        """Number of bins, that of missing values included."""
        return self.groups.n_bins

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        distinct, place = index_numbers(_outputs(self.transformer, column.name, as_ordered(column, self.scale)))
        bins = self.groups.bins_of(Values(column.name, distinct))
        return np.append(bins[place], bins[-1])

    def describe(self, code: int) -> str:
        """Return a description of a bin."""
        return self.groups.describe(code)


@dataclass(frozen=True)
class TransformerRule(CodingRule):
    """Codes numeric columns by clones of ``transformer``; the values of nominal columns stay apart."""

    transformer: Transformer
    reads_order: ClassVar[bool] = False

    def learn(self, summary: Summary) -> Partition:
        """Fit a clone on a column's values, each repeated by its weight."""
        present = np.flatnonzero(summary.mass)
        if not isinstance(summary.labels, np.ndarray) or len(present) < 2:  # nothing to divide
            return DistinctValues().learn(summary)
        times = _repeats(summary)
        labels, classes = np.nonzero(times)
        rows = np.repeat(np.arange(len(labels)), times[labels, classes])
        fitted = clone(self.transformer).fit(summary.labels[labels[rows], None], classes[rows])
        distinct, place = index_numbers(_outputs(fitted, summary.name, summary.labels))
        sums = np.zeros((len(distinct) + 1, summary.counts.shape[1]), dtype=np.int64)
        np.add.at(sums, np.append(place, len(distinct)), summary.counts)
        groups = distinct_groups(Summary(summary.name, distinct, sums, summary.unit))
        return TransformedValues(fitted, groups)


def _repeats(summary: Summary) -> NDArray[np.int64]:
    """Return the repetitions of each value per class: its weight rounded, at least 1, about a million in all."""
    weights = summary.counts[:-1] * summary.unit
    weights = weights * min(1.0, _MOST_ROWS / weights.sum())
    return np.where(weights > 0, np.maximum(np.rint(weights), 1), 0).astype(np.int64)


def _outputs(transformer: Transformer, name: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(numbers):
        return numbers
    outputs = transformer.transform(numbers[:, None])
    outputs = np.asarray(outputs.toarray() if hasattr(outputs, "toarray") else outputs, dtype=np.float64)
    if outputs.shape != (len(numbers), 1):
        raise DataError(
            f"The discretizer turned column {name!r} of shape ({len(numbers)}, 1) into shape {outputs.shape}; "
            "one output per value is expected, for instance with encode='ordinal'."
        )
    return np.ascontiguousarray(outputs[:, 0])
