"""The report of ``bayesieve demo`` as a page of the site, so that a visitor can move its sliders."""

from pathlib import Path

from sphinx.application import Sphinx
from typer.testing import CliRunner

from bayesieve.cli.app import app as commands


def write_report(app: Sphinx) -> None:
    """Run the demo, and put its page among the static files."""
    place = Path(app.srcdir) / "_static" / "demo"
    if not (place / "report.html").exists():
        told = CliRunner().invoke(commands, ["demo", "--out", str(place)])
        if told.exit_code != 0:
            raise RuntimeError(f"bayesieve demo failed: {told.output}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx when to run the demo."""
    app.connect("builder-inited", write_report)
    return {"parallel_read_safe": True}
