"""The report of ``bayesieve demo`` as a page of the site, with its sliders."""

from pathlib import Path

from sphinx.application import Sphinx
from typer.testing import CliRunner

from bayesieve.cli.app import app as commands


def write_report(app: Sphinx) -> None:
    """Run the demo, and write its page to the static files."""
    place = Path(app.srcdir) / "_static" / "demo"
    if not (place / "report.html").exists():
        result = CliRunner().invoke(commands, ["demo", "--out", str(place)])
        if result.exit_code != 0:
            raise RuntimeError(f"bayesieve demo failed: {result.output}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the demo with Sphinx."""
    app.connect("builder-inited", write_report)
    return {"parallel_read_safe": True}
