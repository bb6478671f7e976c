"""One page per program in examples/, with its code, output and pictures; ``{example-cards}`` is a picture of each."""

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
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

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
    _, _, rest = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    code = source.split('"""', 2)[2].strip()
    images = "\n\n".join(f"![{path.stem}]({PICTURES}/{name})" for name in pictures)
    text, _, usage = rest.strip().rpartition("\n\n")  # the command line comes last
    parts = [f"# {title_of(path)}", text, f"```sh\n{usage}\n```", f"```python\n{code}\n```"]
    parts += [f"It prints:\n\n```text\n{printed.rstrip()}\n```"] if printed else []
    return "\n\n".join([*parts, images]) + "\n"


def title_of(path: Path) -> str:
    """Return the first sentence of a program's docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return docstring.partition("\n")[0].rstrip(".")


def write_pages(app: Sphinx) -> None:
    """Write the pages of the gallery whose program has changed."""
    gallery = Path(app.srcdir) / "gallery"
    for path in sorted((ROOT / "examples").glob("*.py")):
        page = gallery / f"{path.stem}.md"
        if not page.exists() or page.stat().st_mtime < path.stat().st_mtime:
            page.write_text(page_of(path, *run_example(path, gallery / PICTURES)), encoding="utf-8")


class ExampleCards(SphinxDirective):
    """The title and the first picture of each program, with a link to its page."""

    def run(self) -> list[nodes.Node]:
        """Return a card per program."""
        gallery = Path(self.env.srcdir) / "gallery"
        cards = nodes.container(classes=["cards"])
        for path in sorted((ROOT / "examples").glob("*.py")):
            card = nodes.container(is_div=True, classes=["container"])
            link = {"internal": True, "refuri": f"{path.stem}.html"}
            if (gallery / PICTURES / f"{path.stem}_1.svg").exists():
                picture = nodes.image(uri=f"{PICTURES}/{path.stem}_1.svg", alt=path.stem)
                card += nodes.reference("", "", picture, **link)
            title = title_of(path)
            card += nodes.paragraph("", "", nodes.reference(title, title, **link))
            cards += card
        return [cards]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the gallery with Sphinx."""
    app.add_directive("example-cards", ExampleCards)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
