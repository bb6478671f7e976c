# SPDX-License-Identifier: BSD-3-Clause
"""Compare classifiers on the same folds of published two-class data sets: ``python -m benchmarks quality``.

Three stratified folds with at most 20,000 training rows and 20,000 test rows; elec2 is split by time. Each fit runs in
its own process, on one processor, and is cut after half an hour of processor time. A run is resumed: what
is in the file of results is not fitted again.

Peers run in environments of their own, which the command names if they are missing: CatBoost, LightGBM and XGBoost in
one, interpret-core in one, Khiops in one. An interpreter that has several of them can serve for each.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality_exchange import Problem, rows_of
from benchmarks.quality_methods import METHODS, Method
from benchmarks.quality_page import compared_with_ebm, ratio_picture, with_tables
from benchmarks.quality_process import FitCutError, fit_apart
from benchmarks.quality_results import SAVED, Result, ResultsFile, measure
from benchmarks.quality_sets import N_FOLDS, QualitySet, known_sets, quality_sets
from benchmarks.quality_tables import Comparison

__all__ = ["Job", "main", "page_tables", "run_job"]

_SECONDS = 30 * 60  # processor time of a fit, with reading and predicting


@dataclass(frozen=True)
class Job:
    """A method on the first folds of a set."""

    method: Method
    data: QualitySet
    n_folds: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what is missing in the file of results, and print the tables."""
    parser = _parser()
    args = parser.parse_args(arguments)
    sets = quality_sets(args.final)
    unknown = [name for name in args.sets or () if name not in sets]
    if unknown:
        parser.error(f"no set {', '.join(unknown)}; there are {', '.join(sets)}")
    results = ResultsFile(args.results)
    if not args.tables_only:
        for job in _jobs(args, sets):
            run_job(job, results, job.method.name in args.again, args.seconds)
    comparison = Comparison(results.read().values(), sets, METHODS, args.reference)
    if not args.quiet:
        print(comparison.to_text())
    if args.page:
        results.tidy()
        for page in args.page:
            page.write_text(with_tables(page.read_text(encoding="utf-8"), page_tables(results)), encoding="utf-8")
    if args.picture:
        args.picture.write_text(ratio_picture(results.read().values(), known_sets()), encoding="utf-8")


def page_tables(results: ResultsFile) -> dict[str, str]:
    """Return the tables of pages by their names."""
    done = results.read().values()
    return {
        **Comparison(done, known_sets(), METHODS).to_page(),
        "compared with EBM": compared_with_ebm(done, known_sets()),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks quality", description=__doc__)
    add = parser.add_argument
    add("--results", type=Path, default=SAVED, help="the file of results (that of the pages)")
    add("--methods", nargs="+", choices=list(METHODS), metavar="METHOD", help=f"in this order; of {', '.join(METHODS)}")
    add("--sets", nargs="+", metavar="SET", help="some sets; all if not given")
    add("--least-rows", type=int, default=0, help="only sets with so many rows")
    add("--most-rows", type=int, default=sys.maxsize, help="only sets with at most that many rows")
    add("--folds", type=int, default=N_FOLDS, help="only so many folds")
    add("--final", action="store_true", help="include the sets that are kept for the end")
    add("--again", nargs="+", default=[], choices=list(METHODS), metavar="METHOD", help="refit results of old versions")
    add("--seconds", type=int, default=_SECONDS, help="processor seconds after which a fit is cut")
    add("--reference", choices=list(METHODS), metavar="METHOD", help="the method that is compared with the others")
    add("--tables-only", action="store_true", help="fit nothing")
    add("--quiet", action="store_true", help="print no tables")
    pages = "research/quality.md and docs/explanation/quality.md"
    add("--page", type=Path, nargs="+", help=f"write the tables to these pages, {pages}, and tidy the results")
    add("--picture", type=Path, help="draw the picture of the documentation, docs/explanation/quality.svg")
    return parser


def _jobs(args: argparse.Namespace, sets: dict[str, QualitySet]) -> Iterator[Job]:
    """Yield methods in their order, and for each the sets by size."""
    for name in args.methods or METHODS:
        method = METHODS[name]
        if method.missing:
            print(method.missing, flush=True)
            continue
        for data in sets.values():
            is_named = not args.sets or data.name in args.sets
            enough = method.size is None or data.n_columns > method.size
            if is_named and enough and args.least_rows <= data.n_rows <= args.most_rows:
                yield Job(method, data, min(args.folds, data.n_folds))


def run_job(job: Job, results: ResultsFile, again: bool, seconds: int) -> None:
    """Fit the folds of a set that are missing; after a cut, the other folds are not tried."""
    method, version = job.method, job.method.version
    known = {
        key: old
        for key, old in results.read().items()
        if old.state != "failed" and not (again and old.version != version)
    }
    keys = [(job.data.name, fold, method.name) for fold in range(job.n_folds)]
    if all(key in known for key in keys):
        return
    X, y = job.data.load()
    for key, split in zip(keys, job.data.splits(y), strict=False):
        if key in known:
            continue
        if any(other in known and known[other].state == "cut" for other in keys):
            result = Result(*key, version, "cut", "after a cut on another fold")
        else:
            problem = Problem(rows_of(X, split.train), y[split.train], rows_of(X, split.test), method.settings)
            result = _fit(Result(*key, version, "done"), method, problem, y[split.test], seconds)
        known[key] = result
        results.append(result)
        loss = "" if result.log_loss is None else f", log loss {result.log_loss:.4f}, {result.seconds:.1f} s"
        print(f"{method.name}, {job.data.name}, fold {split.fold}: {result.state}{loss} {result.note}", flush=True)


def _fit(result: Result, method: Method, problem: Problem, y: NDArray[np.int64], seconds: int) -> Result:
    """Return the result with measures, or with the reason why there are none."""
    result = replace(result, n_train=len(problem.target), n_test=len(y))
    try:
        answer = fit_apart(method.task, problem, seconds)
    except FitCutError as cut:
        return replace(result, state="cut", note=str(cut))
    except RuntimeError as error:
        return replace(result, state="failed", note=str(error).strip().splitlines()[-1][:200])
    used = {"n_columns": answer.n_columns, "n_pairs": answer.n_pairs, "seconds": answer.seconds}
    return replace(result, **measure(y, np.array(answer.probabilities)), **used)
