# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scorecard keeps the log loss that it promises, out of fold, on test rows: ``python -m benchmarks promise``.

Fits with the automatic size on splits of open data sets at moderate sizes. The difference is the model's own log loss,
of rows that were held out of its folds, less that of test rows; its error is that of both means of losses of rows. Each
fit is a line of the file of results, so that a run is resumed.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

from benchmarks.report import markdown_table
from benchmarks.size_fits import SAVED_SIZES, SizedFit, SizeFits
from benchmarks.size_sets import SIZE_SETS

__all__ = ["Promise", "main", "promise_of", "promise_table"]

_ERRORS: Final = 2.0
_SPLITS: Final = 9


@dataclass(frozen=True)
class Promise:
    """Differences of own losses to those of test rows: how many, the share within two errors, mean and its error."""

    n: int
    within: float
    mean: float
    error: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what is missing in the file of results, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks promise", description=__doc__)
    add = parser.add_argument
    add("--results", type=Path, default=SAVED_SIZES, help="the file of results (that of `size`)")
    add("--sets", nargs="+", choices=list(SIZE_SETS), default=list(SIZE_SETS), metavar="SET", help="some sets")
    add("--splits", type=int, default=_SPLITS, help=f"of each set ({_SPLITS})")
    add("--again", action="store_true", help="refit results of other versions of the source")
    add("--tables-only", action="store_true", help="fit nothing")
    args = parser.parse_args(arguments)
    results = SizeFits(args.results)
    if not args.tables_only:
        results.complete([SIZE_SETS[name] for name in args.sets], range(args.splits), ("auto",), again=args.again)
    print(promise_table(results.read().values(), args.sets))


def promise_of(fits: Sequence[SizedFit]) -> Promise:
    """Return what the differences of some fits come to."""
    differences = [fit.own_loss - fit.loss for fit in fits]
    within = fmean(abs(each) <= _ERRORS * fit.error for each, fit in zip(differences, fits, strict=True))
    error = stdev(differences) / len(fits) ** 0.5 if len(fits) > 1 else float("nan")
    return Promise(len(fits), within, fmean(differences), error)


def promise_table(fits: Iterable[SizedFit], names: Sequence[str]) -> str:
    """Return the figures of each set, and of all."""
    done = [fit for fit in fits if fit.method == "auto" and fit.set in names]
    lines = []
    for name in (*names, "all"):
        own = [fit for fit in done if name in (fit.set, "all")]
        if own:
            found = promise_of(own)
            lines.append([name, str(found.n), f"{found.within:.0%}", f"{found.mean:+.4f} ({found.error:.4f})"])
    return "\n".join(markdown_table(["", "fits", "within two errors", "own less test (error)"], lines))
