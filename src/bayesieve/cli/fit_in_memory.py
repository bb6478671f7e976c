# SPDX-License-Identifier: BSD-3-Clause
"""A fit on a table in memory, evaluated by nested cross-validation or on the rows of another file."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bayesieve import BenefitClassifier, check_data
from bayesieve.cli.column_roles import RowRoles, count_classes, read_amount, split_target_column
from bayesieve.cli.evaluate import predict_file
from bayesieve.cli.files import TableOptions, fingerprint, refuse_options
from bayesieve.cli.fit_options import FitOptions
from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.terminal import progress_bar
from bayesieve.data import index_frame, read_table
from bayesieve.evaluation.outer_cv import fit_rows
from bayesieve.exceptions import ParameterError
from bayesieve.report import (
    FoldCache,
    ReportContext,
    compare_models,
    predict_outer_folds,
    probability_model,
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
        refuse_options({"compare": options.compare}, "--test", "the other models are fitted in outer folds")
        refuse_options({"cv": options.cv}, "--test", "the model is evaluated on the test rows alone")
    with stage("reading"):
        table = rows.read(path)
    frame = table.frame
    names = read_table(frame).names
    X, y = split_target_column(frame, names, options.target, [])
    X, given = roles.split(X)
    options = replace(options, drop=roles.without_roles(options.drop))
    classes, counts = count_classes(y, options.target, options.n_folds)
    positive = options.positive_class(classes, counts)
    mean_amount, amounts, amount_column = read_amount(options.amount, X, read_table(X).names, y == positive)
    context = options.report_context(
        positive, len(classes), mean_amount, amounts=amounts, source=path.name, fingerprint=fingerprint([path]),
        n_without_target=len(frame) - len(y), missing=tuple(rows.na),
    )  # fmt: skip
    classifier = options.classifier(context, names, classes, options.n_folds + 1, amount_column, scoring=METRICS)
    if amounts is not None:
        assert options.cost is not None
        classifier = BenefitClassifier(classifier, "bins", cost=options.cost, pos_label=positive)
        given["amounts"] = amounts
    with stage("checks"):
        X = index_frame(X)  # once for the check, all fits and the report
        checked = check_data(X, y, conversions=table.conversions, target_name=options.target)
    context = replace(context, findings=relevant_findings(checked, [*options.drop, amount_column]))
    outputs.print_check(context.findings or ())
    if roles.test is None:
        fit_and_evaluate(classifier, X, y, context, outputs, options.n_folds, **given)
    else:
        _fit_and_test(classifier, X, y, context, outputs, test=roles.test, reading=rows, **given)


def fit_and_evaluate(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    context: ReportContext,
    outputs: FitOutputs,
    n_folds: int = 5,
    **row_values: Any,
) -> None:
    """Fit on all rows, then without each outer fold; print and write the results."""
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
        model = fit_rows(classifier, X, y, of_fit)
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
    if context.amounts is not None:
        raise ParameterError("--amount names a column; with --test, give a number.")
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
    outputs.save(model, X, predictions, context)
    outputs.write(model, rows.X, predictions, context)
