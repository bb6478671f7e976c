# SPDX-License-Identifier: BSD-3-Clause
"""A fit on a table in memory, evaluated by nested cross-validation or on the rows of another file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from numpy.typing import NDArray

from bayesieve import BenefitClassifier, check_data
from bayesieve.cli.column_roles import RowRoles, check_known, count_classes, read_amount, split_target_column
from bayesieve.cli.evaluate import predict_file
from bayesieve.cli.files import TableOptions, fingerprint, refuse_options
from bayesieve.cli.fit_options import FitOptions
from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.terminal import progress_bar
from bayesieve.data import index_frame, read_table
from bayesieve.estimators.amounts import BINS
from bayesieve.evaluation.outer_cv import fit_rows
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.quality import DataCheck, Finding
from bayesieve.report import (
    FoldCache,
    ReportContext,
    TrainingRows,
    compare_models,
    predict_outer_folds,
    probability_model,
    read_numbers,
    relevant_findings,
    tested_rows,
)
from bayesieve.search import stage

__all__ = ["METRICS", "fit_and_evaluate", "fit_file"]

METRICS = ("error", "auc", "brier", "log_loss")


def fit_file(options: FitOptions, path: Path, rows: TableOptions, outputs: FitOutputs, roles: RowRoles) -> None:
    """Read all rows of a file, check them, then fit and evaluate."""
    roles.check()
    if roles.test is not None:
        refuse_options({"cv": options.cv}, "--test", "the model is evaluated on the test rows alone")
    with stage("reading"):
        table = rows.read(path)
    frame = table.frame
    names = read_table(frame).names
    X, y = split_target_column(frame, names, options.target, [])
    X, given = roles.split(X)
    options = replace(options, drop=roles.without_roles(options.drop))
    classes, counts = count_classes(y, options.target, options.n_folds, are_classes=options.are_classes)
    positive = options.positive_class(classes, counts)
    amount = read_amount(options.amount, X, read_table(X).names, y == positive)
    check_known(amount, X, options.amount_known, options.amount_feature)
    context = options.report_context(
        positive, len(classes), amount.mean, amounts=amount.values, amount_column=amount.column, source=path.name,
        fingerprint=fingerprint([path]), n_without_target=len(frame) - len(y), missing=tuple(rows.na),
    )  # fmt: skip
    hidden = None if options.amount_feature else amount.column or None
    with stage("checks"):
        X = index_frame(X)  # once for the check, all fits and the report
        checked = check_data(X, y, conversions=table.conversions, target_name=options.target)
    found = relevant_findings(checked, [*options.drop, hidden])
    options, found = _without_identifiers(options, checked, found, rows)
    context = replace(context, findings=found)
    given |= options.read_edits()
    classifier = options.classifier(context, names, classes, options.n_folds + 1, hidden, scoring=METRICS)
    if amount.values is not None:
        assert options.cost is not None
        source = amount.column if options.amount_known else BINS
        classifier = BenefitClassifier(classifier, source, cost=options.cost, pos_label=positive)
        given |= {} if options.amount_known else {"amounts": amount.values}
        refuse_options({"edits": options.edits}, "--amount COLUMN", "such a model cannot be edited yet")
    outputs.print_check(context.findings or ())
    if roles.test is None:
        fit_and_evaluate(classifier, X, y, context, outputs, options.n_folds, **given)
    else:
        _fit_and_test(classifier, X, y, context, outputs, test=roles.test, reading=rows, **given)


def _without_identifiers(
    options: FitOptions, checked: DataCheck, found: Sequence[Finding], rows: TableOptions
) -> tuple[FitOptions, list[Finding]]:
    """Leave out columns of text that are mostly different labels, which new rows do not have, and tell so.

    A column that an option names is not left out, nor are all columns.
    """
    given = {name for name, fields in options.columns.items() if "ordered" in fields}
    found = [each for each in found if each.kind != "order" or each.column not in given]
    grouped = [name for text in options.feature_group for name in text.partition("=")[2].split(",")]
    named = {*options.keep, *options.columns, *rows.types, *grouped}
    labels = {each.name for each in checked.columns if each.type == "categorical"} - named
    left_out = [each.column for each in found if each.kind == "identifier" and each.column in labels]
    if len({*left_out, *options.drop}) >= len(checked.columns):
        return options, found
    notes = [
        replace(each, advice=f"It is left out; --categorical {quote(str(each.column))} makes it a feature")
        if each.column in left_out and each.kind == "identifier"
        else each
        for each in found
    ]
    return replace(options, drop=[*options.drop, *filter(None, left_out)]), notes


def fit_and_evaluate(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    context: ReportContext,
    outputs: FitOutputs,
    n_folds: int = 5,
    **row_values: Any,
) -> None:
    """Fit on all rows, then without each outer fold; print and write the results.

    Edits are made in the model of all rows alone: bins differ from fold to fold.
    """
    edits = {"edits": row_values.pop("edits")} if "edits" in row_values else {}
    if not outputs.as_json:
        print_data(X, Counter(y.tolist()), context, classifier)
    done: list[None] = []
    cache = None
    if outputs.checkpoint is not None:
        of_rows = "".join(f" {each}" for each in (*sorted(row_values), *map(repr, context.missing)))
        cache = FoldCache(outputs.checkpoint, f"{context.fingerprint} {context.target} {n_folds} {classifier}{of_rows}")
        outputs.progress.cache, outputs.progress.n_folds = cache, n_folds
    with progress_bar("Fitting on all rows, then without each fold", n_folds + 1, lambda: len(done)):
        of_fit = {name: values for name, values in row_values.items() if name != "times"}
        model = fit_rows(classifier, X, y, of_fit | edits)
        done.append(None)
        outputs.save_model(model)
        fitted = probability_model(model)
        predictions = None
        if fitted.path_.complete or fitted.max_time is not None:
            with stage("predictions"):
                predictions = predict_outer_folds(model, X, y, n_folds, cache, lambda: done.append(None), **row_values)
    if predictions is None:
        outputs.exit_interrupted()
    else:
        with stage("comparison"):
            others = compare_models(fitted, X, predictions, context.compare_seconds)
        with stage("report"):
            outputs.save(model, X, predictions, context)
            X, predictions, context = tested_rows(X, predictions, context)
            outputs.write(model, X, predictions, context, others)


def _fit_and_test(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    context: ReportContext,
    outputs: FitOutputs,
    *,
    test: Path,
    reading: TableOptions,
    **row_values: Any,
) -> None:
    """Fit on all rows, and evaluate on the rows of the test file; print and write the results."""
    if context.fingerprint == fingerprint([test]):
        raise ParameterError(f"--test {test} has the training rows; give another file, or leave it out.")
    outputs.progress.stores = False
    if not outputs.as_json:
        print_data(X, Counter(y.tolist()), context, classifier)
    with progress_bar("Fitting on all rows", None, lambda: 0):
        model = fit_rows(classifier, X, y, row_values)
    outputs.progress.is_fitted = True
    if not probability_model(model).path_.complete and probability_model(model).max_time is None:
        outputs.exit_interrupted()
    rows, predictions = predict_file(model, test, reading, context.target)
    context = replace(context, amounts=_test_amounts(context, rows.frame, test), test_fingerprint=fingerprint([test]))
    with stage("comparison"):
        of_fit = TrainingRows(X, y, row_values.get("sample_weight"))
        others = compare_models(probability_model(model), rows.X, predictions, context.compare_seconds, of_fit)
    outputs.save(model, X, predictions, context)
    outputs.write(model, rows.X, predictions, context, others)


def _test_amounts(context: ReportContext, X: Any, test: Path) -> NDArray[Any] | None:
    """Return the amounts of test rows; None where all rows have the same."""
    if context.amounts is None:
        return None
    names = read_table(X).names
    if context.amount_column not in names:
        raise DataError(f"{test} has no column {context.amount_column!r}, the amounts of --amount.")
    return read_numbers(X, names.index(context.amount_column), context.amount_column)
