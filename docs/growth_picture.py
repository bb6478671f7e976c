"""Draw docs/explanation/growth.svg from saved figures.

python -m benchmarks growth --json docs/explanation/growth.json && python docs/growth_picture.py
"""

import json
from pathlib import Path

from bayesieve.experiments.chart import Chart, Panel, Series

FOLDER = Path(__file__).parent / "explanation"
CANDIDATES = 95
PANELS = ("columns", "classes", "codes", "blocks")


def main() -> None:
    """Draw the seconds of a step against rows, and nanoseconds per row and candidate against everything else."""
    figures = json.loads((FOLDER / "growth.json").read_text(encoding="utf-8"))["sections"]["growth"]["rows"]
    points: dict[str, list[tuple[float, float]]] = {}
    for row in figures:
        varied, n = row["name"].rsplit(" ", 1)
        points.setdefault(varied, []).append((float(n), row["ours"]))
    measured = {varied: ([n for n, _ in each], [ns for _, ns in each]) for varied, each in points.items()}
    names = {"rows": "bayesieve", "simulated rows": "bayesieve, simulated rows", "scikit-learn rows": "scikit-learn"}
    steps = [
        Series(name, measured[varied][0], [1e-9 * CANDIDATES * n * ns for n, ns in zip(*measured[varied], strict=True)])
        for varied, name in names.items()
    ]
    panels = [Panel("A step of 95 candidates", "rows", "processor seconds", steps, log_x=True, log_y=True)]
    panels += [
        Panel(f"By {varied}", varied, "ns per row and candidate", [Series("bayesieve", *measured[varied])], log_x=True)
        for varied in PANELS
    ]
    (FOLDER / "growth.svg").write_text(Chart("Time of a step as a problem grows", panels).svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
