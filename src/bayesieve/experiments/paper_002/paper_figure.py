"""Balanced error against the number of columns, as in figure 25.1: one panel per set, one point per method."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayesieve.experiments.paper_002.printed import SETS
from bayesieve.experiments.paper_002.variants import VARIANTS

__all__ = ["draw_plane"]


def draw_plane(records: Sequence[dict[str, Any]], folder: Path) -> bool:
    """Write the picture of finished sets; return False without matplotlib, the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    rows = [record for record in records if record["job"][0] == "challenge"]
    names = list(dict.fromkeys(row["set"] for row in rows))
    if not names:
        return True
    figure = Figure(figsize=(4.5 * len(names), 4.5), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        for i, variant in enumerate(VARIANTS):
            for row in rows:
                if (row["set"], row["variant"]) == (name, variant):
                    bar = 100 * row["ber_spread"]
                    axes.errorbar(100 * row["ber"], max(1, row["n_columns"]), xerr=bar, fmt="o", color=f"C{i}")
        printed = SETS[name]
        axes.plot(printed.esnb.ber, printed.size, "k*", markersize=10)
        axes.plot(printed.perceptron.ber, printed.later_size, "k^")
        axes.set(title=name, xlabel="balanced error, %", yscale="log")
    panels[0].set_ylabel("number of columns")
    for i, variant in enumerate(VARIANTS):
        panels[0].plot([], [], "o", color=f"C{i}", label=variant)
    panels[0].plot([], [], "k*", label="paper, ESNB")
    panels[0].plot([], [], "k^", label="paper, perceptron")
    panels[0].legend(fontsize="small")
    figure.savefig(folder / "plane.png", dpi=150)
    return True
