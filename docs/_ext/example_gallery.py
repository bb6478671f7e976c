"""A page for each program in examples/: its words, its code, what it prints and the pictures it draws, from a run."""

import ast
import contextlib
import io
import os
import runpy
import sys
import tempfile
from pathlib import Path
from unittest import mock

import matplotlib
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
PICTURES = "_pictures"


def run_example(path: Path, folder: Path) -> tuple[str, list[str]]:
    """Run a program as a user would; return what it printed, and the pictures that were written to a folder."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    printed, before = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as elsewhere, mock.patch.object(sys, "argv", [str(path)]):
        os.chdir(elsewhere)
        try:
            with contextlib.redirect_stdout(printed):
                runpy.run_path(str(path), run_name="__main__")
        finally:
            os.chdir(before)
    folder.mkdir(exist_ok=True)
    names = []
    for number in pyplot.get_fignums():
        names.append(f"{path.stem}_{number}.svg")
        pyplot.figure(number).savefig(folder / names[-1], metadata={"Date": None})
    pyplot.close("all")
    return printed.getvalue(), names


def page_of(path: Path, printed: str, pictures: list[str]) -> str:
    """Return a program and its run as Markdown; the title is the first sentence of its words."""
    source = path.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(source)) or path.stem
    title, _, rest = words.partition("\n")
    code = source.split('"""', 2)[2].strip()
    shown = "\n\n".join(f"![{path.stem}]({PICTURES}/{name})" for name in pictures)
    told, _, usage = rest.strip().rpartition("\n\n")  # how it is called comes last
    parts = [f"# {title.rstrip('.')}", told, f"```sh\n{usage}\n```", f"```python\n{code}\n```"]
    parts += [f"It prints:\n\n```text\n{printed.rstrip()}\n```"] if printed else []
    return "\n\n".join([*parts, shown]) + "\n"


def write_pages(app: Sphinx) -> None:
    """Write the pages of the gallery, and leave those whose program has not changed since."""
    gallery = Path(app.srcdir) / "gallery"
    for path in sorted((ROOT / "examples").glob("*.py")):
        page = gallery / f"{path.stem}.md"
        if not page.exists() or page.stat().st_mtime < path.stat().st_mtime:
            page.write_text(page_of(path, *run_example(path, gallery / PICTURES)), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to run the examples."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
