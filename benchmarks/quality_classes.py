# SPDX-License-Identifier: BSD-3-Clause
"""Compare classifiers of three classes and more, and of sparse tables: ``python -m benchmarks.quality_classes``.

Stratified splits: at most 4,000 training rows, and up to 8,000 of the others for the test. Each fit runs in its own
process, on one processor, and is cut after half an hour of processor time. A run is resumed: what is in the file of
results is not fitted again.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from bayesieve import datasets
from benchmarks.quality import Job, run_job
from benchmarks.quality_exchange import Table
from benchmarks.quality_methods import METHODS
from benchmarks.quality_page import with_tables
from benchmarks.quality_results import SAVED, Result, ResultsFile
from benchmarks.quality_sets import Split, listed_table
from benchmarks.report import markdown_table

__all__ = ["SAVED_CLASSES", "SETS", "ClassSet", "class_tables", "main"]

_MOST_ROWS: Final = 4000
_MOST_TEST_ROWS: Final = 8000
_WORDS: Final = 2000
_LEAST_ROWS: Final = 5  # of a class; two rows of nursery are left out
_SPARSE: Final = ("newsgroups", "dexter")
_FINAL: Final = ("nursery",)  # kept for the end: no choice of a method may be prompted by it
_SECONDS: Final = 30 * 60

SETS: Final = {
    "wine": "13, 3",
    "digits": "64, 10",
    "dna": "180, 3",
    "diabetes130": "47, 3",
    "covertype": "54, 7",
    "letter": "16, 26",
    "newsgroups": f"{_WORDS:,}, 20",
    "dexter": "20,000, 2",
    "wall-robot": "24, 4",
    "wine-quality": "12, 7",
    "nursery": "8, 4",
}
"""Names, with the numbers of columns and classes."""
SAVED_CLASSES: Final = SAVED.with_name("quality_classes.jsonl")
"""The results behind the table of `research/quality.md`."""
_USED: Final = (
    "scorecard-best-additive", "scorecard-additive", "scorecard-best", "scorecard", "snb", "ebm-additive", "ebm", "hgb",
    "lgbm", "xgb", "catboost",
)  # fmt: skip


@dataclass(frozen=True)
class ClassSet:
    """A table, and its splits: one per seed."""

    name: str
    n_rows: int = _MOST_ROWS

    def load(self) -> tuple[Table, NDArray[np.int64]]:
        """Return a frame of numbers and categories, or a sparse matrix, and classes from 0."""
        X, y = _read(self.name)
        return X, np.unique(y, return_inverse=True)[1]

    def splits(self, y: NDArray[np.int64]) -> Iterable[Split]:
        """Yield splits without end."""
        n_train = min(self.n_rows, len(y) // 2 if self.name == "dexter" else len(y) * 4 // 5)
        n_test, seed = min(_MOST_TEST_ROWS, len(y) - n_train), 0
        while True:
            train, test = train_test_split(
                np.arange(len(y)), train_size=n_train, test_size=n_test, stratify=y, random_state=seed
            )
            yield Split(seed, train, test)
            seed += 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what is missing in the file of results, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality_classes", description=__doc__)
    add = parser.add_argument
    add("--results", type=Path, default=SAVED_CLASSES, help="the file of results (that of the documentation)")
    add("--sets", nargs="+", choices=list(SETS), help="some sets; all if not given")
    add("--final", action="store_true", help="include the set that is kept for the end")
    add("--methods", nargs="+", choices=list(METHODS), metavar="METHOD", default=_USED)
    add("--splits", type=int, default=1, help="per set (1)")
    add("--again", nargs="+", default=[], choices=list(METHODS), metavar="METHOD", help="refit results of old versions")
    add("--seconds", type=int, default=_SECONDS, help="processor seconds after which a fit is cut")
    add("--tables-only", action="store_true", help="fit nothing")
    add("--page", type=Path, help="write the table to this page, research/quality.md, and tidy the results")
    args = parser.parse_args(arguments)
    results = ResultsFile(args.results)
    sets = [name for name in args.sets or SETS if args.final or name not in _FINAL]
    for name in () if args.tables_only else args.methods:
        method = METHODS[name]
        if method.missing:
            print(method.missing, flush=True)
            continue
        for data in sets:
            if method.environment is None or data not in _SPARSE:
                run_job(Job(method, ClassSet(data), args.splits), results, name in args.again, args.seconds)
    print(_table(results.read().values(), sets, args.methods))
    if args.page:
        results.tidy()
        page = with_tables(args.page.read_text(encoding="utf-8"), class_tables(results))
        args.page.write_text(page, encoding="utf-8")


def class_tables(results: ResultsFile) -> dict[str, str]:
    """Return the table of the page."""
    return {"more than two classes": _table(results.read().values(), list(SETS), _USED)}


def _table(results: Iterable[Result], sets: Sequence[str], methods: Sequence[str]) -> str:
    """Return the mean log loss of each set and method over its splits, with columns, pairs and seconds."""
    done = [result for result in results if result.state == "done"]
    lines = []
    for name in sets:
        by_method = [[result for result in done if (result.set, result.method) == (name, each)] for each in methods]
        fits = [result for own in by_method for result in own]
        if fits:
            splits = ", ".join(dict.fromkeys(str(len(own)) for own in by_method if own))
            lines.append([name, f"{fits[0].n_train:,} × {SETS[name]}", splits, *map(_cell, by_method)])
    header = ["", "rows × columns, classes", "splits", *(METHODS[method].title for method in methods)]
    return "\n".join(markdown_table(header, lines))


def _cell(own: Sequence[Result]) -> str:
    if not own:
        return ""
    losses = [result.log_loss for result in own if result.log_loss is not None]
    error = f" ± {stdev(losses) / len(losses) ** 0.5:.4f}" if len(losses) > 1 else ""
    columns, pairs, seconds = (_mean(own, key) for key in ("n_columns", "n_pairs", "seconds"))
    used = f"{columns:.0f}" + (f", {pairs:.0f}" if pairs else "")
    return f"{fmean(losses):.4f}{error} ({used}; {seconds:.1f} s)"


def _mean(own: Sequence[Result], key: str) -> float:
    values = [getattr(result, key) for result in own]
    return fmean(value for value in values if value is not None) if any(v is not None for v in values) else 0.0


def _read(name: str) -> tuple[Table, NDArray[Any]]:
    """Return a frame of numbers and categories, or a sparse matrix, and the classes."""
    if name in ("wine", "digits"):
        X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        return pd.DataFrame(X).add_prefix("c"), y
    if name == "dexter":
        bunch = datasets.load_dexter("all")
        return sparse.csr_array(bunch.data, dtype=np.float64), np.asarray(bunch.target)
    if name == "newsgroups":
        bunch = datasets.load_20newsgroups()
        counts = CountVectorizer(max_features=_WORDS, stop_words="english").fit_transform(bunch.data)
        return sparse.csr_array(counts, dtype=np.float64), np.asarray(bunch.target)
    table, target, _ = listed_table(name)
    y = target.astype(str)
    enough = y.map(y.value_counts()).ge(_LEAST_ROWS).to_numpy()
    return table[enough].reset_index(drop=True), y[enough].to_numpy()


if __name__ == "__main__":
    main()
