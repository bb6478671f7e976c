# SPDX-License-Identifier: BSD-3-Clause
"""How to make the same report again."""

import re

from bayesieve.report.formats import show_time
from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_reproduce"]


def _parts(command: str) -> list[Markup]:
    """Return a command in parts that stay on one line: an option and its value."""
    return [tag("span", part) for part in re.split(r"(?<= )(?=--)", command)]


def _conditions(made: str) -> str:
    date = f"Made {show_time(made)}. " if made else ""
    return f"{date}No random numbers are drawn without a fixed seed: the same file gives the same numbers."


def draw_reproduce(view: View) -> Markup:
    """Return the section."""
    reproduce, fingerprint = view["reproduce"], view["data"]["fingerprint"]
    versions = ", ".join(f"{name} {version}" for name, version in reproduce["versions"].items())
    return tag(
        "section",
        tag("h2", "Reproduce this report"),
        tag("pre", *_parts(reproduce["command"]), id="command"),
        tag("p", _conditions(reproduce["made"]), class_="quiet", id="made"),
        tag("p", versions, class_="quiet", id="versions"),
        tag("p", f"Data: {fingerprint}" if fingerprint else "", class_="quiet", id="fingerprint"),
        id="reproduce",
    )
