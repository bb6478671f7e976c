"""The result of a paper's experiment as a small file: what its page shows, so that a change is seen in a diff."""

import json
import re
from typing import Any

__all__ = ["dump_result", "plain_result"]

_DIGITS = 6  # significant digits of a saved number


def plain_result(paper: str, command: str, counts: tuple[int, int], summary: dict[str, Any]) -> dict[str, Any]:
    """Return the saved form of a summary: numbers rounded, all keys strings.

    Parameters
    ----------
    paper : str
        Number of the paper.
    command : str
        The command that computes the result.
    counts : tuple of int
        Numbers of finished jobs, and of all.
    summary : dict
        Plain data.
    """
    n_finished, n_jobs = counts
    result = {
        "paper": paper,
        "command": command,
        "complete": n_finished == n_jobs,
        "n_finished": n_finished,
        "n_jobs": n_jobs,
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
