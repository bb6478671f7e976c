# SPDX-License-Identifier: BSD-3-Clause
"""Tables and picture of the comparison of selectors."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Final

from bayesieve.papers.chart import Chart, Panel, Series
from benchmarks.report import markdown_table
from benchmarks.subsets_judges import JUDGES
from benchmarks.subsets_results import Standings, Target
from benchmarks.subsets_selectors import REFERENCE
from benchmarks.subsets_sets import CHOOSING, CONFIRMING, SIZES, SUBSET_SETS
from benchmarks.subsets_truth import TRUTHS, found_share

__all__ = ["found_effects", "standings_table", "subsets_picture", "target_table", "targets"]

_DRAWN: Final = (
    REFERENCE, "scorecard without pairs", "selective naive Bayes", "JMI of bins", "mutual information", "L1",
    "LightGBM gain", "LightGBM SHAP", "CatBoost elimination", "Boruta", "mRMR", "sequential",
)  # fmt: skip


def targets(standings: Standings) -> list[Target]:
    """Return the scorecard's path compared with the selector that was best on the choosing sets."""
    if REFERENCE not in standings.selectors:
        return []
    halves = CHOOSING, CONFIRMING
    found = [standings.target(REFERENCE, halves, judge, k) for judge in JUDGES for k in SIZES]
    return [each for each in found if each is not None]


def target_table(standings: Standings) -> str:
    """Return a line per judge and size."""
    lines = [
        [
            each.judge, str(each.k), each.best, str(each.n_sets), _percent(each.difference, each.error),
            f"{100 * each.bound:.2f} %", "yes" if each.is_met else "no", _rank(standings, each.judge, each.k),
        ]
        for each in targets(standings)
    ]  # fmt: skip
    header = ["judge", "columns", "best on the choosing sets", "confirming sets", "scorecard minus it (standard error)",
              "allowed", "met", "rank on all sets"]  # fmt: skip
    return "\n".join(markdown_table(header, lines))


def standings_table(standings: Standings) -> str:
    """Return each selector's mean difference to the scorecard's path on all sets, effects found and seconds."""
    header = ["minus the scorecard's, % of the class entropy"]
    header += [f"{judge}, {k}" for judge in JUDGES for k in SIZES] + ["effects found", "seconds"]
    lines = []
    for name in standings.selectors:
        cells = [_difference(standings, name, judge, k) for judge in JUDGES for k in SIZES]
        found, seconds = found_effects(standings, name, SIZES), standings.seconds(name)
        cells.append(", ".join("" if share is None else f"{share:.0%}" for share in found))
        lines.append([name, *cells, "" if seconds is None else f"{seconds:.1f}"])
    return "\n".join(markdown_table(header, lines))


def subsets_picture(standings: Standings) -> str:
    """Return losses in shares of the class entropy by numbers of columns, a panel per judge, and effects found."""
    drawn = [name for name in _DRAWN if name in standings.selectors]
    panels = []
    for judge in JUDGES:
        rows = {k: standings.rows(SUBSET_SETS, judge, k) for k in SIZES}
        sizes = [k for k in SIZES if rows[k]]
        means = {
            name: [100.0 * fmean(row[name] - min(row.values()) for row in rows[k]) for k in sizes] for name in drawn
        }
        series = [Series(name, sizes, means[name]) for name in drawn]
        panels.append(Panel(judge, "columns", "% of class entropy above the best", series, log_x=True))
    found = {name: found_effects(standings, name, SIZES) for name in drawn}
    points = {name: [(k, share) for k, share in zip(SIZES, own, strict=True) if share is not None] for name, own in
              found.items()}  # fmt: skip
    series = [Series(name, [k for k, _ in own], [share for _, share in own]) for name, own in points.items()]
    panels.append(Panel("Simulated tables", "columns", "share of effects found", series, log_x=True))
    return Chart("Columns of selectors judged by others", panels, 2, 480, 330).svg()


def found_effects(standings: Standings, selector: str, sizes: Sequence[int]) -> list[float | None]:
    """Return the mean share of known effects that a selector finds on simulated tables, for each size."""
    effects = {name: table()[2] for name, table in TRUTHS.items()}
    means = []
    for k in sizes:
        subsets = {name: standings.subset(name, 0, selector, k) for name in effects}
        own = [found_share(subset, effects[name], k) for name, subset in subsets.items() if subset]
        means.append(fmean(own) if own else None)
    return means


def _difference(standings: Standings, name: str, judge: str, k: int) -> str:
    own = [row[name] - row[REFERENCE] for row in standings.rows(SUBSET_SETS, judge, k) if REFERENCE in row]
    if not own or name == REFERENCE:
        return ""
    return _percent(fmean(own), stdev(own) / len(own) ** 0.5 if len(own) > 1 else 0.0)


def _rank(standings: Standings, judge: str, k: int) -> str:
    rows = standings.rows(SUBSET_SETS, judge, k)
    means = sorted(standings.selectors, key=lambda name: fmean(row[name] for row in rows))
    return f"{means.index(REFERENCE) + 1} of {len(means)}"


def _percent(mean: float, error: float) -> str:
    return f"{100 * mean:+.2f} ({100 * error:.2f})"
