# SPDX-License-Identifier: BSD-3-Clause
"""How much of the gain of all columns the automatic size of a scorecard keeps: ``python -m benchmarks size``.

Open data sets at moderate sizes, three folds. The gain is by how much the log loss of test rows is below that of class
frequencies; the share is that of "auto", divided by that of "best", which has all columns with a visible effect, over
all folds. Where that is less than three standard errors, it is shown in brackets and does not count. With
``--draws 8``, the numbers of columns of fits that differ by their own folds alone. Each fit is a line of the file of
results, so that a run is resumed.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Final

from benchmarks.promise import promise_table
from benchmarks.quality_page import with_tables
from benchmarks.report import markdown_table
from benchmarks.size_fits import SAVED_SIZES, SizedFit, SizeFits
from benchmarks.size_sets import N_FOLDS, SIZE_SETS

__all__ = ["has_gain", "is_steady", "kept_share", "main", "page_tables", "share_table", "steadiness_table"]

_MANY_ROWS: Final = 1000
_LEAST_ERRORS: Final = 3.0  # of the gain of a set that counts
_WIDTH: Final = 0.2  # of a steady middle half, on either side of the median

Fits = Mapping[tuple[str, int, str], SizedFit]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit what is missing in the file of results, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks size", description=__doc__)
    add = parser.add_argument
    add("--results", type=Path, default=SAVED_SIZES, help="the file of results (that of the page)")
    add("--sets", nargs="+", choices=list(SIZE_SETS), default=list(SIZE_SETS), metavar="SET", help="some sets")
    add("--folds", type=int, default=N_FOLDS, help="only so many folds")
    add("--draws", type=int, default=0, choices=range(9), help="also so many draws of a fit's own folds (up to 8)")
    add("--again", action="store_true", help="refit results of other versions of the source")
    add("--tables-only", action="store_true", help="fit nothing")
    add("--page", type=Path, help="write the tables of research/size.md, and tidy the results")
    args = parser.parse_args(arguments)
    results = SizeFits(args.results)
    if not args.tables_only:
        sets = [SIZE_SETS[name] for name in args.sets]
        results.complete(sets, range(args.folds), ("auto", "best"), again=args.again)
        results.complete(sets, (0,), [f"draw {seed}" for seed in range(args.draws)], again=args.again)
    fits = results.read()
    print(share_table(fits, args.sets))
    if args.draws:
        print("\n" + steadiness_table(fits, args.sets))
    if args.page:
        results.tidy()
        args.page.write_text(with_tables(args.page.read_text(encoding="utf-8"), page_tables(fits)), encoding="utf-8")


def page_tables(fits: Fits) -> dict[str, str]:
    """Return the tables of the page by their names."""
    names = list(SIZE_SETS)
    return {
        "shares of the gain": share_table(fits, names),
        "own losses": promise_table(fits.values(), names),
        "sizes of draws": steadiness_table(fits, names),
    }


def kept_share(fits: Fits, name: str) -> float | None:
    """Return the share of the gain of all columns that "auto" keeps on a set; None without both fits."""
    splits = [split for (data, split, method) in fits if data == name and method == "auto"]
    both = [split for split in splits if (name, split, "best") in fits]
    whole = sum(fits[name, split, "best"].gain for split in both)
    return sum(fits[name, split, "auto"].gain for split in both) / whole if whole > 0.0 else None


def has_gain(fits: Fits, name: str) -> bool:
    """Return whether the gain of all columns on a set is beyond chance."""
    whole = [fit for (data, _, method), fit in fits.items() if (data, method) == (name, "best")]
    error = sum(fit.gain_error**2 for fit in whole) ** 0.5
    return sum(fit.gain for fit in whole) >= _LEAST_ERRORS * error


def share_table(fits: Fits, names: Iterable[str]) -> str:
    """Return shares, numbers of columns and seconds of each set, and what they come to."""
    lines, shares = [], {}
    for name in names:
        share = kept_share(fits, name)
        if share is None:
            continue
        auto, best = ([fit for (data, _, own), fit in fits.items() if (data, own) == (name, each)] for each in
                      ("auto", "best"))  # fmt: skip
        if counts := has_gain(fits, name):
            shares[name] = share, auto[0].n_train, fmean(fit.n_columns / fit.n_table for fit in auto)
        lines.append([
            name, f"{auto[0].n_train:,} × {auto[0].n_table:,}", f"{share:.3f}" if counts else f"({share:.3f})",
            f"{fmean(fit.n_columns for fit in auto):.0f}", f"{fmean(fit.n_columns for fit in best):.0f}",
            f"{fmean(fit.seconds for fit in auto):.1f}", f"{fmean(fit.seconds for fit in best):.1f}",
        ])  # fmt: skip
    header = ["", "rows × columns", "share", "columns", '"best"', "seconds", '"best"']
    return "\n".join([*markdown_table(header, lines), "", _summary(shares)])


def _summary(shares: Mapping[str, tuple[float, int, float]]) -> str:
    """Return the mean share, the least ones, and the share of columns on the sets of `quality`."""
    if not shares:
        return "No set has fits of both."
    many = [share for share, n_rows, _ in shares.values() if n_rows >= _MANY_ROWS]
    few = [share for share, n_rows, _ in shares.values() if n_rows < _MANY_ROWS]
    columns = [own for name, (_, _, own) in shares.items() if SIZE_SETS[name].of_quality]
    parts = [f"mean share {fmean(share for share, _, _ in shares.values()):.3f}"]
    parts += [f"least with {_MANY_ROWS:,} rows and more {min(many):.3f}"] if many else []
    parts += [f"least with fewer {min(few):.3f}"] if few else []
    parts += [f"columns on sets of quality {fmean(columns):.0%}"] if columns else []
    return ", ".join(parts)


def steadiness_table(fits: Fits, names: Iterable[str]) -> str:
    """Return the numbers of columns of fits that differ by their own folds alone."""
    lines = []
    for name in names:
        sizes = sorted(fit.n_columns for (data, _, own), fit in fits.items() if data == name and own.startswith("draw"))
        if len(sizes) > 1:
            lower, _, upper = quantiles(sizes, n=4, method="inclusive")
            found = f"{median(sizes):g}", f"{lower:g} to {upper:g}", "yes" if is_steady(sizes) else "no"
            lines.append([name, " ".join(map(str, sizes)), *found])
    n_steady = sum(line[-1] == "yes" for line in lines)
    table = markdown_table(["", "columns", "median", "middle half", "steady"], lines)
    return "\n".join([*table, "", f"steady: {n_steady} of {len(lines)}"])


def is_steady(sizes: Sequence[int]) -> bool:
    """Return whether the middle half of sizes is within a fifth of their median, or within one column."""
    middle = median(sizes)
    lower, _, upper = quantiles(sizes, n=4, method="inclusive")
    return max(upper - middle, middle - lower) <= max(1.0, _WIDTH * middle)
