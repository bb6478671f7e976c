# SPDX-License-Identifier: BSD-3-Clause
"""A fit on all rows of a table, evaluated on the rows of another file."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bayesieve.cli.fit_outputs import FitOutputs
from bayesieve.cli.fit_text import print_data
from bayesieve.cli.input_files import fingerprint
from bayesieve.cli.labeled_rows import LabeledRows, read_labeled_rows
from bayesieve.cli.progress_bar import progress_bar
from bayesieve.cli.table_file import TableOptions
from bayesieve.evaluation.outer_cv import fit_rows
from bayesieve.exceptions import ParameterError
from bayesieve.report import HeldOutPredictions, ReportContext, predict_test_rows, probability_model

__all__ = ["TestFile", "fit_and_test", "predict_file"]


@dataclass(frozen=True)
class TestFile:
    """A file of test rows, and how it is read."""

    path: Path
    options: TableOptions


def fit_and_test(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    context: ReportContext,
    outputs: FitOutputs,
    test: TestFile,
    **row_values: Any,
) -> None:
    """Fit on all rows, and evaluate on the rows of the test file; print and write the results."""
    if context.amounts is not None:
        raise ParameterError("--amount names a column; with --test, give a number.")
    if context.fingerprint == fingerprint([test.path]):
        raise ParameterError(f"--test {test.path} has the training rows; give another file, or leave it out.")
    outputs.progress.stores = False
    if not outputs.as_json:
        print_data(X, Counter(y.tolist()), context, classifier)
    with progress_bar("Fitting on all rows", None, lambda: 0):
        model = fit_rows(classifier, X, y, row_values)
    outputs.progress.is_fitted = True
    if not probability_model(model).path_.complete and probability_model(model).max_time is None:
        outputs.exit_interrupted()
    rows, predictions = predict_file(model, test, context.target)
    outputs.save(model, X, predictions, context)
    outputs.write(model, rows.X, predictions, context)


def predict_file(model: Any, test: TestFile, target: str, of_file: str = "") -> tuple[LabeledRows, HeldOutPredictions]:
    """Return the rows of a file with their classes, and the model's predictions; ``of_file`` is its fingerprint.

    With the fingerprint of the training file, the rows are the training rows.
    """
    rows = read_labeled_rows(model, test.path, test.options, target)
    record = getattr(probability_model(model), "training_record_", None)
    in_sample = record is not None and record.fingerprint == of_file != ""
    return rows, predict_test_rows(model, rows.X, rows.y, test.path.name, in_sample)
