"""A fit on a table in memory, evaluated by nested cross-validation."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bayesieve.cli.fit_goals import read_amount
from bayesieve.cli.fit_options import FitOptions
from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.input_files import fingerprint
from bayesieve.cli.progress_bar import progress_bar
from bayesieve.cli.target_classes import count_classes
from bayesieve.cli.target_column import split_target_column
from bayesieve.data import read_file, read_table
from bayesieve.report import FoldCache, ReportContext, predict_outer_folds

__all__ = ["METRICS", "fit_and_evaluate", "fit_file"]

METRICS = ("error", "auc", "brier", "log_loss")


def fit_file(options: FitOptions, path: Path, types: Mapping[str, str], outputs: FitOutputs) -> None:
    """Read all rows of a file, then fit and evaluate."""
    frame = read_file(path, types=types)
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
    outputs.print_note(options.note)
    fit_and_evaluate(classifier, X, y, context, outputs, options.cv)


def fit_and_evaluate(
    classifier: Any, X: Any, y: NDArray[Any], context: ReportContext, outputs: FitOutputs, n_folds: int = 5
) -> None:
    """Fit on all rows, then without each outer fold; print and write the results."""
    if not outputs.as_json:
        print_data(X, Counter(y.tolist()), context)
    done: list[None] = []
    cache = None
    if outputs.checkpoint is not None:
        cache = FoldCache(outputs.checkpoint, f"{context.fingerprint} {context.target} {n_folds} {classifier}")
    with progress_bar("Fitting on all rows, then without each fold", n_folds + 1, lambda: len(done)):
        model = classifier.fit(X, y)
        done.append(None)
        if outputs.model is not None:
            model.save(outputs.model)
        stopped = not model.path_.complete and model.max_time is None
        predictions = None if stopped else predict_outer_folds(model, X, y, n_folds, cache, lambda: done.append(None))
    if predictions is None:
        outputs.exit_interrupted(
            "run the same command again to resume" if outputs.checkpoint else "use --checkpoint FOLDER to resume later"
        )
    else:
        outputs.write(model, X, predictions, context)
