"""One page per program in examples/: its docstring, its code, its output and its pictures."""

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
    """Run a program as a user would; return its output, and the names of its pictures in a folder."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    printed, before = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as directory, mock.patch.object(sys, "argv", [str(path)]):
        os.chdir(directory)
        try:
            with contextlib.redirect_stdout(printed):
                runpy.run_path(str(path), run_name="__main__")
        finally:
            os.chdir(before)
    folder.mkdir(exist_ok=True)
    names = []
    for number in pyplot.get_fignums():
        names.append(f"{path.stem}_{number}.svg")
        pyplot.figure(number).savefig(folder / names[-1], metadata={"Date": None}, bbox_inches="tight")
    pyplot.close("all")
    return printed.getvalue(), names


def page_of(path: Path, printed: str, pictures: list[str]) -> str:
    """Return a program and its output as Markdown; the title is the first sentence of its docstring."""
    source = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or path.stem
    title, _, rest = docstring.partition("\n")
    code = source.split('"""', 2)[2].strip()
    images = "\n\n".join(f"![{path.stem}]({PICTURES}/{name})" for name in pictures)
    text, _, usage = rest.strip().rpartition("\n\n")  # the command line comes last
    parts = [f"# {title.rstrip('.')}", text, f"```sh\n{usage}\n```", f"```python\n{code}\n```"]
    parts += [f"It prints:\n\n```text\n{printed.rstrip()}\n```"] if printed else []
    return "\n\n".join([*parts, images]) + "\n"


def write_pages(app: Sphinx) -> None:
    """Write the pages of the gallery whose program has changed."""
    gallery = Path(app.srcdir) / "gallery"
    for path in sorted((ROOT / "examples").glob("*.py")):
        page = gallery / f"{path.stem}.md"
        if not page.exists() or page.stat().st_mtime < path.stat().st_mtime:
            page.write_text(page_of(path, *run_example(path, gallery / PICTURES)), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the gallery with Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
