"""Figures 2, 3 and 4: bars per data set, bars per classifier, and box plots of all scores."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayesieve.experiments.paper_001.paper_methods import VOTES
from bayesieve.experiments.paper_001.paper_scores import Scores, collect
from bayesieve.experiments.paper_001.sets import SETS

__all__ = ["draw_figures"]

_METRICS = ("recall", "precision", "accuracy")


def draw_figures(records: Sequence[dict[str, Any]], folder: Path) -> bool:
    """Write the pictures of finished sets; return False without matplotlib, the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    scores = collect([record for record in records if record["job"][0] == "sizes"])
    if not scores.sets:
        return True
    for number, draw in ((2, _by_set), (3, _by_classifier), (4, _distributions)):
        figure = Figure(figsize=(12, 9), layout="constrained")
        for axes, metric in zip(figure.subplots(len(_METRICS), 1), _METRICS, strict=True):
            draw(axes, metric, scores)
            axes.set_ylabel(metric)
        if number != 4:
            figure.axes[0].legend(
                ncols=len(scores.selectors), fontsize="small", loc="lower left", bbox_to_anchor=(0, 1)
            )
        figure.savefig(folder / f"figure_{number}.png", dpi=120)
    return True


def _by_set(axes: Any, metric: str, scores: Scores) -> None:
    bars = {each: [scores.of_set(metric, name, each).mean() for name in scores.sets] for each in scores.selectors}
    _bars(axes, bars, [SETS[name].short for name in scores.sets])


def _by_classifier(axes: Any, metric: str, scores: Scores) -> None:
    bars = {
        each: [scores.of_classifier(metric, classifier, each).mean() for classifier in scores.classifiers]
        for each in scores.selectors
    }
    _bars(axes, bars, scores.classifiers)


def _distributions(axes: Any, metric: str, scores: Scores) -> None:
    axes.boxplot([scores.samples(metric, each) for each in scores.selectors])
    axes.set_xticks(range(1, len(scores.selectors) + 1), scores.selectors)


def _bars(axes: Any, bars: dict[str, list[Any]], groups: Sequence[str]) -> None:
    """Draw one group of bars per set or classifier; the voting selectors are hatched."""
    width = 0.8 / len(bars)
    for i, (name, heights) in enumerate(bars.items()):
        places = np.arange(len(groups)) + (i - (len(bars) - 1) / 2) * width
        axes.bar(places, heights, width, label=name, color=f"C{i % 10}", hatch="//" if name in VOTES else None)
    lowest = min(min(heights) for heights in bars.values())
    axes.set_ylim(max(0.0, lowest - 0.05), None)
    axes.set_xticks(range(len(groups)), groups)
