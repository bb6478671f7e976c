# SPDX-License-Identifier: BSD-3-Clause
"""Names, labels and values of a user's file, as text that cannot command a terminal."""

import re
import sys

import typer

__all__ = ["print_data", "visible"]

# Control characters but the line feed and the tab; unpaired surrogates; marks that reverse the order of characters.
_COMMANDS = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\u202a-\\u202e\\u2066-\\u2069]")


def visible(text: str) -> str:
    r"""Return text with its control characters as escapes, such as ``\x1b``."""
    return _COMMANDS.sub(lambda match: ascii(match[0])[1:-1], text)


def print_data(text: str) -> None:
    """Print lines of CSV, SQL or JSON: as they are to a file or a pipe, without control characters to a terminal."""
    typer.echo(visible(text) if sys.stdout.isatty() else text, nl=False)
