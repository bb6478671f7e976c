# SPDX-License-Identifier: BSD-3-Clause
"""How many files of the library a call enters: ``python -m benchmarks.files_entered [--list] [--json FILE]``.

All modules are imported first, so that only calls count, of any thread. A reader of the call meets about these files.
"""

import argparse
import json
import pkgutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bayesieve

_PACKAGE = Path(bayesieve.__file__).resolve().parent


def main() -> None:
    """Print the number of files of each call."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files_entered", description=__doc__)
    parser.add_argument("--list", action="store_true", help="also name the files")
    parser.add_argument("--json", type=Path, help="also write the names to this file")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    _import_all()
    entered = {name: files_entered(call) for name, call in _calls()}
    for name, files in entered.items():
        print(f"{len(files):4} {name}")
        if given.list:
            print(*(f"       {file}" for file in files), sep="\n")
    if given.json:
        given.json.write_text(json.dumps(entered, indent=2) + "\n")


def files_entered(call: Callable[[], Any]) -> list[str]:
    """Return the files of the library in which a function runs during a call."""
    paths: set[str] = set()

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            paths.add(frame.f_code.co_filename)

    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    resolved = (Path(path).resolve() for path in paths)
    return sorted(path.relative_to(_PACKAGE).as_posix() for path in resolved if path.is_relative_to(_PACKAGE))


def _import_all() -> None:
    for module in pkgutil.walk_packages(bayesieve.__path__, "bayesieve."):
        with suppress(ImportError):  # of a library that is not installed
            if not module.name.endswith("__main__"):
                import_module(module.name)


def _calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield names and calls; a call works with what the one before it has fitted."""
    X, y = _table()
    model = bayesieve.SelectiveNaiveBayes()
    yield "SelectiveNaiveBayes().fit(df, y)", lambda: model.fit(X, y)
    yield "SelectiveNaiveBayes.predict_proba(df)", lambda: model.predict_proba(X)
    yield "SelectiveNaiveBayes.predict(df)", lambda: model.predict(X)
    yield "SelectiveNaiveBayes.explain(df)", lambda: model.explain(X[:5])
    yield "SelectiveNaiveBayes.select(2)", lambda: model.select(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        yield "SelectiveNaiveBayes.save(path)", lambda: model.save(path)
        yield "load(path)", lambda: bayesieve.load(path)
    classic = bayesieve.SelectiveNaiveBayes(weights="none")
    yield 'SelectiveNaiveBayes(weights="none").fit(df, y)', lambda: classic.fit(X, y)
    selector = bayesieve.NaiveBayesSelector("floating")
    yield 'NaiveBayesSelector("floating").fit(df, y)', lambda: selector.fit(X, y)
    yield "NaiveBayesSelector.transform(df)", lambda: selector.transform(X)
    for name in ("VoteClassifier", "BoostSelector", "FilterSelector", "MODLDiscretizer"):
        made = getattr(bayesieve, name)()
        yield f"{name}().fit(df, y)", lambda made=made: made.fit(X, y)
    yield 'FilterSelector("mrmr").fit(df, y)', lambda: bayesieve.FilterSelector("mrmr").fit(X, y)
    with _in_dask(X, y) as blocks:
        if blocks is not None:
            yield "SelectiveNaiveBayes().fit(dask_df, dask_y)", lambda: bayesieve.SelectiveNaiveBayes().fit(*blocks)


@contextmanager
def _in_dask(X: pd.DataFrame, y: NDArray[np.int64]) -> Iterator[tuple[Any, Any] | None]:
    """Return the rows in the partitions of a cluster in this process, if Dask is installed."""
    if find_spec("distributed") is None:
        yield None
        return
    import dask.dataframe as dd
    from distributed import Client

    # Its threads start with their first task, within the call that is profiled.
    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None):
        frame = dd.from_pandas(X.assign(target=y), npartitions=3)
        yield frame.drop(columns="target"), frame["target"]


def _table(n_rows: int = 400) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return numbers and categories with gaps, and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    numbers = {f"n{j}": rng.normal(size=n_rows) + y * 0.4 * j for j in range(5)}
    labels = np.array(["red", "green", "blue", "gray"])[np.minimum(rng.integers(0, 3, n_rows) + y, 3)]
    X = pd.DataFrame({**numbers, "label": pd.Categorical(labels), "flag": rng.random(n_rows) < 0.3 + 0.3 * y})
    X.loc[::11, "n4"] = np.nan
    return X, y


if __name__ == "__main__":
    main()
