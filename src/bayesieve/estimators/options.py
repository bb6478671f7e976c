# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that several estimators have, read and checked: columns, classes, folds, metrics, threads."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from bayesieve._typing import Ints, Positions
from bayesieve.data import LabeledRows, Table, resolve_columns
from bayesieve.estimators._types import Array, ColumnsLike, CrossValidator, Label, RandomState, Splitting, TableLike
from bayesieve.exact import log_positive, to_fixed
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.fit.column_settings import Column, ColumnRule, read_direction
from bayesieve.fit.equal_rows import split_equal_rows
from bayesieve.fit.memory_learning import Fold
from bayesieve.fit.options import ColumnOptions, Splitter, refuse_more_folds_than_rows
from bayesieve.fit.rows import TrainingRows
from bayesieve.search.criteria import METRICS, SCORER_NAMES, criterion_name

__all__ = [
    "FoldSplitter",
    "by_numeric_column",
    "in_scorer_terms",
    "metric_names",
    "positive_index",
    "positive_number",
    "read_column_options",
    "read_column_rules",
    "read_prior_shift",
    "read_splitter",
    "read_threads",
    "read_trends",
    "refuse_idle_groups",
    "refuse_one_fold",
]


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


def read_trends(
    monotone: Mapping[ColumnsLike, Any] | str | None, table: Table, n_classes: int, rising: int
) -> dict[int, int]:
    """Return the direction, 1 or -1, of each column that has one, by its position.

    It is that of the second class in training, given for the one with the number ``rising``.
    """
    trends = by_numeric_column(monotone, table, "monotone", with_levels=True)
    if trends and n_classes != 2:
        raise ParameterError(f"monotone needs a target of two classes; this one has {n_classes}.")
    position = {name: j for j, name in enumerate(table.names)}
    sign = 1 if rising else -1
    return {position[name]: sign * read_direction(trend, f"monotone[{name!r}]") for name, trend in trends.items()}


def read_column_rules(
    settings: Mapping[int, Column], missing: str, table: Table, classes: Sequence[object], for_all: bool, rising: int
) -> dict[int, ColumnRule]:
    """Return what training keeps to, by the position of each column that has more than the usual.

    ``classes`` are in the order of training, and of two the points of number ``rising`` have the direction. A setting
    ``for_all`` columns has a direction for those whose values have an order.
    """
    usual = ColumnRule(missing=missing)
    rules = dict.fromkeys(range(table.n_columns), usual) if usual != ColumnRule() else {}
    for j, column in settings.items():
        rule = replace(usual, missing=column.missing or missing)
        has_order = column.ordered is not None or table.has_order(j)
        if column.monotone is not None and (not for_all or has_order):
            where = f"columns[{table.names[j]!r}]: monotone"
            if not has_order:
                raise DataError(
                    f"{where} is for numbers and ordered categories, and this column has categories without an order; "
                    "give it in ordered."
                )
            direction, lead = _read_trend(column.monotone, classes, where)
            rule = replace(rule, direction=direction if len(classes) > 2 or rising else -direction, lead=lead)
        rules[j] = rule
    return {j: rule for j, rule in sorted(rules.items()) if rule != ColumnRule()}


def _read_trend(trend: str | Mapping[Label, str], classes: Sequence[object], where: str) -> tuple[int, int]:
    """Return the direction, and with more than two classes the position of the one that it is for."""
    if len(classes) == 2:
        return read_direction(trend, where), 0
    if not isinstance(trend, Mapping) or len(trend) != 1:
        raise ParameterError(
            f"{where} must name one class and its direction, such as {{{classes[0]!r}: 'increasing'}}, "
            f"because this target has {len(classes)} classes, got {trend!r:.60}."
        )
    [(label, direction)] = trend.items()
    if label not in classes:
        raise ParameterError(f"{where} names the class {label!r:.60}, which this target does not have.")
    return read_direction(direction, where), list(classes).index(label)


def by_numeric_column(given: object, table: Table, parameter: str, *, with_levels: bool = False) -> dict[str, object]:
    """Return the value of a parameter for each numeric column; one that is not a mapping holds for all of them.

    ``with_levels``: for columns of ordered categories, too.
    """
    serves = table.has_order if with_levels else table.is_ordered
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return {table.names[j]: given for j in range(table.n_columns) if serves(j)}
    by_name = {}
    for key, value in given.items():
        place = _place(key, table, parameter)
        if not serves(place):
            raise DataError(f"{parameter} names the column {table.names[place]!r}, which is not numeric.")
        by_name[table.names[place]] = value
    return by_name


def _place(key: ColumnsLike, table: Table, parameter: str) -> int:
    return resolve_columns(key, table.names, parameter)[0]


