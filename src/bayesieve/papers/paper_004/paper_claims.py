# SPDX-License-Identifier: BSD-3-Clause
"""The paper's conclusions."""

from bayesieve.papers.claim import Claim

__all__ = ["CLAIMS"]

_FILTERS = ("mi, error", "mrmr, error")
_SEARCHES = ("forward", "backward", "forward-backward", "backward-forward")
_CRITERIA = ("error", "error_probability")
_WRAPPERS = tuple(f"{search}, {criterion}" for search in _SEARCHES for criterion in _CRITERIA)
_BEST = "backward-forward, error_probability"


def _each(quantity: str, larger: str, smaller: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((quantity, f"{larger}, {criterion}", f"{smaller}, {criterion}") for criterion in _CRITERIA)


CLAIMS = (
    Claim("Wrappers have a lower error than filters.", tuple(("error", f, w) for f in _FILTERS for w in _WRAPPERS)),
    Claim(
        "Error probability finds subsets with a lower error than the error itself does.",
        tuple(("error", f"{search}, error", f"{search}, error_probability") for search in _SEARCHES),
    ),
    Claim(
        "Backward search keeps too few: a forward phase after it keeps more.",
        _each("size", "backward-forward", "backward"),
    ),
    Claim("A forward phase lowers the error of backward search.", _each("error", "backward", "backward-forward")),
    Claim("Forward-backward needs fewer indicators than forward.", _each("size", "forward", "forward-backward")),
    Claim("Forward-backward has a slightly higher error than forward.", _each("error", "forward-backward", "forward")),
    Claim(
        "Backward-forward by error probability has the lowest error of all.",
        tuple(("error", row, _BEST) for row in (*_FILTERS, *_WRAPPERS) if row != _BEST),
        every=True,
    ),
    Claim("The mRMR filter has a higher error than the MI filter.", (("error", "mrmr, error", "mi, error"),)),
    Claim(
        "The log likelihood is a poor guide.",
        (
            ("error", "forward, log_loss", "forward, error_probability"),
            ("error", "forward, log_loss", "forward, error"),
        ),
    ),
)
