# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of classifiers: positive class, class prior, and what "auto" means for a `SelectiveNaiveBayes`.

With "auto" the weights decide which search, criterion and rows there are.

=========== ======================= ========== ==========================================
weights     search                  criterion  cv
=========== ======================= ========== ==========================================
penalized   none: the weights       log_loss   5 folds; 0 above 10,000 rows, or where a class has one row
fractional  none: the weights       log_loss   0
averaged    fast-forward-backward   map        0
none        forward                 brier      5 folds
=========== ======================= ========== ==========================================

Fractional weights have no path of their own: for a given number of columns, a forward search chooses them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import CODING_RULES, MODL, CodingRule
from bayesieve.data import Table, resolve_columns
from bayesieve.estimators._types import ColumnsLike, CrossValidator, Label, RandomState, TableLike, Transformer
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.options.bin_options import read_rule
from bayesieve.estimators.options.folds import read_splitter
from bayesieve.estimators.options.transformer_rule import TransformerRule
from bayesieve.exact import log_positive, to_fixed
from bayesieve.exceptions import ParameterError
from bayesieve.fit.options import ColumnOptions, SizeOption, Splitter
from bayesieve.fit.rows import TrainingRows
from bayesieve.search.criteria import METRICS, SCORER_NAMES, criterion_name

__all__ = [
    "SearchChoice",
    "choose_search",
    "choose_splitter",
    "in_scorer_terms",
    "metric_names",
    "positive_index",
    "read_column_options",
    "read_discretizer",
    "read_prior_shift",
    "read_threads",
    "refuse_bin_options",
    "refuse_search_options",
]

_SEARCHES = {"averaged": "fast-forward-backward"}
_CRITERIA = {"averaged": "map", "fractional": "log_loss"}
_MANY_ROWS = 10_000  # above, rows are left out one by one: folds would learn from fewer of them for nothing


class SearchChoice(NamedTuple):
    """A search, or None where the weights choose the columns, and a criterion."""

    search: str | None
    criterion: str


def choose_search(weights: str, search: str, criterion: str, n_features: SizeOption) -> SearchChoice:
    """Resolve "auto" of search and criterion."""
    own: str | None = search
    if search == "auto":
        free = isinstance(n_features, str)  # "auto" or "all"
        weights_choose = weights == "penalized" or (weights == "fractional" and free)
        own = None if criterion == "auto" and weights_choose else _SEARCHES.get(weights, "forward")
    if criterion == "auto":
        criterion = "log_loss" if own is None else _CRITERIA.get(weights, "brier")
    return SearchChoice(own, criterion)


def choose_splitter(
    rows: TrainingRows, weights: str, cv: CrossValidator, random_state: RandomState, *, one_se: bool = False
) -> Splitter | None:
    """Resolve "auto" of cv; ``one_se`` needs folds."""
    if not (isinstance(cv, str) and cv == "auto"):
        return read_splitter(rows, cv, random_state)
    if random_state is None and weights == "penalized":
        # Folds of neighboring rows differ where a table is in some order, and weights would pay for that.
        random_state = 0
    n_folds = _n_folds(rows, weights)
    if one_se and weights == "penalized":
        n_folds = min(5, int(rows.class_sizes.max()))
    return read_splitter(rows, n_folds, random_state)


def _n_folds(rows: TrainingRows, weights: str) -> int:
    """Return five folds, or as many as the largest class has rows; 0 where all rows serve better."""
    sizes = rows.class_sizes
    # A class of one row would be scored only by tables that lack it.
    unfit = rows.n_rows > _MANY_ROWS or sizes.min() < 2
    if weights not in ("penalized", "none") or (weights == "penalized" and unfit) or sizes.max() < 2:
        return 0
    return min(5, int(sizes.max()))


def refuse_search_options(weights: str, **given: object) -> None:
    """Refuse parameters that only a search understands."""
    for parameter, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{parameter} needs a search, but with weights={weights!r} the weights select the columns; "
                "add search='forward', or leave it out."
            )


