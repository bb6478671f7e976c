"""One case: a hostile table given to an estimator, which must fit it or refuse it in one sentence."""

import tempfile
from pathlib import Path

import numpy as np
from hostile.damage import rng_of
from hostile.functions import FUNCTIONS
from hostile.registry import ESTIMATORS
from hostile.tables import CannotBeMadeError, choose, make_table
from hostile.watched import Outcome, watched

import bayesieve
from bayesieve.exceptions import ExportError
from bayesieve.export import export_onnx, onnx_inputs

try:
    import onnxruntime
except ModuleNotFoundError:
    onnxruntime = None
else:
    _QUIET = onnxruntime.SessionOptions()
    _QUIET.intra_op_num_threads = 1


def try_table(seed, mild=None):
    """Return the text and the outcome of a case; half of the cases are mild, one of ten is no estimator's."""
    rng = rng_of(seed)
    is_function = rng.random() < 0.1
    name, attack = choose(rng, {name: call for name, call in FUNCTIONS.items() if call} if is_function else ESTIMATORS)
    try:
        table = make_table(rng, mild=rng.random() < 0.5 if mild is None else mild)
    except CannotBeMadeError:
        outcome = Outcome()
        outcome.word = "not made"
        return name, outcome
    if is_function:
        with watched() as outcome:
            attack(rng, table)
        return f"{name} | {table.text}", outcome
    model = attack(rng)
    metadata = {} if table.weights is None or name == "IndicatorGrid" else {"sample_weight": table.weights}
    if name == "BenefitClassifier" and (model.amount is not None or rng.random() < 0.3):
        metadata["amounts"] = rng.choice([0, 1.0, 5.0, 1e300], table.n_rows)
    with watched() as outcome:
        model.fit(table.X, table.y, **metadata)
        outcome.word = "fitted"
        _use(outcome.problems, model, table, rng)
    return f"{parameters(model)} | {table.text}", outcome


def parameters(model):
    """Return the estimator and its parameters as one line."""
    changed = " ".join(str(model).split())
    return changed.encode("utf-8", "replace").decode()


def _use(problems, model, table, rng):
    """Call what a fitted model has."""
    if hasattr(model, "predict_proba"):
        probabilities = _check_probabilities(problems, model, table)
        _check_saved(problems, model, table, probabilities, rng)
        _check_half(problems, model, table, probabilities)
        _check_onnx(problems, model, table, probabilities, rng)
    if hasattr(model, "transform"):
        n_rows, n_columns = model.transform(table.X).shape
        if n_rows != table.n_rows and n_columns:  # Arrow and polars have no rows without columns
            problems.append("transform: other number of rows")
    if hasattr(model, "explain") and table.n_rows:
        str(model.explain(table.X)[0])
    _check_numbers(problems, model)


def _check_probabilities(problems, model, table):
    probabilities = np.asarray(model.predict_proba(table.X))
    if probabilities.shape[0] != table.n_rows or len(model.predict(table.X)) != table.n_rows:
        problems.append("predictions: other number of rows")
    elif np.isnan(probabilities).any():
        problems.append("predict_proba: NaN")
    elif len(probabilities) and (abs(probabilities.sum(axis=1) - 1).max() > 1e-9 or probabilities.min() < 0):
        problems.append("predict_proba: no probabilities")
    return probabilities


def _check_saved(problems, model, table, probabilities, rng):
    if not hasattr(model, "save") or rng.random() < 0.5:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        if not np.array_equal(bayesieve.load(path).predict_proba(table.X), probabilities):
            problems.append("load: other probabilities")


def _check_half(problems, model, table, probabilities):
    rows = list(range(0, table.n_rows, 2))
    half = _take(table.X, rows)
    if half is not None and rows and not np.array_equal(model.predict_proba(half), probabilities[rows]):
        problems.append("predict_proba: half of the rows differ")


def _check_onnx(problems, model, table, probabilities, rng):
    if onnxruntime is None or rng.random() < 0.7:
        return
    try:
        graph, inputs = export_onnx(model), onnx_inputs(model, table.X)
    except ExportError:  # a sentence
        return
    answer = onnxruntime.InferenceSession(graph, _QUIET, ["CPUExecutionProvider"]).run(["probabilities"], inputs)[0]
    if answer.shape != probabilities.shape or not np.allclose(answer, probabilities, 0, 1e-9):
        problems.append("ONNX: other probabilities")


def _take(X, rows):
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if isinstance(X, np.ndarray) else None


def _check_numbers(problems, model):
    if hasattr(model, "feature_importances_") and np.isnan(model.feature_importances_).any():
        problems.append("feature_importances_: NaN")
    if hasattr(model, "weights_") and np.isnan(np.asarray(model.weights_, float)).any():
        problems.append("weights_: NaN")
    for key, values in getattr(model, "cv_results_", {}).items():
        if np.asarray(values).dtype.kind == "f" and np.isnan(values).any():
            problems.append(f"cv_results_: NaN in {key}")
    for reason in getattr(model, "why_", {}).values():
        if any(isinstance(value, float) and np.isnan(value) for value in dict(reason).values()):
            problems.append(f"why_: NaN in {dict(reason)}"[:200])
