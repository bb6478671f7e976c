"""Test error against the number of indicators along the path, one line per method."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.experiments.paper_004.paper_methods import METHODS

__all__ = ["draw_paths", "mean_curve"]


def draw_paths(records: Sequence[dict[str, Any]], path: Path) -> bool:
    """Write the picture; return False without matplotlib, which comes with the extra ``[plot]``."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots()
    for i, method in enumerate(METHODS):
        sizes, errors = mean_curve(records, method.key)
        style = (":", "-", "--")[0 if method.is_filter else 1 if method.printed else 2]
        (line,) = axes.plot(sizes, errors, style, color=f"C{i % 10}", linewidth=1, label=method.title)
        rows = [record["rows"][method.key] for record in records]
        errors_of_choice = [row["wrong_test"] / record["n_test"] for row, record in zip(rows, records, strict=True)]
        axes.plot(np.mean([row["size"] for row in rows]), np.mean(errors_of_choice), "o", color=line.get_color())
    axes.set(xlabel="number of indicators", ylabel="test error", xscale="symlog", xlim=(1, None))
    axes.set_title(f"Best subset of each size on half B, mean over {len(records)} seeds; dots: the selected subsets")
    floor = min(line.get_ydata().min() for line in axes.get_lines())  # type: ignore[union-attr]
    axes.set_ylim(0.95 * floor, 2.5 * floor)
    axes.legend(fontsize="small", ncols=2)
    figure.savefig(path, dpi=150)
    return True


def mean_curve(records: Sequence[dict[str, Any]], key: str) -> tuple[NDArray[np.int_], NDArray[np.float64]]:
    """Return the sizes that were visited in every seed, and the mean test error there."""
    curves = [record["rows"][key]["curve"] for record in records]
    width = min(map(len, curves))
    errors = np.array(
        [
            [np.nan if wrong is None else wrong / record["n_test"] for wrong in each[:width]]
            for each, record in zip(curves, records, strict=True)
        ]
    )
    everywhere = np.flatnonzero(~np.isnan(errors).any(axis=0))
    return everywhere, errors[:, everywhere].mean(axis=0)