def positive_index(pos_label: Label, classes: Sequence[Label]) -> int:
    """Return the position of the positive class of two; the second by default."""
    if pos_label is None:
        return 1
    if len(classes) != 2:
        raise ParameterError(f"pos_label={pos_label!r:.60} is for two classes; this target has {len(classes)}.")
    if pos_label not in classes:
        raise ParameterError(f"pos_label is {pos_label!r:.60}; the classes are {list(classes)!r:.80}.")
    return classes.index(pos_label)


def positive_number(pos_label: Label, rows: TrainingRows) -> int:
    """Return the number of the positive class in training."""
    return int(rows.class_numbers[positive_index(pos_label, rows.classes[rows.class_numbers].tolist())])


def read_prior_shift(class_prior: Mapping[Label, float] | ArrayLike | None, rows: TrainingRows) -> NDArray[np.int64]:
    """Return what another class prior than that of the training rows adds to the score of each class."""
    classes = rows.classes[rows.class_numbers].tolist()
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
    prior = prior[np.argsort(rows.class_numbers)]
    return to_fixed(log_positive(prior / prior.sum()) - log_positive(np.maximum(trained, 1e-300) / trained.sum()))


def read_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0: at least one thread is needed; -1 is one per processor.")
    return int(effective_n_jobs(n_jobs))


