"""``{command-help}``: the output of ``bayesieve COMMAND --help`` for every command."""

import os
from unittest import mock

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command
from typer.testing import CliRunner

from bayesieve.cli.app import app as commands


class CommandHelp(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Run each command with --help."""
        sections: list[nodes.Node] = []
        for name in get_command(commands).commands:
            with mock.patch.dict(os.environ, {"COLUMNS": "76", "NO_COLOR": "1", "TERM": "dumb"}):
                result = CliRunner().invoke(commands, [name, "--help"], prog_name="bayesieve")
            if result.exit_code != 0:
                raise self.error(f"bayesieve {name} --help failed: {result.output}")
            title = f"bayesieve {name}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            text = result.output.strip("\n")
            section += [nodes.title(text=title), nodes.literal_block(text, text, language="text")]
            self.state.document.note_implicit_target(section, section)
            sections.append(section)
        return sections


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
