# SPDX-License-Identifier: BSD-3-Clause
"""A `WrapperSelector` in outer folds: the whole search without the rows of a fold, whose subsets are scored on them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayesieve.estimators._sklearn import pick_metadata, pick_rows
from bayesieve.estimators.refits import Refits, read_folds, read_scorer, weight_metadata
from bayesieve.estimators.wrapper_selector import WrapperSelector

__all__ = ["WrapperFold", "evaluate_wrapper", "scorer_names"]


@dataclass(frozen=True)
class WrapperFold:
    """One outer fold.

    Attributes
    ----------
    selected : tuple of str
        The features that the search selected without the rows of the fold.
    scores : mapping of int to array of shape (n_metrics,)
        For each size that the search visited, the scores of its best subset on the rows of the fold.
    """

    selected: tuple[str, ...]
    scores: Mapping[int, NDArray[np.float64]]


def scorer_names(selector: WrapperSelector) -> list[str]:
    """Return the name of each metric."""
    given = selector.scoring if isinstance(selector.scoring, list | tuple) else [selector.scoring]
    return [each if isinstance(each, str) else getattr(each, "__name__", "score") for each in given]


def evaluate_wrapper(
    selector: WrapperSelector,
    X: Any,
    y: NDArray[Any],
    cv: int,
    row_values: Mapping[str, NDArray[Any]],
    advance: Callable[[], None],
) -> list[WrapperFold]:
    """Return what each outer fold selects, and its scores; groups and weights are those of the rows."""
    X = X.tocsc() if hasattr(X, "tocsc") else X
    groups = {"groups": row_values["groups"]} if "groups" in row_values else {}
    scorer = read_scorer(selector.estimator, selector.scoring)
    fit, score = weight_metadata(selector.estimator, scorer, row_values.get("sample_weight"))
    found = []
    for training, test in read_folds(selector.estimator, cv, 0, X, y, groups):
        model = clone(selector).set_params(checkpoint=None)
        model.fit(pick_rows(X, training), y[training], **pick_metadata(X, row_values, training))
        place = {name: j for j, name in enumerate(model.column_names_)}
        visits = model.path_.best_by_size() | {len(model.path_.order): model.path_.of_size(len(model.path_.order))}
        subsets = {0: ()} | {size: tuple(sorted(place[name] for name in each.columns)) for size, each in visits.items()}
        refits = Refits(selector.estimator, scorer, X, y, [(training, test)], fit, score)
        scores = refits.score_subsets(list(subsets.values()))
        found.append(WrapperFold(model.path_.order, {k: each[:, 0] for k, each in zip(subsets, scores, strict=True)}))
        advance()
    return found
