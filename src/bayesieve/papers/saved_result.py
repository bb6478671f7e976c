# SPDX-License-Identifier: BSD-3-Clause
"""The result of a paper's experiment as a small file: what its page shows, so that a change is seen in a diff."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["count_parts", "dump_result", "plain_result"]

_DIGITS = 6  # significant digits of a saved number


Parts = dict[str, list[int]]


def count_parts(jobs: Iterable[Any], is_finished: Callable[[Any], bool]) -> Parts:
    """Return the numbers of finished and of all jobs per table and data set, or per kind of simulation."""
    parts: Parts = {}
    for job in jobs:
        kind, data = job[:2] if isinstance(job, tuple) else ("", job)
        kind = f"{kind} {'' if isinstance(data, int) else re.sub(' [0-9]+$', '', data)}".strip()
        counts = parts.setdefault(kind, [0, 0])
        counts[0] += is_finished(job)
        counts[1] += 1
    return parts


def plain_result(paper: str, command: str, parts: Parts, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the saved form of a summary: numbers rounded, all keys strings.

    Parameters
    ----------
    paper : str
        Number of the paper.
    command : str
        The command that computes the result.
    parts : dict of str to list of int
        See `count_parts`.
    summary : dict
        Plain data.
    """
    n_finished, n_jobs = (sum(counts[i] for counts in parts.values()) for i in (0, 1))
    result = {
        "paper": paper,
        "command": command,
        "complete": n_finished == n_jobs,
        "n_finished": n_finished,
        "n_jobs": n_jobs,
        "parts": parts,
        "summary": _rounded(summary),
    }
    plain: dict[str, Any] = json.loads(json.dumps(result))
    return plain


def dump_result(result: dict[str, Any]) -> str:
    """Return the text of a result file: one line per number or list of numbers."""
    lines = json.dumps(result, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()), lines) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
