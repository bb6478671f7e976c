# SPDX-License-Identifier: BSD-3-Clause
"""Outer cross-validation: selection and fit on the training rows of each fold, scores on its test rows.

Folds are stratified, with the rows of a group in one fold, or forward in time.
"""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from bayesieve.data import Table, read_table
from bayesieve.estimators._sklearn import pick_metadata, pick_rows
from bayesieve.estimators.refits import Refits, read_folds, read_scorer, weight_metadata
from bayesieve.exceptions import DataError
from bayesieve.fit.equal_rows import equal_rows_of, split_equal_rows

if TYPE_CHECKING:
    from bayesieve.estimators.wrapper_selector import WrapperSelector

__all__ = [
    "OuterFit",
    "OuterSelection",
    "Split",
    "evaluate_wrapper",
    "fit_rows",
    "outer_fits",
    "outer_splits",
    "scorer_names",
    "time_splits",
]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def outer_splits(
    labels: NDArray[Any],
    n_folds: int,
    groups: ArrayLike | None = None,
    random_state: int = 0,
    *,
    table: Table | None = None,
) -> list[Split]:
    """Return training and test rows of stratified folds; rows of one group are in one fold.

    Without groups, so are equal rows of a table in which rows repeat beyond chance.
    """
    if groups is None:
        _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        most = max(counts, default=0)
        if most < n_folds:
            raise DataError(f"{n_folds} folds need a class with {n_folds} rows or more; the largest class has {most}.")
        from sklearn.model_selection import StratifiedKFold

        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)

        def split(labels: NDArray[Any]) -> Iterator[Split]:
            return iter(splitter.split(np.zeros((len(labels), 1)), labels))

        equal = None if table is None else equal_rows_of(table, codes)
        return list(split(codes) if equal is None else split_equal_rows(split, codes, equal))
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


@dataclass(frozen=True)
class OuterFit:
    """A classifier that was fitted without the test rows of a fold, and those rows.

    Attributes
    ----------
    number : int
        Number of the fold, from 0 on.
    model : classifier
        Fitted on the training rows.
    rows : array of int
        Positions of the test rows.
    X : data frame or array
        The test rows.
    """

    number: int
    model: Any
    rows: NDArray[np.intp]
    X: Any


def outer_fits(
    classifier: Any,
    X: Any,
    y: ArrayLike,
    folds: int | Sequence[Split] = 5,
    random_state: int = 0,
    *,
    skip: Collection[int] = (),
    **row_values: Any,
) -> Iterator[OuterFit]:
    """Yield one fit per fold, except for folds to skip; ``row_values`` of training rows are given to it.

    Folds are given as training and test rows, or are stratified, with the rows of each of ``groups`` in one fold.
    """
    labels = np.asarray(y)
    if isinstance(folds, int):
        folds = outer_splits(labels, folds, row_values.get("groups"), random_state, table=read_table(X))
    for number, (train, test) in enumerate(folds):
        if number not in skip:
            given = {name: np.asarray(values)[train] for name, values in row_values.items()}
            model = fit_rows(clone(classifier), pick_rows(X, train), labels[train], given)
            yield OuterFit(number, model, test, pick_rows(X, test))


@dataclass(frozen=True)
class OuterSelection:
    """What a `WrapperSelector` selects without the rows of a fold, and its scores on them.

    Attributes
    ----------
    selected : tuple of str
        The selected features.
    scores : mapping of int to array of shape (n_metrics,)
        For each size that the search visited, the scores of its best subset on the rows of the fold.
    """

    selected: tuple[str, ...]
    scores: Mapping[int, NDArray[np.float64]]


def scorer_names(selector: "WrapperSelector") -> list[str]:
    """Return the name of each metric."""
    given = selector.scoring if isinstance(selector.scoring, list | tuple) else [selector.scoring]
    return [each if isinstance(each, str) else getattr(each, "__name__", "score") for each in given]


def evaluate_wrapper(
    selector: "WrapperSelector",
    X: Any,
    y: NDArray[Any],
    cv: int,
    row_values: Mapping[str, NDArray[Any]],
    advance: Callable[[], None],
) -> list[OuterSelection]:
    """Repeat the whole search without the rows of each outer fold; groups and weights are those of the rows."""
    X = X.tocsc() if hasattr(X, "tocsc") else X
    groups = {"groups": row_values["groups"]} if "groups" in row_values else {}
    scorer = read_scorer(selector.estimator, selector.scoring)
    fit, score = weight_metadata(selector.estimator, scorer, row_values.get("sample_weight"))
    selections = []
    for training, test in read_folds(selector.estimator, cv, 0, X, y, groups):
        model = clone(selector).set_params(checkpoint=None)
        model.fit(pick_rows(X, training), y[training], **pick_metadata(X, row_values, training))
        place = {name: j for j, name in enumerate(model.column_names_)}
        visits = model.path_.best_by_size() | {len(model.path_.order): model.path_.of_size(len(model.path_.order))}
        subsets = {0: ()} | {size: tuple(sorted(place[name] for name in each.columns)) for size, each in visits.items()}
        refits = Refits(selector.estimator, scorer, X, y, [(training, test)], fit, score)
        scores = refits.score_subsets(list(subsets.values()))
        by_size = {size: each[:, 0] for size, each in zip(subsets, scores, strict=True)}
        selections.append(OuterSelection(model.path_.order, by_size))
        advance()
    return selections
