# SPDX-License-Identifier: BSD-3-Clause
"""Times one build in a process of its own; `alternate` runs it by its path, with that build on the path.

It reads the name of a section and writes those of its figures, or a section and the number of a figure and writes the
processor seconds of a call; of memory, megabytes.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

Task = Callable[[], Any]

_LEAST = 0.1  # seconds of a measurement; shorter calls are repeated
_MOST_CALLS = 200
_SECTIONS: dict[str, Callable[[], Iterator[tuple[str, Task]]]] = {}


def main() -> None:
    """Answer until the input ends."""
    _use_this_build()
    warnings.simplefilter("ignore")
    section, tasks = "", []
    for line in sys.stdin:
        asked, _, figure = line.strip().partition("/")
        if asked == "memory":
            print(_memory(int(figure)), flush=True)
            continue
        if asked != section:
            section, tasks = asked, list(_SECTIONS[asked]())
        print(_measure(tasks[int(figure)][1]) if figure else ";".join(name for name, _ in tasks), flush=True)


def _use_this_build() -> None:
    """Import from the path alone: an editable installation would come before it, and be measured twice."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable_")]
    import bayesieve

    if not (found := Path(bayesieve.__file__)).is_relative_to(Path.cwd()):
        raise RuntimeError(f"The build in {Path.cwd()} is to be measured; Python imports {found}.")


def _measure(task: Task) -> float:
    """Return the processor seconds of a call, of all threads: the mean of as many as fill a measurement."""
    begin, calls = time.process_time(), 0
    while calls < _MOST_CALLS:
        task()
        calls += 1
        if time.process_time() - begin > _LEAST:
            break
    return (time.process_time() - begin) / calls


def _adapted(make: Callable[..., Any], **parameters: Any) -> Any:
    """Return an estimator of one thread; `cv` and `method` had other names."""
    names = signature(make).parameters
    if "cv" in parameters and "cv" not in names:
        parameters["validation"] = parameters.pop("cv") or None
    if "method" in parameters and "method" not in names:
        parameters["score"] = parameters.pop("method")
    return make(n_jobs=1, **parameters)


def _scan() -> Iterator[tuple[str, Task]]:
    """Score all additions, the best ones exactly; then removals."""
    from benchmarks.problems import Shape, additions, engine, make_segment, removals

    for shape in (Shape(2, 2, 6000, 814), Shape(2, 8, 100_000, 100), Shape(4, 2, 6000, 200)):
        segment = make_segment(shape)
        for criterion in ("error", "error_probability", "brier", "log_loss", "auc"):
            made, batch = engine(segment, criterion, 5), additions(5, shape.n_columns)
            yield f"{criterion}, {shape}", lambda made=made, batch=batch: made.score(batch)
        halfway, batch = engine(segment, "brier", shape.n_columns // 2), removals(0, shape.n_columns // 2)
        yield f"brier removals, {shape}", lambda made=halfway, batch=batch: made.score(batch)
        weighted, batch = engine(make_segment(shape, weighted=True), "brier", 5), additions(5, shape.n_columns)
        yield f"brier with weights, {shape}", lambda made=weighted, batch=batch: made.score(batch)


def _wrapper() -> Iterator[tuple[str, Task]]:
    from bayesieve import NaiveBayesSelector
    from benchmarks.problems import wrapper_problem

    X, y = wrapper_problem()
    same = {"criterion": "error", "smoothing": 1, "discretizer": None}
    two_folds = _adapted(NaiveBayesSelector, **same, cv=2, n_features=20)
    yield "20 columns by two folds", lambda: two_folds.fit(X, y)
    path = _adapted(NaiveBayesSelector, **same, cv=0, n_features=200)
    yield "path of 200 columns", lambda: path.fit(X, y)
    floating = _adapted(NaiveBayesSelector, search="floating", criterion="brier", cv=5, n_features=10)
    yield "floating, 10 columns by five folds", lambda: floating.fit(X[:, :200], y)


def _filters() -> Iterator[tuple[str, Task]]:
    from bayesieve import FilterSelector
    from benchmarks.filter_problems import discrete_problem, relief_problem

    X, y = discrete_problem()
    for method in ("mutual_info", "mrmr", "jmi", "cmim"):
        made = _adapted(FilterSelector, method=method, n_features=50, discretizer=None)
        yield f"{method}, 50 columns", lambda made=made: made.fit(X, y)
    numbers, labels = relief_problem()
    relief = _adapted(FilterSelector, method="relieff", n_features=50)
    yield "relieff", lambda: relief.fit(numbers, labels)


def _modl_speed() -> Iterator[tuple[str, Task]]:
    from bayesieve import MODLDiscretizer

    rng = np.random.default_rng(45)
    for n_rows, n_columns in ((100_000, 1), (1_000_000, 1), (10_000, 200)):
        y = (rng.random(n_rows) < 0.4).astype(np.int64)
        X = rng.normal(size=(n_rows, n_columns)) + y[:, None] * np.linspace(0.3, 1.0, n_columns)
        made = _adapted(MODLDiscretizer)
        yield f"fit, {n_rows:,} x {n_columns}", lambda made=made, X=X, y=y: made.fit(X, y)
    yield "transform, 10,000 x 200", lambda: made.transform(X)


def _classifier() -> Iterator[tuple[str, Task]]:
    import bayesieve
    from benchmarks.classifier import mixed_problem

    X, y = mixed_problem(n=14_000)
    columns = [*X.columns[:60], *X.columns[300:330]]
    few, labels = X[columns][:5000], y[:5000]
    row = few[:1]
    model = _adapted(bayesieve.SelectiveNaiveBayes).fit(few, labels)
    yield "SelectiveNaiveBayes, 14,000 x 500", lambda: _adapted(bayesieve.SelectiveNaiveBayes).fit(X, y)
    yield "predict_proba, 5,000 x 90", lambda: model.predict_proba(few)
    yield "predict_proba, one row", lambda: model.predict_proba(row)
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "SelectiveNaiveBayes": ("SelectiveNaiveBayes", {}),
        "weights none": ("SelectiveNaiveBayes", {"weights": "none"}),
        "weights averaged": ("SelectiveNaiveBayes", {"weights": "averaged"}),
        "weights fractional": ("SelectiveNaiveBayes", {"weights": "fractional"}),
        "VoteClassifier": ("VoteClassifier", {"n_features": 10}),
        "BoostSelector": ("BoostSelector", {"method": "logit", "n_features": 10}),
    }
    for name, (kind, parameters) in forms.items():
        made = _adapted(getattr(bayesieve, kind), **parameters)
        yield f"{name}, 5,000 x 90", lambda made=made: made.fit(few, labels)
    made = _adapted(bayesieve.SelectiveNaiveBayes)
    small, few_labels = few[columns[:8]][:200], labels[:200]
    yield "SelectiveNaiveBayes, 200 x 8", lambda made=made: made.fit(small, few_labels)


