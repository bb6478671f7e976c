"""Links from pages to files of the repository that are not on the site: there they lead to the sources on the web."""

import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

_ROOT = Path(__file__).resolve().parents[2]


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite relative links to ``research`` in every page that is read."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    target = f"]({project['urls']['Source']}/blob/main/research/"

    def rewrite(app: Sphinx, name: str, source: list[str]) -> None:
        source[0] = re.sub(r"\]\((?:\.\./)+research/", lambda _: target, source[0])

    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
