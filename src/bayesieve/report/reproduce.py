# SPDX-License-Identifier: BSD-3-Clause
"""How to make the same report again."""

import platform
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from bayesieve.report.formats import show_time
from bayesieve.report.markup import Markup, tag

__all__ = ["Reproduction", "draw_reproduce", "library_versions"]

_LIBRARIES = ("bayesieve", "numpy", "scipy", "scikit-learn", "narwhals", "polars")


@dataclass(frozen=True)
class Reproduction:
    """The command, the versions of the libraries, and the time in UTC at which the report was made, or nothing."""

    command: str
    versions: dict[str, str]
    made: str


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that take part."""
    versions = {library: _version_of(library) for library in _LIBRARIES}
    return {"Python": platform.python_version(), **{name: each for name, each in versions.items() if each is not None}}


@cache
def _version_of(library: str) -> str | None:
    """Return an installed version, which is read from a file: once, for all reports of a process."""
    try:
        return version(library)
    except ModuleNotFoundError:
        return None


def _parts(command: str) -> list[Markup]:
    """Return a command in parts that stay on one line: an option and its value."""
    return [tag("span", part) for part in re.split(r"(?<= )(?=--)", command)]


def draw_reproduce(reproduction: Reproduction, fingerprint: str) -> Markup:
    """Return the section; the fingerprint is that of the data."""
    date = f"Made {show_time(reproduction.made)}. " if reproduction.made else ""
    seeds = "No random numbers are drawn without a fixed seed: the same file gives the same numbers."
    versions = ", ".join(f"{name} {number}" for name, number in reproduction.versions.items())
    return tag(
        "section",
        tag("h2", "Reproduce this report"),
        tag("pre", *_parts(reproduction.command), id="command"),
        tag("p", date + seeds, class_="quiet", id="made"),
        tag("p", versions, class_="quiet", id="versions"),
        tag("p", f"Data: {fingerprint}" if fingerprint else "", class_="quiet", id="fingerprint"),
        id="reproduce",
    )
