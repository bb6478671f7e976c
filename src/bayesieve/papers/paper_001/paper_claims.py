# SPDX-License-Identifier: BSD-3-Clause
"""The paper's claims about its figures, and whether they hold here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.evaluation.comparison import corrected_t, signed_rank
from bayesieve.papers.paper_001.paper_methods import BINNED, FILTERS, GAUSSIAN, VOTES
from bayesieve.papers.paper_001.paper_scores import Scores

__all__ = ["CLAIMS", "DataSetClaim", "check"]

_LEVEL: Final = 0.05
_REGRESSION, _MACHINE = "logistic regression", "linear SVM"


@dataclass(frozen=True)
class DataSetClaim:
    """A sentence, and the difference that is positive if it is true, with one value per fold of a data set.

    ``sets`` are the data sets of the claim; none means all.
    """

    sentence: str
    difference: Callable[[Scores, str], Floats]
    sets: tuple[str, ...] = ()


def _between(metric: str, larger: Sequence[str], smaller: Sequence[str]) -> Callable[[Scores, str], Floats]:
    """Return the mean of some selectors minus that of others."""

    def difference(scores: Scores, name: str) -> Floats:
        return _mean(scores, metric, name, larger) - _mean(scores, metric, name, smaller)

    return difference


def _mean(
    scores: Scores, metric: str, name: str, selectors: Sequence[str], classifiers: Sequence[str] | None = None
) -> Floats:
    names = scores.averaged if classifiers is None else classifiers
    mean: Floats = np.mean([scores.mean_of(metric, name, selector, names) for selector in selectors], axis=0)
    return mean


def _classifiers(metric: str, larger: str, smaller: str) -> Callable[[Scores, str], Floats]:
    """Return the mean of the voting selectors with one classifier minus that with another."""

    def difference(scores: Scores, name: str) -> Floats:
        return _mean(scores, metric, name, _VOTE_NAMES, [larger]) - _mean(scores, metric, name, _VOTE_NAMES, [smaller])

    return difference


def _gain(metric: str, larger: str, smaller: str) -> Callable[[Scores, str], Floats]:
    """Return the gain of votes over filters with one classifier minus that with another."""

    def difference(scores: Scores, name: str) -> Floats:
        one, other = (
            _mean(scores, metric, name, _VOTE_NAMES, [each]) - _mean(scores, metric, name, _FILTER_NAMES, [each])
            for each in (larger, smaller)
        )
        return one - other

    return difference


_VOTE_NAMES, _FILTER_NAMES = tuple(VOTES), tuple(FILTERS)
_AND, _OR = ("CVE", "CVL"), ("DVE", "DVL")
_WIDE = ("newsgroup", "spect")

CLAIMS: Final = (
    DataSetClaim("Voting selectors improve recall (figure 2).", _between("recall", _VOTE_NAMES, _FILTER_NAMES)),
    DataSetClaim("Voting selectors improve accuracy (figure 2).", _between("accuracy", _VOTE_NAMES, _FILTER_NAMES)),
    DataSetClaim(
        "Recall improves noticeably where there are many columns for few rows: NG and S (figures 2 and 4).",
        _between("recall", _VOTE_NAMES, _FILTER_NAMES),
        _WIDE,
    ),
    DataSetClaim(
        "Disjunctive voting alone improves recall there (the consistent reading of the formulas).",
        _between("recall", _OR, _FILTER_NAMES),
        _WIDE,
    ),
    *(
        DataSetClaim(f"{each} alone improves recall there.", _between("recall", (each,), _FILTER_NAMES), _WIDE)
        for each in _VOTE_NAMES
    ),
    *(
        DataSetClaim(
            f"With voting selectors {each} {words} logistic regression (figure 3).",
            _classifiers(metric, each, _REGRESSION),
        )
        for each in (GAUSSIAN, BINNED)
        for metric, words in (("accuracy", "is more accurate than"), ("recall", "has a higher recall than"))
    ),
    DataSetClaim(
        "With voting selectors logistic regression is more accurate than the linear SVM (figure 3).",
        _classifiers("accuracy", _REGRESSION, _MACHINE),
    ),
    DataSetClaim(
        "With voting selectors logistic regression has a higher recall than the linear SVM (figure 3).",
        _classifiers("recall", _REGRESSION, _MACHINE),
    ),
    *(
        DataSetClaim(
            f"Voting selectors gain more recall over filters with {each} than with the linear SVM (figure 3).",
            _gain("recall", each, _MACHINE),
        )
        for each in (GAUSSIAN, BINNED)
    ),
    DataSetClaim("Conjunctive voting is more accurate than disjunctive voting.", _between("accuracy", _AND, _OR)),
    DataSetClaim("Disjunctive voting has a higher recall than conjunctive voting.", _between("recall", _OR, _AND)),
)


def check(claim: DataSetClaim, scores: Scores) -> dict[str, Any]:
    """Return a verdict and its differences."""
    sets = [name for name in scores.sets if not claim.sets or name in claim.sets]
    rows: list[dict[str, Any]] = []
    for name in sets:
        differences = claim.difference(scores, name)
        error, _, p = corrected_t(differences, 1 / (len(differences) - 1))
        rows.append({"set": name, "difference": float(differences.mean()), "standard_error": error, "p_value": p})
    means = np.array([row["difference"] for row in rows])
    _, p_value = signed_rank(means) if len(means) > 1 else (np.nan, np.nan)
    better = sum(row["difference"] > 0 and row["p_value"] < _LEVEL for row in rows)
    worse = sum(row["difference"] < 0 and row["p_value"] < _LEVEL for row in rows)
    result = {
        "claim": claim.sentence,
        "mean": float(means.mean()) if len(means) else None,
        "p_value": float(p_value),
        "n_sets": len(rows),
        "n_positive": int((means > 0).sum()),
        "n_better": better,
        "n_worse": worse,
        "sets": rows,
    }
    return {**result, "verdict": _verdict(result, few=bool(claim.sets))}


def _verdict(result: dict[str, Any], *, few: bool) -> str:
    """Judge by signed ranks over the sets; a claim about few sets, by the folds of each."""
    n_sets, better, worse = result["n_sets"], result["n_better"], result["n_worse"]
    if not n_sets:
        return "undecided: the data sets are missing"
    if few:
        if better == n_sets:
            return "holds"
        if worse == n_sets:
            return "does not hold: the opposite"
        return f"holds on {better} of {n_sets}" if better else "does not hold" if worse else "undecided"
    if result["p_value"] < _LEVEL:
        return "holds" if result["mean"] > 0 else "does not hold: the opposite"
    return "undecided"
