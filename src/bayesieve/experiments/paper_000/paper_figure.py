"""Figure 1: errors along the forward path."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayesieve.experiments.paper_000.paper_summary import summarize

__all__ = ["draw_path"]


def draw_path(records: Sequence[dict[str, Any]], path: Path) -> bool:
    """Write the picture; return False without matplotlib, which comes with the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    summary = summarize(records)
    parts = {name: summary[name] for name in ("real", "simulated") if summary[name] is not None}
    figure = Figure(figsize=(6 * len(parts), 4.5), layout="constrained")
    for axes, (name, part) in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts.items(), strict=True):
        for rows, style in (("train", "--"), ("test", "-")):
            sizes = [point["n_columns"] for point in part["curve"]]
            axes.plot(sizes, [point[f"mse_{rows}"] for point in part["curve"]], style, label=rows)
        axes.axhline(part["policies"]["mse_prior"], color="gray", linewidth=0.8, label="class frequencies")
        axes.set(xlabel="number of columns", ylabel="MSE", title=f"Forward selection, {name}")
        axes.legend()
    figure.savefig(path, dpi=150)
    return True
