# SPDX-License-Identifier: BSD-3-Clause
"""Outer folds: stratified, with the rows of a group in one fold, or forward in time."""

import warnings
from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from bayesieve.exceptions import DataError
from bayesieve.fit.stratified_folds import stratified_folds

__all__ = ["Split", "fit_rows", "outer_splits", "time_splits"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def outer_splits(
    labels: NDArray[Any], n_folds: int, groups: ArrayLike | None = None, random_state: int = 0
) -> list[Split]:
    """Return training and test rows of stratified folds; rows of one group are in one fold."""
    if groups is None:
        _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        most, least = max(counts, default=0), min(counts, default=0)
        if most < n_folds:
            raise DataError(f"{n_folds} folds need a class with {n_folds} rows or more; the largest class has {most}.")
        if least < n_folds:  # in the words of scikit-learn, for which users may have filters
            warnings.warn(
                f"The least populated class in y has only {least} members, which is less than n_splits={n_folds}.",
                UserWarning,
                stacklevel=2,
            )
        return stratified_folds(codes, n_folds, check_random_state(random_state))
    members = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    if len(members) != len(labels):
        raise DataError(f"groups has {len(members)} rows and the table has {len(labels)}: inconsistent lengths.")
    n_groups = int(members.max()) + 1
    if n_groups < n_folds:
        raise DataError(f"There are {n_groups} groups; {n_folds} folds need at least {n_folds}.")
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(splitter.split(np.zeros((len(labels), 1)), labels, members))
    return _check_classes(splits, labels, "groups")


def time_splits(labels: NDArray[Any], times: NDArray[Any], n_folds: int) -> list[Split]:
    """Return folds that are tested on what follows their training rows.

    Rows are divided by time into one period more than folds, rows of equal time staying together; fold k is trained on
    the first k periods and tested on the next.
    """
    _, places = np.unique(np.asarray(times), return_inverse=True)
    places = places.ravel()
    below = np.cumsum(np.bincount(places))
    n_rows, n_periods = len(labels), n_folds + 1
    period_of_place = np.minimum(((below - 1) * n_periods) // n_rows, n_periods - 1)
    period = np.unique(period_of_place, return_inverse=True)[1].ravel()[places]
    if period.max() + 1 < n_periods:
        raise DataError(f"The time column has too few different values for {n_folds} folds; use fewer folds.")
    splits = [(np.flatnonzero(period < k), np.flatnonzero(period == k)) for k in range(1, n_periods)]
    return _check_classes(splits, labels, "time")


def _check_classes(splits: Sequence[Split], labels: NDArray[Any], what: str) -> list[Split]:
    """Refuse folds in which a class is missing, since scores such as the ROC AUC do not exist there."""
    classes = np.unique(labels)
    for number, split in enumerate(splits, 1):
        for rows, name in zip(split, ("training rows", "test rows"), strict=True):
            absent = np.setdiff1d(classes, labels[rows])
            if len(absent):
                raise DataError(
                    f"With folds by {what}, the {name} of fold {number} of {len(splits)} have no class "
                    f"{absent.tolist()[0]!r}; use fewer folds (--cv)."
                )
    return list(splits)


def fit_rows(classifier: Any, X: Any, y: NDArray[Any], row_values: dict[str, Any]) -> Any:
    """Fit a classifier; groups are given to it if it draws folds of its own."""
    given = dict(row_values)
    inner_cv = getattr(classifier, "cv", 0)
    draws_folds = "groups" in signature(classifier.fit).parameters and not (isinstance(inner_cv, int) and inner_cv == 0)
    if not draws_folds:
        given.pop("groups", None)
    return classifier.fit(X, y, **given)
