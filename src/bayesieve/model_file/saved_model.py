# SPDX-License-Identifier: BSD-3-Clause
"""What a model file holds of a fitted classifier, without rows, codes or code: taken from it, and given back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.data.document import Entry
from bayesieve.decisions import Threshold
from bayesieve.exceptions import ModelFileError
from bayesieve.fit.edits import Change
from bayesieve.fit.selection import Candidate, Selection
from bayesieve.model_file.plain_values import keep_plain
from bayesieve.model_file.training_record import TrainingRecord
from bayesieve.models.number_scorecard import NumberScorecard
from bayesieve.models.scorecard import AmountModel, Scorecard
from bayesieve.search import Phase, SelectionPath, Visit
from bayesieve.search.path import Step

__all__ = [
    "FittedClassifier",
    "SavedBenefit",
    "SavedColumn",
    "SavedEdits",
    "SavedModel",
    "refuse_pairs",
    "restore",
    "saved_model",
]


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
class SavedEdits:
    """The edits of a model, what each changed, whether points were learned again, and the model before them."""

    changes: tuple[Change, ...]
    refit: bool
    original: "SavedModel"


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
    edits : SavedEdits or None
        What an expert has changed; None without edits.
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
    edits: SavedEdits | None = None

    @property
    def builder(self) -> str:
        """The name of the class that `load` returns."""
        return self.estimator if self.benefit is None else "BenefitClassifier"


class FittedClassifier(Protocol):
    """What of a fitted classifier a file keeps."""

    selection_: Selection
    scorecard_: Scorecard
    classes_: NDArray[Any]
    column_names_: list[str]
    support_: NDArray[np.bool_]
    feature_importances_: NDArray[np.float64]
    n_features_: int
    n_features_in_: int
    partitions_: Mapping[str, Partition]
    feature_names_in_: NDArray[Any]
    training_record_: TrainingRecord  # of models that `bayesieve fit` trained

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""
        ...


Fitted = TypeVar("Fitted", bound=FittedClassifier)


def saved_model(model: FittedClassifier) -> SavedModel:
    """Return what of a fitted classifier a file keeps."""
    selection, card = model.selection_, model.scorecard_
    ordered, used = selection.ordered.tolist(), set(card.columns)
    selected = np.flatnonzero(model.support_)
    summary = {
        "importances": [model.feature_importances_[j] for j in selected],
        "selected": selected.tolist(),
        "library": selection.path.backend,
        "path": selection.path.to_dict(),
        "why": _why_to_plain(selection.reasons, selection.names),
    }
    return SavedModel(
        estimator=type(model).__name__,
        columns=tuple(SavedColumn(name, flag) for name, flag in zip(selection.names, ordered, strict=True)),
        named=hasattr(model, "feature_names_in_"),
        scorecard=card,
        threshold=selection.best.threshold,
        partitions={name: bins for name, bins in model.partitions_.items() if name in used},
        parameters=keep_plain(model.get_params(deep=False)),
        summary=summary,
        training=getattr(model, "training_record_", None),
        edits=_saved_edits(model),
    )


def _saved_edits(model: FittedClassifier) -> SavedEdits | None:
    """Return the edits of a model that has any."""
    changes: tuple[Change, ...] = getattr(model, "changes_", ())
    if not changes:
        return None
    edited: Any = model
    return SavedEdits(changes, edited.is_refitted_, saved_model(edited.original_))


def restore(model: Fitted, saved: SavedModel) -> Fitted:
    """Give an estimator that was not fitted the state that a file holds."""
    card = saved.scorecard
    _check_counts(card)
    model.scorecard_ = card
    if not isinstance(card, NumberScorecard):
        model.classes_ = card.classes
    model.column_names_ = names = [column.name for column in saved.columns]
    model.n_features_in_ = len(names)
    if saved.named:
        model.feature_names_in_ = np.array(names, dtype=object)
    summary = Entry(dict(saved.summary), "model.summary").fields("importances", "selected", "library", "path", "why")
    selected = [item.whole(0, len(names) - 1) for item in summary["selected"].items()]
    if {names[j] for j in selected} != set(card.columns) or len(selected) != len(card.columns):
        summary["selected"].refuse("the positions of the columns that have score tables")
    importances = summary["importances"].numbers()
    if len(importances) != len(selected):
        summary["importances"].refuse(f"a list of {len(selected)} numbers")
    model.support_, model.feature_importances_ = np.zeros(len(names), dtype=bool), np.zeros(len(names))
    model.support_[selected], model.feature_importances_[selected] = True, importances
    model.n_features_ = len(selected)
    if saved.training is not None:
        model.training_record_ = saved.training
    model.selection_ = _restore_selection(saved, summary, names)
    return model


def refuse_pairs(saved: SavedModel) -> None:
    """Raise an error if a file has pairs of columns, for estimators whose models have none."""
    if saved.scorecard.pairs:
        raise ModelFileError(f"The model file has pairs of columns, which a {saved.estimator} does not have.")


def _check_counts(card: Scorecard) -> None:
    for table in card.tables:
        if table.counts is None or table.counts.shape[1] != len(card.class_mass):
            n_classes = len(card.class_mass)
            raise ModelFileError(f"The table of column {table.name!r:.60} must have counts of {n_classes} classes.")
    for pair in card.pairs:
        if pair.counts is None:
            raise ModelFileError(f"The table of the pair {pair.label!r:.60} must have counts.")


def _restore_selection(saved: SavedModel, summary: Mapping[str, Entry], names: list[str]) -> Selection:
    """Return a selection with one candidate."""
    if saved.threshold is None:
        raise ModelFileError("model.threshold must be an object, got None.")
    path, card = _read_path(summary["path"], summary["library"].optional(_library)), saved.scorecard
    # The score of the subset is on the path only if the search visited it with these weights.
    visits = {visit.columns: visit for visit in path.visits()}
    visit = visits.get(path.order) or Visit(path.order, float("nan"), (), None)
    best = Candidate(visit, card.weights, card.start, saved.threshold, card.calibration, pairs=card.pairs)
    return Selection(
        names=tuple(names),
        ordered=np.array([column.ordered for column in saved.columns]),
        path=path,
        candidates={best.columns: best},
        best=best,
        partitions=dict(saved.partitions),
        reasons=_why_from_plain(summary["why"], names),
    )


def _why_to_plain(why: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """Return the reasons by the position of each column; columns with a reason alone are listed under it."""
    entries, shared = [], dict[str, list[int]]()
    for j, name in enumerate(names):
        entry = dict(why[name])
        if entry["selected"] or any(entry[key] is not None for key in entry.keys() - {"selected", "reason"}):
            entries.append([j, entry])
        else:
            shared.setdefault(entry["reason"], []).append(j)
    return {"entries": entries, "shared": shared}


def _why_from_plain(entry: Entry, names: list[str]) -> dict[str, dict[str, Any]]:
    fields = entry.fields("entries", "shared")
    keys = ("selected", "score_alone", "gain", "redundant_with", "redundancy", "step", "reason")
    by_position: dict[int, dict[str, Any]] = {}
    for item in fields["entries"].items():
        pair = item.items()
        if len(pair) != 2:
            item.refuse("a position and an object")
        by_position[pair[0].whole(0, len(names) - 1)] = {key: each.value for key, each in pair[1].fields(*keys).items()}
    if not isinstance(fields["shared"].value, dict):
        fields["shared"].refuse("an object")
    for reason, places in fields["shared"].fields(*fields["shared"].value).items():
        entry_of_all = dict.fromkeys(keys) | {"selected": False, "reason": reason}
        by_position |= {place.whole(0, len(names) - 1): entry_of_all for place in places.items()}
    if len(by_position) < len(names):
        entry.refuse("an entry for each column")
    return {name: by_position[j] for j, name in enumerate(names)}


def _library(entry: Entry) -> str:
    """Return the library of data frames."""
    return entry.choice("pandas", "polars", "pyarrow", "modin", "cudf")


def _read_path(entry: Entry, backend: str | None) -> SelectionPath:
    """Return the path from the plain form of `SelectionPath.to_dict`; ``backend`` is the library of its frames."""
    fields = entry.fields("criterion", "is_loss", "complete", "order", "phases", "steps")
    steps = tuple(_read_step(item) for item in fields["steps"].items())
    return SelectionPath(
        fields["criterion"].text(),
        fields["is_loss"].flag(),
        steps,
        _read_phases(fields["phases"], len(steps)),
        order=_texts(fields["order"]),
        complete=fields["complete"].flag(),
        backend=backend,
    )


def _read_step(entry: Entry) -> Step:
    fields = entry.fields(
        "action", "column", "score", "n_features", "runner_up", "runner_up_score", "columns", "split_scores"
    )
    return Step(
        fields["action"].choice("add", "drop"),
        fields["column"].text(),
        fields["score"].number(),
        fields["n_features"].whole(0),
        fields["runner_up"].optional(Entry.text),
        fields["runner_up_score"].optional(Entry.number),
        **_read_subset(fields),
    )


def _read_phases(entry: Entry, n_steps: int) -> tuple[Phase, ...]:
    phases = tuple(_read_phase(item) for item in entry.items())
    firsts = [phase.first_step for phase in phases]
    if not phases or firsts[0] != 0 or firsts != sorted(firsts) or firsts[-1] > n_steps:
        entry.refuse(f"phases that begin at increasing steps, the first at 0 and none after step {n_steps}")
    return phases


def _read_phase(entry: Entry) -> Phase:
    fields = entry.fields("name", "first_step", "columns", "score", "split_scores")
    return Phase(
        fields["name"].text(), fields["first_step"].whole(0), score=fields["score"].number(), **_read_subset(fields)
    )


def _read_subset(fields: dict[str, Entry]) -> dict[str, Any]:
    return {"columns": _texts(fields["columns"]), "split_scores": tuple(fields["split_scores"].numbers().tolist())}


def _texts(entry: Entry) -> tuple[str, ...]:
    return tuple(item.text() for item in entry.items())
