# SPDX-License-Identifier: BSD-3-Clause
"""Write the pages of the papers from their saved results: ``make papers``.

With folders of ``bayesieve reproduce`` as arguments, their results become the saved ones first.
"""

import json
import sys
from pathlib import Path

from bayesieve.papers.bibliography import PAPERS
from bayesieve.papers.paper_page import write_page
from bayesieve.papers.papers import EXPERIMENTS
from bayesieve.papers.saved_result import dump_result

FOLDER = Path(__file__).parents[1] / "docs" / "papers"


def pages(folder: Path = FOLDER) -> dict[Path, str]:
    """Return the content of every generated file."""
    files = {}
    for number, paper in PAPERS.items():
        result = json.loads((folder / "results" / f"{number}.json").read_text(encoding="utf-8"))
        views = EXPERIMENTS[number]
        prose = (folder / "prose" / f"{number}.md").read_text(encoding="utf-8")
        files[folder / f"{paper.page}.md"] = write_page(prose, result, views.markdown(result["summary"]))
        for name, picture in views.pictures(result["summary"]).items():
            files[folder / "pictures" / f"{number}_{name}"] = picture
    return files


if __name__ == "__main__":
    for source in map(Path, sys.argv[1:]):
        saved = json.loads((source / "result.json").read_text(encoding="utf-8"))
        (FOLDER / "results" / f"{saved['paper']}.json").write_text(dump_result(saved), encoding="utf-8")
    for path, content in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        print(path.relative_to(FOLDER))
