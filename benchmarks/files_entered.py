# SPDX-License-Identifier: BSD-3-Clause
"""How much of the library a call enters: ``python -m benchmarks.files_entered [--list] [--json FILE]``.

A reader of the call meets about these files and functions. Each call is made twice on a table of 600 × 12, and the
second time counts, of any thread: imports and caches are not what a reader asks about.
"""

import argparse
import json
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from typer.testing import CliRunner

import bayesieve
from bayesieve.cli.app import app

__all__ = ["CALLS", "Entered", "branches_on_classes", "entered", "main"]

_PACKAGE: Final = Path(bayesieve.__file__).resolve().parent
_FILE: Final = "table.csv"
_SCORECARD: Final = ("additive",)
_BRANCH: Final = re.compile(r"n_(classes|scores)\s*(==|>|!=|<=|>=)\s*\d|\.ndim\b")


@dataclass(frozen=True)
class Entered:
    """The files and the named functions of the library in which a call runs, relative to the package."""

    files: tuple[str, ...]
    functions: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of files and of functions."""
        return len(self.files), len(self.functions)


def main() -> None:
    """Print the numbers of files and functions of each call."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files_entered", description=__doc__)
    parser.add_argument("--list", action="store_true", help="also name the files")
    parser.add_argument("--json", type=Path, help="also write the names of files and functions to this file")
    args = parser.parse_args()
    measured = {name: entered(name) for name in CALLS}
    print("files functions  call")
    for name, each in measured.items():
        n_files, n_functions = each.counts
        print(f"{n_files:5} {n_functions:9}  {name}")
        if args.list:
            print(*(f"                   {file}" for file in each.files), sep="\n")
    branches = branches_on_classes()
    print(f"{len(branches):5}            lines of the scorecard that branch on two classes or on dimensions")
    if args.list:
        print(*(f"                   {place}" for place in branches), sep="\n")
    if args.json:
        names = {name: {"files": each.files, "functions": each.functions} for name, each in measured.items()}
        args.json.write_text(json.dumps(names, indent=2) + "\n")


def entered(name: str) -> Entered:
    """Make a call of ``CALLS`` twice, and return what the second one enters."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = CALLS[name]()
        call()
        return _profile(call)


def branches_on_classes() -> list[str]:
    """Return the lines of the scorecard's files that branch on two classes or on a number of dimensions."""
    return [
        f"{path.relative_to(_PACKAGE).as_posix()}:{i}"
        for path in sorted(path for folder in _SCORECARD for path in (_PACKAGE / folder).rglob("*.py"))
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _BRANCH.search(line)
    ]


def _profile(call: Callable[[], Any]) -> Entered:
    codes: set[CodeType] = set()

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    functions = set()
    for code in codes:
        path = Path(code.co_filename).resolve()
        if path.is_relative_to(_PACKAGE) and not code.co_name.startswith("<"):  # <module>, <lambda>, <listcomp>
            functions.add((path.relative_to(_PACKAGE).as_posix(), code.co_qualname))
    files = sorted({file for file, _ in functions})
    return Entered(tuple(files), tuple(f"{file}:{name}" for file, name in sorted(functions)))


def _fit(model: Any) -> Callable[[], Any]:
    X, y = _table()
    return lambda: model.fit(X, y)


def _predict() -> Callable[[], Any]:
    X, y = _table()
    model = bayesieve.ScorecardClassifier().fit(X, y)
    return lambda: model.predict_proba(X)


def _command(*options: str) -> Callable[[], Any]:
    X, y = _table()
    X.assign(y=y).to_csv(_FILE, index=False)
    runner = CliRunner()
    return lambda: runner.invoke(app, ["fit", _FILE, "--target", "y", *options], catch_exceptions=False)


CALLS: Final[dict[str, Callable[[], Callable[[], Any]]]] = {
    "ScorecardClassifier().fit": lambda: _fit(bayesieve.ScorecardClassifier()),
    "SelectiveNaiveBayes().fit": lambda: _fit(bayesieve.SelectiveNaiveBayes()),
    "NaiveBayesSelector().fit": lambda: _fit(bayesieve.NaiveBayesSelector()),
    "ScorecardClassifier.predict_proba": _predict,
    "bayesieve fit": _command,
    "bayesieve fit --report": lambda: _command("--report", "report.html"),
}
"""Names of calls, and functions that prepare them in the present folder."""


def _table(n_rows: int = 600) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return ten columns of numbers, two of which interact, two columns of categories, and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    numbers = {f"n{j}": rng.normal(size=n_rows) + y * 0.2 * (j % 5) for j in range(10)}
    color = np.array(["red", "green", "blue", "gray"])[np.minimum(rng.integers(0, 3, n_rows) + y, 3)]
    flag = np.where(rng.random(n_rows) < 0.3 + 0.3 * y, "yes", "no")
    X = pd.DataFrame({**numbers, "color": pd.Categorical(color), "flag": pd.Categorical(flag)})
    X["n9"] = X["n8"] * (2 * y - 1) + 0.5 * rng.normal(size=n_rows)
    X.loc[::11, "n4"] = np.nan
    return X, y


if __name__ == "__main__":
    main()
