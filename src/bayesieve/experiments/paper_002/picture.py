"""Balanced error against the number of columns, as in figure 25.1: a plane a set, a point a method."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayesieve.experiments.paper_002.printed import SETS
from bayesieve.experiments.paper_002.variants import VARIANTS

__all__ = ["draw_plane"]


def draw_plane(records: Sequence[dict[str, Any]], folder: Path) -> bool:
    """Write the picture, if there is anything to draw; return False without matplotlib, the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    rows = [record for record in records if record["job"][0] == "challenge"]
    names = list(dict.fromkeys(row["set"] for row in rows))
    if not names:
        return True
    figure = Figure(figsize=(4.5 * len(names), 4.5), layout="constrained")
    planes = figure.subplots(1, len(names), squeeze=False)[0]
    for plane, name in zip(planes, names, strict=True):
        for i, variant in enumerate(VARIANTS):
            for row in rows:
                if (row["set"], row["variant"]) == (name, variant):
                    bar = 100 * row["ber_spread"]
                    plane.errorbar(100 * row["ber"], max(1, row["n_columns"]), xerr=bar, fmt="o", color=f"C{i}")
        printed = SETS[name]
        plane.plot(printed.esnb.ber, printed.size, "k*", markersize=10)
        plane.plot(printed.perceptron.ber, printed.later_size, "k^")
        plane.set(title=name, xlabel="balanced error, %", yscale="log")
    planes[0].set_ylabel("number of columns")
    for i, variant in enumerate(VARIANTS):
        planes[0].plot([], [], "o", color=f"C{i}", label=variant)
    planes[0].plot([], [], "k*", label="paper, ESNB")
    planes[0].plot([], [], "k^", label="paper, perceptron")
    planes[0].legend(fontsize="small")
    figure.savefig(folder / "plane.png", dpi=150)
    return True