def refuse_bin_options(rule: MODL) -> None:
    """Refuse parameters of a discretizer that an average over all partitions cannot have."""
    given = {
        "monotone": bool(rule.monotone),
        "max_bins": rule.max_bins is not None,
        "min_bin_size": rule.min_bin_size > 0,
    }
    for parameter in (name for name, is_given in given.items() if is_given):
        raise ParameterError(
            f"{parameter} of the discretizer is for one partition, and bins='averaged' averages over all; use "
            "bins='best', or a ScorecardClassifier."
        )


def positive_index(pos_label: Label, classes: Sequence[Label]) -> int:
    """Return the position of the positive class of two; the second by default."""
    if pos_label is None:
        return 1
    if len(classes) != 2:
        raise ParameterError(f"pos_label={pos_label!r:.60} is for two classes; this target has {len(classes)}.")
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


def read_column_options(
    names: Sequence[str],
    X: TableLike,
    keep: ColumnsLike,
    drop: ColumnsLike,
    start_from: ColumnsLike = None,
    feature_groups: Mapping[str, ColumnsLike] | None = None,
) -> ColumnOptions:
    """Resolve ``keep``, ``drop``, ``start_from`` and ``feature_groups`` to positions in the table."""
    given = {"keep": keep, "drop": drop, "start_from": start_from}
    kept, dropped, start = (
        frozenset(resolve_columns(columns, names, parameter, X)) for parameter, columns in given.items()
    )
    for parameter, columns in (("keep", kept), ("start_from", start)):
        if both := columns & dropped:
            raise ParameterError(f"Column {names[min(both)]!r} is both in {parameter} and in drop.")
    if len(dropped) == len(names):
        raise ParameterError(f"drop names all {len(names)} columns; at least one must be left to select.")
    groups = {
        str(name): tuple(resolve_columns(columns, names, f"feature_groups[{name!r}]", X))
        for name, columns in (feature_groups or {}).items()
    }
    _refuse_overlap(groups, names)
    return ColumnOptions(kept, dropped, None if start_from is None else start, groups)


def _refuse_overlap(groups: Mapping[str, Sequence[int]], names: Sequence[str]) -> None:
    owner: dict[int, str] = {}
    for name, members in groups.items():
        if not members:
            raise ParameterError(f"feature_groups[{name!r}] has no columns.")
        for j in members:
            if j in owner:
                raise ParameterError(f"Column {names[j]!r} is in two feature_groups: {owner[j]!r} and {name!r}.")
            owner[j] = name


def read_discretizer(discretizer: str | Transformer | None, head: Table, n_classes: int) -> CodingRule:
    """Return the coding rule of a name, of a `MODLDiscretizer` or of another transformer."""
    if discretizer is None or isinstance(discretizer, str):
        return CODING_RULES[discretizer]
    if isinstance(discretizer, MODLDiscretizer):
        return read_rule(discretizer, head, n_classes)
    return TransformerRule(discretizer)


def read_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0: at least one thread is needed; -1 is one per processor.")
    return int(effective_n_jobs(n_jobs))


def in_scorer_terms(
    results: Mapping[str, NDArray[np.float64]], scoring: str | Sequence[str] | None, n_classes: int
) -> dict[str, NDArray[np.float64]]:
    """Return results along a path, with the values that scikit-learn's scorers have under their names."""
    renamed, given = dict(results), (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    for scorer in set(given) & set(SCORER_NAMES):
        scale = 0.5 if scorer == "neg_brier_score" and n_classes == 2 else 1.0
        shift = 1.0 if scorer.endswith("accuracy") else 0.0
        for name in [name for name in results if name.endswith(f"_test_{SCORER_NAMES[scorer]}")]:
            kind = name.removesuffix(SCORER_NAMES[scorer])
            renamed[f"{kind}{scorer}"] = scale * results[name] + (0.0 if kind.startswith("std") else shift)
            if SCORER_NAMES[scorer] not in given:
                renamed.pop(name, None)
    return renamed


def metric_names(scoring: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the further metrics to report along the path; scikit-learn's names of scorers stand for criteria."""
    given = (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    names = tuple(dict.fromkeys(criterion_name(name) for name in given))
    if unknown := [name for name in names if name not in METRICS]:
        valid = ", ".join([*sorted(METRICS), *SCORER_NAMES])
        raise ParameterError(f"scoring has the unknown metric {unknown[0]!r}; valid metrics are {valid}.")
    return names