def _scorecard() -> Iterator[tuple[str, Task]]:
    """Fit scorecards of two and of six classes, all columns or few, with and without pairs."""
    from bayesieve import ScorecardClassifier

    for n_classes, n_rows, n_columns in ((2, 10_000, 50), (2, 1_000, 100), (6, 3_000, 20)):
        X, y = _interacting_table(n_classes, n_rows, n_columns)
        for size in ("best", "auto"):
            for n_pairs in (0, "auto"):
                made = ScorecardClassifier(size, n_pairs=n_pairs, n_jobs=1)
                kind = "without pairs" if n_pairs == 0 else "with pairs"
                name = f"{size}, {kind}, {n_classes} classes, {n_rows:,} x {n_columns}"
                yield name, lambda made=made, X=X, y=y: made.fit(X, y)


def _blocks() -> Iterator[tuple[str, Task]]:
    """Fit scorecards, and selective naive Bayes, of rows in blocks."""
    import dask.array as da

    from bayesieve import ScorecardClassifier, SelectiveNaiveBayes

    for n_classes in (2, 6):
        X, y = _interacting_table(n_classes, 60_000, 10)
        lazy = da.from_array(X, (15_000, 10)), da.from_array(y, (15_000,))
        for made in (ScorecardClassifier("best", n_jobs=1), SelectiveNaiveBayes(n_jobs=1)):
            yield f"{type(made).__name__}, {n_classes} classes", lambda made=made, lazy=lazy: made.fit(*lazy)


def _interacting_table(n_classes: int, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Return columns of which some have an effect, two of them together."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n_rows, n_columns)).round(2)
    score = X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * X[:, 3:8].sum(axis=1) + 0.5 * rng.logistic(size=n_rows)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def _memory(folds: int) -> float:
    """Return the megabytes by which a fit raises the peak of this process, once per process."""
    from bayesieve import NaiveBayesSelector
    from benchmarks.memory import peak

    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 200))
    y = rng.integers(0, 2, len(X))
    X[:, :10] += 0.3 * y[:, None]
    selector = _adapted(NaiveBayesSelector, n_features=3, cv=folds)
    selector.fit(X[:200, :4], y[:200])  # whatever is loaded at first use
    before = peak()
    selector.fit(X, y)
    return (peak() - before) / 1e6


_SECTIONS |= {
    "scan": _scan,
    "wrapper": _wrapper,
    "filters": _filters,
    "modl_speed": _modl_speed,
    "classifier": _classifier,
    "scorecard": _scorecard,
    "blocks": _blocks,
}

if __name__ == "__main__":
    main()
