"""A fit on a table in memory, evaluated by nested cross-validation."""

from collections import Counter
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bayesieve import BenefitClassifier, check_data
from bayesieve.cli.fit_goals import read_amount
from bayesieve.cli.fit_options import FitOptions
from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.input_files import fingerprint
from bayesieve.cli.progress_bar import progress_bar
from bayesieve.cli.table_file import TableOptions
from bayesieve.cli.target_classes import count_classes
from bayesieve.cli.target_column import split_target_column
from bayesieve.data import read_table
from bayesieve.report import FoldCache, ReportContext, compare_models, predict_outer_folds, probability_model

__all__ = ["METRICS", "fit_and_evaluate", "fit_file"]

METRICS = ("error", "auc", "brier", "log_loss")


def fit_file(options: FitOptions, path: Path, rows: TableOptions, outputs: FitOutputs) -> None:
    """Read all rows of a file, check them, then fit and evaluate."""
    table = rows.read(path)
    frame = table.frame
    names = read_table(frame).names
    X, y = split_target_column(frame, names, options.target, [])
    classes, counts = count_classes(y, options.target, options.cv)
    options = options.with_method()
    positive = options.positive_class(classes, counts)
    mean_amount, amounts, amount_column = read_amount(options.amount, X, read_table(X).names, y == positive)
    context = options.report_context(
        positive, len(classes), mean_amount, amounts=amounts, source=path.name, fingerprint=fingerprint([path]),
        n_without_target=len(frame) - len(y),
    )  # fmt: skip
    classifier = options.classifier(context, names, classes, options.cv + 1, amount_column, scoring=METRICS)
    given = {}
    if amounts is not None:
        assert options.cost is not None
        classifier = BenefitClassifier(classifier, "bins", cost=options.cost, pos_label=positive)
        given["amounts"] = amounts
    outputs.print_note(options.note)
    outputs.print_check(check_data(X, y, conversions=table.conversions), options.drop)
    fit_and_evaluate(classifier, X, y, context, outputs, options.cv, **given)


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
        print_data(X, Counter(y.tolist()), context)
    done: list[None] = []
    cache = None
    if outputs.checkpoint is not None:
        cache = FoldCache(outputs.checkpoint, f"{context.fingerprint} {context.target} {n_folds} {classifier}")
    with progress_bar("Fitting on all rows, then without each fold", n_folds + 1, lambda: len(done)):
        model = classifier.fit(X, y, **row_values)
        done.append(None)
        if outputs.model is not None:
            model.save(outputs.model)
        fitted = probability_model(model)
        predictions = None
        if fitted.path_.complete or fitted.max_time is not None:
            predictions = predict_outer_folds(model, X, y, n_folds, cache, lambda: done.append(None), **row_values)
    if predictions is None:
        outputs.exit_interrupted(
            "run the same command again to resume" if outputs.checkpoint else "use --checkpoint FOLDER to resume later"
        )
    else:
        outputs.save(model, X, predictions, context)
        others = compare_models(fitted, X, predictions, context.compare_seconds)
        outputs.write(model, X, predictions, context, others)