def metric_names(scoring: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the further metrics to report along the path; scikit-learn's names of scorers stand for criteria."""
    given = (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    names = tuple(dict.fromkeys(criterion_name(name) for name in given))
    if unknown := [name for name in names if name not in METRICS]:
        valid = ", ".join([*sorted(METRICS), *SCORER_NAMES])
        raise ParameterError(f"scoring has the unknown metric {unknown[0]!r}; valid metrics are {valid}.")
    return names


def in_scorer_terms(
    results: Mapping[str, NDArray[np.float64]], scoring: str | Sequence[str] | None, n_classes: int
) -> dict[str, NDArray[np.float64]]:
    """Return results along a path, with the values that scikit-learn's scorers have under their names."""
    renamed = dict(results)
    given = (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    for scorer in set(given) & set(SCORER_NAMES):
        scale = 0.5 if scorer == "neg_brier_score" and n_classes == 2 else 1.0
        shift = 1.0 if scorer.endswith("accuracy") else 0.0
        for name in [name for name in results if name.endswith(f"_test_{SCORER_NAMES[scorer]}")]:
            kind = name.removesuffix(SCORER_NAMES[scorer])
            renamed[f"{kind}{scorer}"] = scale * results[name] + (0.0 if kind.startswith("std") else shift)
            if SCORER_NAMES[scorer] not in given:
                renamed.pop(name, None)
    return renamed


def read_splitter(rows: TrainingRows, cv: CrossValidator, random_state: RandomState) -> Splitter | None:
    """Return what divides the rows; None where subsets are scored on the training rows, or on given ones."""
    if isinstance(cv, str):  # it has a method split too
        raise ParameterError(f"cv must be 0, a share, a number of folds, a splitter or pairs of positions, got {cv!r}.")
    on_given_rows = rows.has_validation_rows or (isinstance(cv, Integral) and cv == 0)
    return None if on_given_rows else FoldSplitter(cv, random_state)


def refuse_one_fold(splitter: Splitter | None, one_se: bool) -> None:
    """Refuse a standard error without folds."""
    n_folds = splitter.n_folds if isinstance(splitter, FoldSplitter) else 1
    if one_se and n_folds is not None and n_folds < 2:
        raise ParameterError("one_se needs a standard error over folds; set cv to two folds or more.")


def refuse_idle_groups(splitter: Splitter | None, groups: ArrayLike | None) -> None:
    """Refuse groups where no folds are drawn."""
    if groups is not None and (not isinstance(splitter, FoldSplitter) or splitter.is_given):
        raise ParameterError("groups would be ignored: no folds are drawn; set cv to a number of folds or a splitter.")


@dataclass(frozen=True)
class FoldSplitter:
    """Divides rows by a number of folds, a share, a splitter of scikit-learn or given positions."""

    cv: CrossValidator
    random_state: RandomState

    @property
    def is_given(self) -> bool:
        """Whether the positions of all folds are given."""
        return not isinstance(self.cv, Real) and not hasattr(self.cv, "split")

    @property
    def n_folds(self) -> int | None:
        """Number of folds; None where a splitter decides."""
        if isinstance(self.cv, Real):
            return int(self.cv) if isinstance(self.cv, Integral) else 1
        return len(self.cv) if self.is_given else None

    @property
    def n_ordered_folds(self) -> int | None:
        """Number of folds, if these are stratified and in the order of the rows; None otherwise."""
        return int(self.cv) if isinstance(self.cv, Integral) and self.random_state is None else None

    @property
    def draws(self) -> bool:
        """Whether rows are divided by a number of folds or a share, and equal ones may be kept together."""
        return isinstance(self.cv, Real)

    def split(self, rows: LabeledRows, groups: ArrayLike | None, equal: Ints | None = None) -> Iterator[Fold]:
        """Yield the folds; rows with the same number in ``equal`` are in one fold."""
        # Rows of weight zero are not there, unless the user's own splitter counts them.
        own = not isinstance(self.cv, Real)
        present = np.flatnonzero((rows.weights.units > 0) | own)
        labels = rows.target.codes[present]
        members = None if groups is None else np.asarray(groups)
        if members is not None and members.shape != (rows.n_rows,):
            raise DataError(f"groups has shape {members.shape}; the table has {rows.n_rows} rows.")
        n_groups = None if members is None else len(np.unique(members[present]))

        def divide(codes: Array) -> Iterator[tuple[Positions, Positions]]:
            # A splitter of scikit-learn divides by class, whatever classes are called; one of the user may read labels.
            shown = rows.classes[codes] if own and not _is_of_scikit_learn(self.cv) else codes
            splitter = _splitter(self.cv, codes, n_groups, self.random_state)
            return _divide(splitter, shown, None if members is None else members[present])

        usable = 0
        sides = divide(labels) if equal is None else split_equal_rows(divide, labels, equal[present])
        for training, validation in sides:
            fold = Fold(present[training], present[validation])
            if _learnable(rows, fold.training) and rows.weights.units[present[validation]].any():
                usable += 1
                yield fold
        if not usable:
            raise ParameterError("No fold of cv has two classes in its training rows; use fewer folds, or 0.")


def _is_of_scikit_learn(splitter: object) -> bool:
    return type(splitter).__module__.partition(".")[0] == "sklearn"


def _divide(splitter: Splitting, labels: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
    try:
        yield from splitter.split(np.zeros((len(labels), 1)), labels, groups)
    except ValueError as error:
        raise ParameterError(f"cv cannot divide the {len(labels)} rows: {error}") from None


def _learnable(rows: LabeledRows, training: Positions) -> bool:
    return len(np.unique(rows.target.codes[training[rows.weights.units[training] > 0]])) > 1


def _splitter(
    cv: CrossValidator, labels: NDArray[np.int32], n_groups: int | None, random_state: RandomState
) -> Splitting:
    if hasattr(cv, "split"):
        own: Splitting = cv
        return own
    if isinstance(cv, Integral):
        return _k_folds(int(cv), labels, n_groups, random_state)
    if isinstance(cv, Real):
        if n_groups is not None:
            raise ParameterError("cv is a share and groups are given; use a splitter such as GroupShuffleSplit.")
        from sklearn.model_selection import StratifiedShuffleSplit

        _refuse_rare_class(labels)
        share: Splitting = StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state or 0)
        return share
    return _Given(cv)


def _k_folds(n_folds: int, labels: NDArray[np.int32], n_groups: int | None, random_state: RandomState) -> Splitting:
    """Return stratified folds; as many as there are groups, if those are fewer."""
    sizes = np.bincount(labels)
    if n_folds > sizes.max():
        refuse_more_folds_than_rows(n_folds, int(sizes.max()), int(sizes.sum()))
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    shuffle = random_state is not None
    if n_groups is None:
        return _Quiet(StratifiedKFold(n_folds, shuffle=shuffle, random_state=random_state))
    if n_groups < 2:
        raise ParameterError("All rows are of one group, and rows of a group stay in one fold; folds need two groups.")
    return _Quiet(StratifiedGroupKFold(min(n_folds, n_groups), shuffle=shuffle, random_state=random_state))


def _refuse_rare_class(labels: NDArray[np.int32]) -> None:
    counts = np.bincount(labels)
    if counts[counts > 0].min() < 2:
        raise ParameterError("cv is a share and a class has one row only; use folds, or 0.")


class _Quiet:
    """A splitter that does not warn of classes with fewer rows than folds: such a class is absent from some folds."""

    def __init__(self, splitter: Splitting) -> None:
        self._splitter = splitter

    def split(self, X: TableLike, y: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            yield from list(self._splitter.split(X, y, groups))


class _Given:
    """Pairs of row positions, as scikit-learn accepts them for ``cv``."""

    def __init__(self, pairs: Iterable[tuple[ArrayLike, ArrayLike]]) -> None:
        self._pairs = list(pairs)

    def split(self, X: TableLike, y: Array, groups: Array | None) -> Iterator[tuple[Positions, Positions]]:
        for pair in self._pairs:
            try:
                training, validation = pair
                yield _positions(training, len(X)), _positions(validation, len(X))
            except (IndexError, TypeError, ValueError):
                raise ParameterError(
                    f"cv must be a list of pairs (training rows, validation rows) of positions below {len(X)}, "
                    f"got {type(pair).__name__} {pair!r:.60}."
                ) from None


def _positions(rows: ArrayLike, n_rows: int) -> Positions:
    """Return positions from positions or a mask."""
    positions: Positions = np.arange(n_rows)[np.asarray(rows)]
    if positions.ndim != 1:
        raise ValueError("one dimension is expected")
    return positions
