# SPDX-License-Identifier: BSD-3-Clause
"""A scorecard that an expert corrects: edits, what each costs on rows that no fit has seen, and what could stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bayesieve.bins import Partition, in_weights
from bayesieve.data import arrange_columns, build_frame, is_frame, is_in_blocks, read_table
from bayesieve.estimators._types import Frame, TableLike, TargetLike
from bayesieve.estimators.options import in_scorer_terms, positive_number, read_column_rules
from bayesieve.estimators.rows import read_rows
from bayesieve.exceptions import DataError, EditError, ParameterError
from bayesieve.explain.selection_reasons import Reason
from bayesieve.fit.column_settings import Column, ColumnRule, read_column_settings
from bayesieve.fit.edit_layout import Layout, apply_edit, layout_of
from bayesieve.fit.edited_card import edit_card
from bayesieve.fit.edited_fit import EditedFits, Refit, mean_difference
from bayesieve.fit.edits import Change, Edit, Edits
from bayesieve.fit.options import TrainingOptions
from bayesieve.fit.rows import MemoryRows
from bayesieve.fit.selection import Selection
from bayesieve.model_file.training_record import group_scores
from bayesieve.models import Scorecard, importances

__all__ = ["EDITED_STATE", "EditingMixin"]

EDITED_STATE: Final = ("_changes", "_original", "_refitted")
"""Attributes of an edited model alone."""


class EditingMixin:
    """What an expert can change of a fitted `ScorecardClassifier`."""

    selection_: Selection
    _changes: tuple[Change, ...] = ()
    _original: Any = None
    _refitted: bool = False

    @property
    def edits_(self) -> Edits:
        """The edits of this model, in their order; none of a model that was not edited."""
        check_is_fitted(self)
        return Edits(change.edit for change in self._changes)

    @property
    def changes_(self) -> tuple[Change, ...]:
        """What each edit changed; of a model from a file, what it changed when it was made."""
        check_is_fitted(self)
        return self._changes

    @property
    def is_refitted_(self) -> bool:
        """Whether points were learned again after the edits of this model."""
        check_is_fitted(self)
        return self._refitted

    @property
    def original_(self) -> Self:
        """The model before all edits."""
        check_is_fitted(self)
        return self if self._original is None else self._original

    def edited(
        self,
        edits: Edits,
        X: TableLike | None = None,
        y: TargetLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        refit: bool = True,
    ) -> Self:
        """Return a fitted copy that is edited.

        Parameters
        ----------
        edits : Edits
            All edits, from the first: they take the place of those that this model has. Without the last one, the
            result is the model before it; without any, the original model.
        X : data frame, array or sparse matrix of shape (n_samples, n_features), default=None
            The training rows, in memory.
        y : array of shape (n_samples,), default=None
            Their classes.
        sample_weight : array of shape (n_samples,), default=None
            Their weights.
        groups : array of shape (n_samples,), default=None
            As in ``fit``.
        refit : bool, default=True
            Whether all points that are not set are learned again, in the bins of the model as edited. The result
            follows from rows, original model and edits alone. Without a refit points of edited bins change and
            nothing else; X and y are then only needed to count the rows of bins with new borders.

        Returns
        -------
        edited : ScorecardClassifier
            Each of its ``changes_`` has the out-of-fold log loss before and after, with the standard error of the
            difference. Bins and edits were chosen by someone who saw all rows; out-of-fold losses do not know that.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from bayesieve import Edits, ScorecardClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = ScorecardClassifier(n_features=3, n_pairs=0).fit(X, y)
        >>> name = model.scorecard_.names[0]
        >>> edited = model.edited(Edits().points(name, bin=0, points=1.5, why="as in the guideline"), X, y)
        >>> float(edited.scorecard_[name].contributions(1)[0])
        1.5
        """
        check_is_fitted(self)
        if not isinstance(edits, Edits):
            raise ParameterError(f"edits must be an Edits object, got {edits!r:.60}.")
        original = self.original_
        if not len(edits):
            undone: Self = copy(original)
            return undone
        if X is None or y is None:
            if refit:
                raise ParameterError("A refit needs the training rows: give X and y, or refit=False.")
            edited: Self = _apply(original, edits, None)
            return edited
        session = EditSession(original, X, y, sample_weight, groups)
        edited = session.refitted(edits) if refit else _apply(original, edits, session)
        return edited

    def alternatives(
        self,
        column: str,
        X: TableLike,
        y: TargetLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        n: int = 5,
    ) -> Frame:
        """Return the columns that could stand in for one of the model, with what each costs.

        Parameters
        ----------
        column : str
            A column of the model.
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The training rows, in memory.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), default=None
            Their weights.
        groups : array of shape (n_samples,), default=None
            As in ``fit``.
        n : int, default=5
            The most columns that are tried: those that predict the column best.

        Returns
        -------
        alternatives : data frame
            A row per column, the cheapest first, and one for none instead: "instead", "log_loss", "difference" to the
            model with the column, per row and out of fold, and the standard "error" of that.
        """
        check_is_fitted(self)
        session = EditSession(self.original_, X, y, sample_weight, groups)
        found = session.alternatives(self.edits_, column, n)
        return build_frame(found, self.selection_.path.backend)

    def _adopt_edited(self, changes: Sequence[Change], original: Any, *, refit: bool) -> Self:
        self._changes, self._original, self._refitted = tuple(changes), original, refit
        return self


class EditSession:
    """A model and its rows, read once, and refits with one list of edits after the other."""

    def __init__(
        self, original: Any, X: TableLike, y: TargetLike, sample_weight: ArrayLike | None, groups: ArrayLike | None
    ) -> None:
        if is_in_blocks(X):
            raise DataError("Edits need the rows in memory; rows in blocks are not supported yet.")
        self.original, reader = original, copy(original)
        rows = read_rows(reader, _arranged(original, X), y, sample_weight)
        if rows.names != original.column_names_:
            raise DataError("The table must have the columns that the model was fitted to.")
        if rows.classes[rows.class_numbers].tolist() != original.classes_.tolist():
            raise DataError(f"y must have the classes {original.classes_.tolist()!r:.80}, as in training.")
        options: TrainingOptions = original._options(rows)
        if groups is None and options.splitter is not None and options.splitter.draws:
            rows = rows.with_equal(options.columns.drop)
        self.rows: MemoryRows = rows
        self._settings = read_column_settings(original.columns, rows.names)
        self._fits = EditedFits(rows, options, groups, self._rules)
        self._known: list[tuple[Edit | None, Refit]] = []

    def _rules(self, edited: Mapping[str, Mapping[str, Any]]) -> Mapping[int, ColumnRule]:
        """Return what training keeps to, given what edits require of columns."""
        original, rows = self.original, self.rows
        settings = dict(self._settings)
        for name, fields in edited.items():
            place = rows.names.index(name)
            settings[place] = replace(settings.get(place, Column()), **fields)
        rising = positive_number(original.pos_label, rows) if rows.n_classes == 2 else 0
        for_all = isinstance(original.columns, Column) and not edited
        return read_column_rules(settings, original.missing, rows.head, rows.classes.tolist(), for_all, rising)

    def layout(self) -> Layout:
        """Return the layout of the original model."""
        barred = {}
        for place, rule in self._rules({}).items():
            if rule.direction:
                barred[self.rows.names[place]] = "is monotone"
        return layout_of(self.original.scorecard_, self.rows.names, barred)

    def refits(self, edits: Edits) -> list[Refit]:
        """Return the refit without edits, and that after each; those of edits that were asked for before are known."""
        steps: list[Edit | None] = [None, *edits]
        n_known = 0
        while n_known < min(len(steps), len(self._known)) and self._known[n_known][0] == steps[n_known]:
            n_known += 1
        del self._known[n_known:]
        for edit in steps[n_known:]:
            layout = self.layout() if edit is None else apply_edit(self._known[-1][1].layout, edit)
            self._known.append((edit, self._fits.refit(layout)))
        return [refit for _, refit in self._known]

    def model(self, refit: Refit) -> Any:
        """Return the model of a refit."""
        model = copy(self.original)
        reasons = _reasons(self.original.selection_.reasons, refit.layout)
        results = in_scorer_terms(refit.selection.cv_results, self.original.scoring, self.rows.n_classes)
        model.selection_ = replace(refit.selection, reasons=reasons, gains=None, exclusions={}, cv_results=results)
        return model._adopt(model.selection_.best)

    def refitted(self, edits: Edits) -> Any:
        """Return the model with edits, and what each changed."""
        refits = self.refits(edits)
        models = list(map(self.model, refits))
        changes = [
            Change(
                edit,
                *mean_difference(refits[i].losses, refits[i + 1].losses, self._fits.weights),
                self.changed_decisions(models[i], models[i + 1]),
            )
            for i, edit in enumerate(edits)
        ]
        return self.recorded(models[-1])._adopt_edited(changes, self.original, refit=True)

    def recorded(self, model: Any) -> Any:
        """Return a model whose record of the training has its own predictions for the rows."""
        record = getattr(model, "training_record_", None)
        if record is not None:
            own = model._predict_proba(self.rows.table)
            groups = {
                c: replace(group_scores(own[:, c], bounds=each.bounds), observed=each.observed)
                for c, each in record.groups.items()
            }
            model.training_record_ = replace(record, groups=groups)
        return model

    def changed_decisions(self, before: Any, after: Any) -> int:
        """Return the number of rows whose predicted class differs."""
        first, second = (each._predict(self.rows.table) for each in (before, after))
        return int(np.count_nonzero(first != second))

    def count(self, name: str, partition: Partition) -> NDArray[Any]:
        """Return the weight of the rows of each class in the bins of a column, classes by their labels."""
        rows = self.rows
        (column,) = rows.table.columns_at([rows.names.index(name)])
        codes = partition.bins_of(column)[column.ids]
        counts = np.zeros((partition.n_bins + 1, rows.n_classes), dtype=np.int64)
        np.add.at(counts, (codes, rows.target.codes), rows.weights.units)
        return in_weights(counts[:-1, rows.class_numbers], rows.unit)

    def alternatives(self, edits: Edits, column: str, n: int) -> dict[str, list[Any]]:
        """Return what columns cost in the place of one, the cheapest first."""
        before = self.refits(edits)[-1]
        if column not in before.layout.bins:
            raise EditError(f"The model has no column {column!r}.")
        found = []
        for instead in [None, *_closest(self.rows, column, before.layout, n)]:
            if instead is None and len(before.layout.bins) == 1:
                continue
            edit = Edits().drop(column, instead)[0]
            losses = self._fits.refit(apply_edit(before.layout, edit)).losses
            _, after, difference, error = mean_difference(before.losses, losses, self._fits.weights)
            found.append((instead, after, difference, error))
        found.sort(key=lambda each: each[1])
        names = ("instead", "log_loss", "difference", "error")
        return {name: [each[i] for each in found] for i, name in enumerate(names)}


def _arranged(original: Any, X: TableLike) -> TableLike:
    """Return a data frame with the columns of the training in their order; others are as they are."""
    if not (hasattr(original, "feature_names_in_") and is_frame(X)):
        return X
    names, expected = read_table(X).names, original.column_names_
    return X if names == expected or set(expected) - set(names) else arrange_columns(X, expected)


def _closest(rows: MemoryRows, column: str, layout: Layout, n: int) -> list[str]:
    """Return the columns outside the model with the largest mutual information with one inside."""
    from bayesieve.bins import FinestBins
    from bayesieve.fit.learning import LearningOptions

    coded = rows.learn_all(LearningOptions(FinestBins(n_intervals=16, n_labels=16), None))
    names = [rows.names[j] for j in coded.columns.columns.tolist()]
    if column not in names:
        return []
    codes, weights = coded.rows.codes, coded.rows.weights.astype(np.float64)
    own = codes.column(names.index(column)).astype(np.intp)
    shared = {
        name: _mutual_information(own, codes.column(k).astype(np.intp), weights)
        for k, name in enumerate(names)
        if name not in layout.bins
    }
    return sorted(shared, key=lambda name: (-shared[name], name))[:n]


def _mutual_information(first: NDArray[np.intp], second: NDArray[np.intp], weights: NDArray[np.float64]) -> float:
    n = int(second.max()) + 1
    joint = np.bincount(first * n + second, weights, (int(first.max()) + 1) * n).reshape(-1, n) / weights.sum()
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    here = joint > 0.0
    return float((joint[here] * np.log(joint[here] / expected[here])).sum())


def _apply(original: Any, edits: Edits, session: EditSession | None) -> Any:
    """Return a model with edits and no refit."""
    layout = layout_of(original.scorecard_, original.column_names_, {})
    positive = original.positive_index_ if len(original.classes_) == 2 else 0
    count = None if session is None else session.count
    model, changes, nothing = original, [], float("nan")
    for edit in edits:
        layout = apply_edit(layout, edit)
        after = _with_card(original, edit_card(model.scorecard_, edit, layout, positive, count))
        decisions = 0 if session is None else session.changed_decisions(model, after)
        changes.append(Change(edit, nothing, nothing, nothing, nothing, decisions))
        model = after
    reasons = _reasons(original.selection_.reasons, layout)
    model.selection_ = replace(model.selection_, reasons=reasons)
    model = model if session is None else session.recorded(model)
    return model._adopt_edited(changes, original, refit=False)


def _with_card(original: Any, card: Scorecard) -> Any:
    """Return a copy of a model with another scorecard; its threshold stays."""
    model = copy(original)
    selection = original.selection_.without_others()
    kept = set(card.columns)
    visit = replace(selection.best.visit, columns=tuple(each for each in selection.best.columns if each in kept))
    best = replace(selection.best, visit=visit, weights=card.weights, start=card.start, pairs=card.pairs)
    model.selection_ = replace(selection, candidates={best.columns: best})
    model.scorecard_ = card
    model._adopt(best)
    model.feature_importances_ = importances(card.tables, model.selection_.positions, card.pairs)
    return model


def _reasons(reasons: Mapping[str, Reason], layout: Layout) -> dict[str, Reason]:
    """Return why each column is in the model, or not, after edits."""
    after = dict(reasons)
    for name, reason in reasons.items():
        if (name in layout.bins) != reason["selected"]:
            what = "added by an edit" if name in layout.bins else "dropped by an edit"
            after[name] = {**reason, "selected": name in layout.bins, "reason": what}
    return after
