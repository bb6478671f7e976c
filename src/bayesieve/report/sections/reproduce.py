# SPDX-License-Identifier: BSD-3-Clause
"""How to make the same report again."""

from bayesieve.report.markup import Markup, tag
from bayesieve.report.sections.view import View

__all__ = ["draw_reproduce"]


def draw_reproduce(view: View) -> Markup:
    """Return the section."""
    reproduce, fingerprint = view["reproduce"], view["data"]["fingerprint"]
    versions = ", ".join(f"{name} {version}" for name, version in reproduce["versions"].items())
    return tag(
        "section",
        tag("h2", "Reproduce this report"),
        tag("pre", reproduce["command"], id="command"),
        tag("p", versions, class_="quiet", id="versions"),
        tag("p", f"Data: {fingerprint}" if fingerprint else "", class_="quiet", id="fingerprint"),
        id="reproduce",
    )
