"""Checks of a fitted model's answers: no NaN, probabilities, and the same answer wherever it can be had twice."""

import contextlib
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from sklearn.base import clone

import bayesieve
from bayesieve.exceptions import ExportError
from bayesieve.export import export_onnx, export_pmml, onnx_inputs

try:
    import onnxruntime
except ModuleNotFoundError:
    onnxruntime = None
else:
    _QUIET = onnxruntime.SessionOptions()
    _QUIET.intra_op_num_threads = 1

_SMALLEST_GAP = 1e-9  # in nats, between what adds up and its sum


def check_answers(problems, model, table, metadata, rng):
    """Add to the problems of a case what is wrong with the answers of its fitted model."""
    if hasattr(model, "predict_proba"):
        probabilities = _check_probabilities(problems, model, table)
        _check_scores(problems, model, table, probabilities, rng)
        _check_explanations(problems, model, table, probabilities)
        _check_saved(problems, model, table, probabilities, rng)
        _check_half(problems, model, table, probabilities)
        _check_exports(problems, model, table, probabilities, rng)
    if hasattr(model, "transform"):
        n_rows, n_columns = model.transform(table.X).shape
        if n_rows != table.n_rows and n_columns:  # Arrow and polars have no rows without columns
            problems.append("transform: other number of rows")
    _check_numbers(problems, model)
    if "backend" in model.get_params(deep=False) and model.max_time is None and rng.random() < 0.02:
        _check_twin(problems, model, table, metadata)


def _check_probabilities(problems, model, table):
    probabilities = np.asarray(model.predict_proba(table.X))
    if probabilities.shape[0] != table.n_rows or len(model.predict(table.X)) != table.n_rows:
        problems.append("predictions: other number of rows")
    elif np.isnan(probabilities).any():
        problems.append("predict_proba: NaN")
    elif len(probabilities) and (abs(probabilities.sum(axis=1) - 1).max() > 1e-9 or probabilities.min() < 0):
        problems.append("predict_proba: no probabilities")
    if not problems and hasattr(model, "predict_interval"):
        own = probabilities if len(model.classes_) > 2 else probabilities[:, model.positive_index_]
        ends = np.asarray(model.predict_interval(table.X))
        if not ((ends[..., 0] <= own + 1e-12) & (own <= ends[..., 1] + 1e-12)).all():
            problems.append("predict_interval: probabilities outside")
    return probabilities


def _check_scores(problems, model, table, probabilities, rng):
    """Compare log-odds and logarithms with the probabilities."""
    if not hasattr(model, "predict_log_proba") or rng.random() < 0.7:
        return
    logarithms = np.asarray(model.predict_log_proba(table.X))
    if np.isnan(logarithms).any() or not np.allclose(np.exp(logarithms), probabilities, 0, 1e-9):
        problems.append("predict_log_proba: not the logarithms of predict_proba")
    if hasattr(model, "decision_function") and np.isnan(model.decision_function(table.X)).any():
        problems.append("decision_function: NaN")


def _check_explanations(problems, model, table, probabilities):
    """Compare each row's explanation with its prediction: contributions add up, and the probability is the same."""
    if not hasattr(model, "explain") or not table.n_rows:
        return
    explanations, classes = model.explain(table.X), np.asarray(model.classes_).tolist()
    str(explanations[0])
    if len(explanations) != table.n_rows:
        problems.append("explain: other number of rows")
    for row, each in zip(probabilities, explanations, strict=False):
        part = each.probability if hasattr(each, "action") else each  # of a benefit: that of its classifier
        favored = part.favored if hasattr(part, "favored") else part.positive
        if not abs(part.probability - row[classes.index(favored)]) <= 1e-12:
            problems.append("explain: another probability")
        if hasattr(part, "prior"):
            total = part.prior + sum(term.log_odds for term in part.contributions)
            if not abs(total - part.log_odds) <= _SMALLEST_GAP * max(1.0, abs(total)):
                problems.append("explain: contributions do not add up")


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


def _take(X, rows):
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if isinstance(X, np.ndarray) else None


def _check_exports(problems, model, table, probabilities, rng):
    if onnxruntime is None or rng.random() < 0.7:
        return
    with contextlib.suppress(ExportError):  # a sentence
        ElementTree.fromstring(export_pmml(model))
    try:
        graph, inputs = export_onnx(model), onnx_inputs(model, table.X)
    except ExportError:  # a sentence
        return
    answer = onnxruntime.InferenceSession(graph, _QUIET, ["CPUExecutionProvider"]).run(["probabilities"], inputs)[0]
    if answer.shape != probabilities.shape or not np.allclose(answer, probabilities, 0, 1e-9):
        problems.append("ONNX: other probabilities")


def _check_numbers(problems, model):
    numbers = {name: getattr(model, name, ()) for name in ("feature_importances_", "weights_")}
    if hasattr(model, "scores_"):  # of columns that were skipped there is none
        numbers["scores_"] = model.scores_[model.support_]
    numbers |= {f"cv_results_ {key}": values for key, values in getattr(model, "cv_results_", {}).items()}
    numbers |= {f"why_ {name}": list(dict(reason).values()) for name, reason in getattr(model, "why_", {}).items()}
    for name, values in numbers.items():
        if any(isinstance(value, float) and np.isnan(value) for value in np.asarray(values, object).ravel().tolist()):
            problems.append(f"{name}: NaN"[:200])
    for name, partition in getattr(model, "partitions_", {}).items():
        counts = getattr(partition, "counts", None)
        if counts is not None and not (np.asarray(counts) >= 0).all():
            problems.append(f"partitions_: counts of {name!r:.40} below 0")


def _check_twin(problems, model, table, metadata):
    """Compare the fit with one by the other engine: NumPy for the compiled core, and the reverse."""
    other = "auto" if model.backend == "reference" else "reference"
    twin = clone(model).set_params(backend=other).fit(table.X, table.y, **metadata)
    if twin.support_.tolist() != model.support_.tolist():
        problems.append(f"backend {other}: other columns")
    elif hasattr(model, "predict_proba") and not np.array_equal(
        twin.predict_proba(table.X), model.predict_proba(table.X)
    ):
        problems.append(f"backend {other}: other probabilities")
    elif any(not np.array_equal(twin.cv_results_[name], values) for name, values in model.cv_results_.items()):
        problems.append(f"backend {other}: other scores")
