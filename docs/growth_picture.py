"""Draw docs/explanation/growth.svg and growth_jobs.svg from saved figures, and write the tables of the page.

python -m benchmarks growth --json docs/explanation/growth.json && python docs/growth_picture.py
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "explanation"
sys.path.append(str(FOLDER.parents[1]))

from benchmarks.growth_page import GrowthFigures  # noqa: E402
from benchmarks.quality_page import with_tables  # noqa: E402


def main() -> None:
    """Write the pictures and the page."""
    figures = GrowthFigures(json.loads((FOLDER / "growth.json").read_text(encoding="utf-8")))
    (FOLDER / "growth.svg").write_text(figures.step_picture(), encoding="utf-8")
    (FOLDER / "growth_jobs.svg").write_text(figures.job_picture(), encoding="utf-8")
    page = FOLDER / "scale.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8"), figures.tables()), encoding="utf-8")


if __name__ == "__main__":
    main()
