"""Figures 2, 3 and 4: bars of each set, bars of each classifier, and boxes of all samples."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayesieve.experiments.paper_001.contestants import VOTES
from bayesieve.experiments.paper_001.scores import Scores, collect
from bayesieve.experiments.paper_001.sets import SETS

__all__ = ["draw_figures"]

_METRICS = ("recall", "precision", "accuracy")


def draw_figures(records: Sequence[dict[str, Any]], folder: Path) -> bool:
    """Write the pictures, if there is anything to draw; return False without matplotlib, the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    scores = collect([record for record in records if record["job"][0] == "sizes"])
    if not scores.sets:
        return True
    for number, draw in ((2, _by_set), (3, _by_classifier), (4, _distributions)):
        figure = Figure(figsize=(12, 9), layout="constrained")
        for plane, metric in zip(figure.subplots(len(_METRICS), 1), _METRICS, strict=True):
            draw(plane, metric, scores)
            plane.set_ylabel(metric)
        if number != 4:
            figure.axes[0].legend(
                ncols=len(scores.selectors), fontsize="small", loc="lower left", bbox_to_anchor=(0, 1)
            )
        figure.savefig(folder / f"figure_{number}.png", dpi=120)
    return True


def _by_set(plane: Any, metric: str, scores: Scores) -> None:
    bars = {each: [scores.of_set(metric, name, each).mean() for name in scores.sets] for each in scores.selectors}
    _bars(plane, bars, [SETS[name].short for name in scores.sets])


def _by_classifier(plane: Any, metric: str, scores: Scores) -> None:
    bars = {
        each: [scores.of_classifier(metric, classifier, each).mean() for classifier in scores.classifiers]
        for each in scores.selectors
    }
    _bars(plane, bars, scores.classifiers)


def _distributions(plane: Any, metric: str, scores: Scores) -> None:
    plane.boxplot([scores.samples(metric, each) for each in scores.selectors])
    plane.set_xticks(range(1, len(scores.selectors) + 1), scores.selectors)


def _bars(plane: Any, bars: dict[str, list[Any]], groups: Sequence[str]) -> None:
    """Draw a group of bars for each set or classifier; the voting selectors are hatched."""
    width = 0.8 / len(bars)
    for i, (name, heights) in enumerate(bars.items()):
        places = np.arange(len(groups)) + (i - (len(bars) - 1) / 2) * width
        plane.bar(places, heights, width, label=name, color=f"C{i % 10}", hatch="//" if name in VOTES else None)
    lowest = min(min(heights) for heights in bars.values())
    plane.set_ylim(max(0.0, lowest - 0.05), None)
    plane.set_xticks(range(len(groups)), groups)
