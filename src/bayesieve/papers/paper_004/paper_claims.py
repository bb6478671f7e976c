# SPDX-License-Identifier: BSD-3-Clause
"""The paper's sentences about its table, measured per seed, and their verdicts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.papers.claim import Claim, judge_claim, measure
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.verdict import FAILS, HOLDS, IN_PART, UNKNOWN, Difference, Scale, count_units, state, unknown

__all__ = ["CLAIMS", "judge_both_guides", "judge_guided", "judge_others", "measure_claims"]

Values = Callable[[str, str], NDArray[np.float64]]
Row = dict[str, Any]

_FILTERS = ("mi, error", "mrmr, error")
_SEARCHES = ("forward", "backward", "forward-backward", "backward-forward")
_CRITERIA = ("error", "error_probability")
_WRAPPERS = tuple(f"{search}, {criterion}" for search in _SEARCHES for criterion in _CRITERIA)
_BEST = "backward-forward, error_probability"
_TITLES: Final = {method.key: method.title for method in METHODS} | {"all": "all indicators", "scorecard": "scorecard"}
_SCALES: Final = {
    "error": Scale("+.4f", 0.001),
    "size": Scale("+.0f", 10),
    "redundancy": Scale("+.2f", 0.01),
    "tied": Scale("+.2f", 0.01),
}
_LEAST_SEEDS: Final = 3  # of a comparison of seconds
_FACTOR: Final = 2.0  # seconds that differ by less are comparable
_REASONABLE: Final = 60.0  # seconds of a search
_ABOUT_BEST: Final = "Backward-forward by error probability is the best of all (section 6)."


def _each(quantity: str, larger: str, smaller: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((quantity, f"{larger}, {criterion}", f"{smaller}, {criterion}") for criterion in _CRITERIA)


CLAIMS: Final = (
    Claim(
        "Wrappers have a lower error than filters (abstract).",
        tuple(("error", f, w) for f in _FILTERS for w in _WRAPPERS),
    ),
    Claim(
        "Error probability always gives a lower error than the error itself as a guide (section 6).",
        tuple(("error", f"{search}, error", f"{search}, error_probability") for search in _SEARCHES),
    ),
    Claim(
        "Backward search keeps too few: a forward phase after it keeps more (section 6).",
        _each("size", "backward-forward", "backward"),
    ),
    Claim(
        "That phase lowers the error of backward search (section 6).", _each("error", "backward", "backward-forward")
    ),
    Claim(
        "A backward phase strongly reduces what forward search keeps (section 6).",
        _each("size", "forward", "forward-backward"),
    ),
    Claim(
        "That phase slightly raises the error of forward search (section 6).",
        _each("error", "forward-backward", "forward"),
    ),
    Claim(_ABOUT_BEST, tuple(("error", row, _BEST) for row in (*_FILTERS, *_WRAPPERS) if row != _BEST)),
)
"""Sentences about the searches, which have a verdict under both readings of what guides them."""

_OTHERS: Final = (
    Claim("The mRMR filter has a higher error than the MI filter (table 1).", (("error", "mrmr, error", "mi, error"),)),
    Claim(
        "The log likelihood is a poor guide (section 4.2).",
        (
            ("error", "forward, log_loss", "forward, error_probability"),
            ("error", "forward, log_loss", "forward, error"),
        ),
    ),
    Claim(
        "The MI filter selects very redundant indicators, and mRMR avoids it (section 6): mean absolute correlation of "
        "the first 20.",
        (("redundancy", "mi, error", "mrmr, error"),),
    ),
    Claim(
        "The error is not sensitive enough, as many columns tie (section 4.2): share of moves with a tie.",
        (
            ("tied", "forward, error", "forward, error_probability"),
            ("tied", "backward, error", "backward, error_probability"),
        ),
    ),
    Claim(
        "Naive Bayes is not monotone: more indicators can be worse (section 4.2).",
        (("error", "all", "forward, error_probability"), ("error", "all", "backward, error_probability")),
    ),
)


def measure_claims(values: Values, guided: Values, *, has_both: bool) -> Mapping[str, list[Row]]:
    """Return the differences of all claims; ``guided`` has the values of searches that half A guides, if any."""
    return {
        "claims": [measure(claim, values) for claim in CLAIMS],
        "guided_claims": [measure(claim, guided) for claim in CLAIMS] if has_both else [],
        "other_claims": [measure(claim, values) for claim in _OTHERS],
    }


def judge_guided(measured: Sequence[Row]) -> list[Row]:
    """Return the verdicts on the searches."""
    return [_judge(each) for each in measured]


def judge_both_guides(summary: Row) -> list[Row]:
    """Return the differences of error between both readings, of each search: guided by half B less by half A."""
    rows = []
    for row in summary["guided"]:
        errors = next(each["errors"] for each in summary["rows"] if each["key"] == row["key"])
        shared = range(min(len(errors), len(row["errors"])))
        differences = [errors[i] - row["errors"][i] for i in shared]
        found = Difference.of_values("", differences)
        rows.append({"method": row["method"], "mean": found.mean, "low": found.low, "high": found.high})
    return rows


def judge_others(summary: Row) -> list[Row]:
    """Return the verdicts on filters, criteria, redundancy and cost."""
    return [*(_judge(each) for each in summary["other_claims"]), *_judge_cost(summary["costs"])]


def _judge(measured: Row) -> Row:
    row = judge_claim(measured, _SCALES, "seeds", _TITLES.__getitem__, is_best=measured["claim"] == _ABOUT_BEST)
    return dict(row)


def _judge_cost(costs: Row | None) -> list[Row]:
    """Judge seconds; the order of steps is the analysis of the paper, and seconds add a factor."""
    reasonable = "Wrappers have a reasonable computational cost (abstract); here: a minute at most."
    comparable = (
        "A forward search is comparable to mRMR when it ranks all, as both take O(N P²) steps (section 4.1); here: at "
        "most twice its seconds."
    )
    if costs is None:
        return [unknown(each, "its data are missing") for each in (reasonable, comparable)]
    means = {key: float(np.mean(each)) for key, each in costs["seconds"].items()}
    slowest = max(means, key=lambda key: means[key])
    text = f"{means[slowest]:.1f} s at most ({_TITLES[slowest]}), of {costs['n_columns']} indicators that vary"
    n_seeds = len(costs["seconds"][slowest])
    times = means["forward, error_probability"] / max(means["mrmr, error"], 1e-3)
    verdicts = [
        HOLDS if means[slowest] <= _REASONABLE else FAILS,
        HOLDS if times <= _FACTOR else IN_PART,
    ]
    if n_seeds < _LEAST_SEEDS:
        verdicts = [UNKNOWN] * 2
    shown = f"{times:.0f} times the seconds of mRMR, which is one matrix product here"
    n = count_units(n_seeds, "seeds")
    return [state(reasonable, verdicts[0], text, n), state(comparable, verdicts[1], shown, n)]
