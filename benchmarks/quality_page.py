# SPDX-License-Identifier: BSD-3-Clause
"""Pages whose tables and picture are made from saved results."""

import re
from collections.abc import Iterable, Mapping
from statistics import fmean, median

from bayesieve.papers.chart import Chart, Panel, Series
from benchmarks.quality_methods import FLAGSHIP, FORMER_DEFAULT, METHODS
from benchmarks.quality_results import Result
from benchmarks.quality_sets import QualitySet
from benchmarks.quality_tables import Difference
from benchmarks.report import markdown_table

__all__ = ["compared_with_ebm", "ratio_picture", "with_tables"]

_DRAWN = ("catboost", "lgbm", "ebm", FORMER_DEFAULT, "lr")
_LEAST_LOSS = 0.001  # below it a ratio has no meaning
_TABLE = re.compile(r"<!-- table: (?P<name>.*?) -->\n.*?<!-- end of table -->", re.DOTALL)


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with new tables; each is between two comments, of which the first has its name.

    Tables of other names stay as they are.
    """

    def table(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in tables:
            return found[0]
        return f"<!-- table: {name} -->\n\n{tables[name]}\n\n<!-- end of table -->"

    return _TABLE.sub(table, page)


def compared_with_ebm(results: Iterable[Result], sets: Mapping[str, QualitySet]) -> str:
    """Return log losses of scorecards and EBM on the folds that both have done, and the ratio of processor seconds."""
    done = {result.key: result for result in results if result.state == "done"}
    pairs = [(f"{FLAGSHIP}-best", "ebm"), (f"{FLAGSHIP}-best-additive", "ebm-additive"), (FLAGSHIP, "ebm")]
    rows = []
    differences: list[list[float]] = [[], []]
    ratios = []
    for each in sets.values():
        compared = [_common(done, each, pair) for pair in pairs]
        if not any(compared):
            continue
        cells = []
        for i, found in enumerate(compared[:2]):
            losses = [fmean(result.log_loss or 0.0 for result in own) for own in zip(*found, strict=True)]
            cells += [f"{loss:.4f}" for loss in losses] or ["", ""]
            cells.append(f"{losses[0] - losses[1]:+.4f}" if losses else "")
            if losses and not each.in_time:
                differences[i].append(losses[0] - losses[1])
        seconds = [sum(result.seconds or 0.0 for result in own) for own in zip(*compared[2], strict=True)]
        if seconds:
            ratios.append(seconds[1] / seconds[0])
        n_folds = ", ".join(dict.fromkeys(str(len(found)) for found in compared[:2] if found))
        cells += [f"{seconds[0]:.1f}, {seconds[1]:.0f}", f"{ratios[-1]:.0f}"] if seconds else ["", ""]
        rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", n_folds, *cells])
    means = [str(Difference.of(own) or "") for own in differences]
    ratio = f"{median(ratios):.0f}" if ratios else ""
    rows.append(["mean without elec2, and median ratio", *[""] * 4, means[0], "", "", means[1], "", ratio])
    header = ["", "rows × columns", "folds", "scorecard, best", "EBM", "difference", "scorecard, best without pairs",
              "EBM without interactions", "difference", "seconds of the scorecard and of EBM", "ratio"]  # fmt: skip
    return "\n".join(markdown_table(header, rows))


def ratio_picture(results: Iterable[Result], sets: Mapping[str, QualitySet]) -> str:
    """Return log losses of other methods divided by that of the scorecard, against the rows of the sets, as SVG."""
    done = {result.key: result for result in results if result.state == "done"}
    series = []
    for method in _DRAWN:
        points = []
        for each in sets.values():
            found = _common(done, each, (FLAGSHIP, method))
            ours, theirs = (fmean(pair[i].log_loss or 0.0 for pair in found) if found else 0.0 for i in (0, 1))
            if ours >= _LEAST_LOSS and not each.in_time:
                points.append((each.n_rows, theirs / ours))
        series.append(Series(METHODS[method].title, *(list(own) for own in zip(*points, strict=True)), "points"))
    sizes = [n_rows for each in series for n_rows in each.x]
    series.append(Series("scorecard", [min(sizes), max(sizes)], [1.0, 1.0], "dashed"))
    title = "Log loss divided by that of the scorecard; above 1, the scorecard is better"
    panel = Panel(title, "rows", "ratio of log losses", series, log_x=True, log_y=True)
    return Chart("Log losses of classifiers compared with the scorecard", [panel], 1, 720, 380).svg()


def _common(
    done: Mapping[tuple[str, int, str], Result], each: QualitySet, pair: tuple[str, str]
) -> list[tuple[Result, Result]]:
    """Return the results of two methods on the folds that both have done."""
    keys = [[(each.name, fold, method) for method in pair] for fold in range(each.n_folds)]
    return [(done[first], done[second]) for first, second in keys if first in done and second in done]
