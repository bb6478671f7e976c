# SPDX-License-Identifier: BSD-3-Clause
"""The page of a paper: its prose, with the tables of a saved result."""

from typing import Any

from bayesieve.papers.bibliography import PAPERS

__all__ = ["write_page"]

_PLACE = "<!-- results -->"


def write_page(prose: str, result: dict[str, Any], tables: str) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    prose : str
        What is written by hand; the line ``<!-- results -->`` is where the tables belong.
    result : dict
        See `plain_result`.
    tables : str
        The tables of the result as Markdown, with a title line, which is dropped.
    """
    paper = PAPERS[result["paper"]]
    published = ", ".join(str(each) for each in (paper.authors or "Authors not named", paper.year or "undated") if each)
    head = [f"# {paper.title}", "", f"*{published}; {paper.place}. Paper {result['paper']} of `bayesieve reproduce`.*"]
    body = tables.split("\n", 1)[1].strip()
    results = "\n".join([*_command(result), body])
    before, after = prose.strip().split(_PLACE)
    return "\n".join([*head, "", before.strip(), "", results, "", after.strip()]).strip() + "\n"


def _command(result: dict[str, Any]) -> list[str]:
    """Return the command above the tables, and a sentence if the run was not finished."""
    lines = [
        "Every figure below that is not printed in the paper is computed by",
        "",
        "```sh",
        result["command"],
        "```",
        "",
    ]
    if not result["complete"]:
        missing = ", ".join(name for name, (done, n) in result["parts"].items() if done < n)
        lines += [
            f"**This run was not finished: {result['n_finished']:,} of {result['n_jobs']:,} jobs.** The tables and "
            f"verdicts are of the part that was; incomplete: {missing}.",
            "",
        ]
    return lines
