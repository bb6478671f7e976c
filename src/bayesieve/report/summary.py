# SPDX-License-Identifier: BSD-3-Clause
"""The content of a report: one record per section of the page, from which page, terminal and JSON are made."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from bayesieve.data import profile_columns
from bayesieve.explain.selection_reasons import DROPPED
from bayesieve.report.all_columns import Columns, describe_columns
from bayesieve.report.amounts import AmountFacts, describe_amounts
from bayesieve.report.comparison import ComparedModels, Comparison, describe_comparison
from bayesieve.report.context import Evaluation, ReportContext, Setting, TableFacts, Task, describe_setting
from bayesieve.report.data_check import DataFindings, describe_findings, find_warnings
from bayesieve.report.goal_scores import GoalScores
from bayesieve.report.hand_edits import HandEdits, describe_edits
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.held_out_rows import probability_model
from bayesieve.report.model_type import (
    ModelType,
    SearchFacts,
    describe_model,
    describe_search,
    describe_size_rule,
    has_neutral_values,
)
from bayesieve.report.pairs import ModelTerm, PairCells, describe_pairs, describe_terms
from bayesieve.report.promise import Promise, describe_promise
from bayesieve.report.redundancy import (
    Redundancy,
    Stability,
    describe_redundancy,
    describe_stability,
    with_largest_redundancy,
)
from bayesieve.report.reproduce import Reproduction, library_versions
from bayesieve.report.selected import ColumnBins, describe_bins
from bayesieve.report.shared_facts import SharedFact, describe_shared_facts
from bayesieve.report.sizes import METRICS, Marks, Metric, Size, describe_sizes, mark_sizes, selected_size
from bayesieve.report.threshold import Decision, describe_decision, own_threshold, profit_per_row
from bayesieve.report.verdict import Results, write_verdict
from bayesieve.report.what_if import NoForm, WhatIf, describe_what_if

__all__ = ["Summary", "plain", "summarize", "summary_json"]


@dataclass(frozen=True)
class Summary:
    """The content of a report of a classifier; no row of the table is included."""

    verdict_sentences: list[str]
    context: Task
    data: TableFacts
    evaluation: Evaluation
    metrics: dict[str, Metric]
    model: ModelType
    search: SearchFacts
    sizes: list[Size]
    marks: Marks
    comparison: ComparedModels
    promise: Promise | None
    decision: Decision | None
    columns: Columns
    bins: list[ColumnBins]
    terms: list[ModelTerm]
    pairs: list[PairCells]
    findings: DataFindings | None
    shared_facts: list[SharedFact]
    redundancy: Redundancy
    stability: Stability
    what_if: WhatIf | NoForm | None
    reproduce: Reproduction
    amounts: AmountFacts | None = None
    edits: HandEdits | None = None

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        return " ".join(self.verdict_sentences)

    @cached_property
    def setting(self) -> Setting:
        """What every section refers to."""
        return Setting(self.context, self.data, self.evaluation, self.columns.name)

    @cached_property
    def selected(self) -> Size:
        """The size of the model."""
        return selected_size(self.sizes)

    def as_json(self) -> dict[str, Any]:
        """Return the content in types that JSON has."""
        return {"format": "bayesieve report", "version": 1, "verdict": self.verdict, **plain(self)}


def summarize(
    model: Any,
    X: Any,
    predictions: HeldOutPredictions,
    context: ReportContext,
    comparison: Comparison | None = None,
) -> Summary:
    """Return goal, results and scores of a fitted model.

    Parameters
    ----------
    model : fitted classifier
        A `ScorecardClassifier`, `SelectiveNaiveBayes`, `VoteClassifier` or `BoostClassifier` with
        ``scoring=("error", "auc", "brier", "log_loss")``, or a `BenefitClassifier` over one of them.
    X : data frame
        The training table; with a single model, the held-out rows, which then stand for all.
    predictions : HeldOutPredictions
        Predictions for rows by models that were fitted without them.
    context : ReportContext
        Target, goal and source.
    comparison : Comparison, default=None
        Predictions of other models for the same rows.
    """
    fitted = probability_model(model)
    profiles = profile_columns(X, fitted.column_names_)
    candidates = [each for each in profiles if fitted.why_[each.name]["reason"] != DROPPED]
    setting = describe_setting(context, predictions, profiles, candidates)
    positive = setting.positive
    threshold = None if positive is None else own_threshold(model, positive)
    goal = GoalScores(context, predictions, positive)
    decision = None if positive is None else describe_decision(model, goal, positive)
    compared = describe_comparison(predictions, comparison)
    sizes = describe_sizes(fitted, goal, setting.shown_classes, threshold)
    sizes, marks = mark_sizes(sizes, compared.baseline["log_loss"].mean)
    search = describe_search(fitted, predictions)
    selected = selected_size(sizes)
    of_goal = {name: each for name, each in selected.goal.items() if each is not None and context.goal != "profit"}
    found = selected.held_out | of_goal | profit_per_row(decision, len(predictions.target))
    promise = describe_promise(context, fitted.scorecard_, found, predictions)
    stability = describe_stability(fitted, predictions)
    rule = describe_size_rule(fitted, setting.data.n_candidates)
    if stability.sizes:
        rule = replace(rule, of_folds=(min(stability.sizes), max(stability.sizes)))
    neutral = has_neutral_values(fitted, candidates)
    results = Results(setting, sizes, marks, decision, compared, search, rule, promise, neutral)
    warnings = find_warnings(fitted, candidates)
    if context.findings is None and predictions.n_train is not None:  # no column can be added to a fitted model
        warnings = {name: text for name, text in warnings.items() if name in fitted.scorecard_.columns}
    redundancy = describe_redundancy(fitted, X)
    return Summary(
        verdict_sentences=write_verdict(context, results),
        context=setting.task,
        data=setting.data,
        evaluation=setting.evaluation,
        metrics=METRICS,
        model=describe_model(fitted),
        search=search,
        sizes=sizes,
        marks=marks,
        comparison=compared,
        promise=promise,
        decision=decision,
        columns=with_largest_redundancy(describe_columns(fitted, profiles, predictions, warnings), redundancy),
        bins=describe_bins(fitted, X, positive, predictions.rows_per_observation),
        terms=describe_terms(fitted),
        pairs=describe_pairs(fitted, setting.shown_classes),
        findings=describe_findings(context.findings),
        shared_facts=describe_shared_facts(fitted, X, positive, predictions.method),
        redundancy=redundancy,
        stability=stability,
        what_if=describe_what_if(fitted, X, positive, threshold) if context.what_if else None,
        reproduce=Reproduction(context.command, library_versions(), context.made),
        amounts=describe_amounts(model, predictions, context),
        edits=describe_edits(fitted, in_scores=predictions.n_train is not None),
    )


def plain(value: Any) -> Any:
    """Return a record in types that JSON has.

    A field that is None by default is left out if it is None; other fields are always there. A trailing underscore in
    the name of a field is dropped.
    """
    if is_dataclass(value):
        entries = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name.rstrip("_"): plain(entry)
            for field, entry in entries
            if entry is not None or field.default is MISSING
        }
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def summary_json(summary: Mapping[str, Any]) -> str:
    """Return the content of a report as JSON, one line per part."""
    parts = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in summary.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"
