"""What the paper says about its figures, and whether it holds here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.evaluation.paired_tests import corrected_t, signed_rank
from bayesieve.experiments.paper_001.contestants import FILTERS, VOTES
from bayesieve.experiments.paper_001.scores import Scores

__all__ = ["CLAIMS", "Claim", "check"]

Floats = NDArray[np.float64]
_LEVEL: Final = 0.05
_NAIVE_BAYES, _REGRESSION, _MACHINE = "naive Bayes", "logistic regression", "linear SVM"


@dataclass(frozen=True)
class Claim:
    """A sentence, and the difference that is positive if it is true: of each set, one value a fold.

    ``sets`` are those that the sentence is about; none means all.
    """

    sentence: str
    difference: Callable[[Scores, str], Floats]
    sets: tuple[str, ...] = ()


def _between(metric: str, larger: Sequence[str], smaller: Sequence[str]) -> Callable[[Scores, str], Floats]:
    """Return the mean of some selectors less that of others."""

    def difference(scores: Scores, name: str) -> Floats:
        return _mean(scores, metric, name, larger) - _mean(scores, metric, name, smaller)

    return difference


def _mean(
    scores: Scores, metric: str, name: str, selectors: Sequence[str], classifiers: Sequence[str] | None = None
) -> Floats:
    used = scores.classifiers if classifiers is None else classifiers
    found: Floats = np.mean([scores.mean_of(metric, name, selector, used) for selector in selectors], axis=0)
    return found


def _classifiers(metric: str, larger: str, smaller: str) -> Callable[[Scores, str], Floats]:
    """Return the voting selectors' mean with one classifier less that with another."""

    def difference(scores: Scores, name: str) -> Floats:
        return _mean(scores, metric, name, _ALL, [larger]) - _mean(scores, metric, name, _ALL, [smaller])

    return difference


def _gain(metric: str, larger: str, smaller: str) -> Callable[[Scores, str], Floats]:
    """Return what votes gain over filters with one classifier, less what they gain with another."""

    def difference(scores: Scores, name: str) -> Floats:
        one, other = (
            _mean(scores, metric, name, _ALL, [each]) - _mean(scores, metric, name, _RIVALS, [each])
            for each in (larger, smaller)
        )
        return one - other

    return difference


_ALL, _RIVALS = tuple(VOTES), tuple(FILTERS)
_AND, _OR = ("CVE", "CVL"), ("DVE", "DVL")
_WIDE = ("newsgroup", "spect")

CLAIMS: Final = (
    Claim("Voting selectors improve recall (figure 2).", _between("recall", _ALL, _RIVALS)),
    Claim("Voting selectors improve accuracy (figure 2).", _between("accuracy", _ALL, _RIVALS)),
    Claim(
        "Recall improves noticeably where there are many columns for few rows: NG and S (figures 2 and 4).",
        _between("recall", _ALL, _RIVALS),
        _WIDE,
    ),
    Claim(
        "Disjunctive voting alone improves recall there (the consistent reading of the formulas).",
        _between("recall", _OR, _RIVALS),
        _WIDE,
    ),
    *(Claim(f"{each} alone improves recall there.", _between("recall", (each,), _RIVALS), _WIDE) for each in _ALL),
    Claim(
        "With voting selectors naive Bayes is more accurate than logistic regression (figure 3).",
        _classifiers("accuracy", _NAIVE_BAYES, _REGRESSION),
    ),
    Claim(
        "With voting selectors naive Bayes has a higher recall than logistic regression (figure 3).",
        _classifiers("recall", _NAIVE_BAYES, _REGRESSION),
    ),
    Claim(
        "With voting selectors logistic regression is more accurate than the linear SVM (figure 3).",
        _classifiers("accuracy", _REGRESSION, _MACHINE),
    ),
    Claim(
        "With voting selectors logistic regression has a higher recall than the linear SVM (figure 3).",
        _classifiers("recall", _REGRESSION, _MACHINE),
    ),
    Claim(
        "Voting selectors gain more recall over filters with naive Bayes than with the linear SVM (figure 3).",
        _gain("recall", _NAIVE_BAYES, _MACHINE),
    ),
    Claim("Conjunctive voting is more accurate than disjunctive voting.", _between("accuracy", _AND, _OR)),
    Claim("Disjunctive voting has a higher recall than conjunctive voting.", _between("recall", _OR, _AND)),
)


def check(claim: Claim, scores: Scores) -> dict[str, Any]:
    """Return a verdict, and the differences that it rests on."""
    sets = [name for name in scores.sets if not claim.sets or name in claim.sets]
    rows: list[dict[str, Any]] = []
    for name in sets:
        apart = claim.difference(scores, name)
        error, _, p = corrected_t(apart, 1 / (len(apart) - 1))
        rows.append({"set": name, "difference": float(apart.mean()), "standard_error": error, "p_value": p})
    means = np.array([row["difference"] for row in rows])
    _, p_value = signed_rank(means) if len(means) > 1 else (np.nan, np.nan)
    better = sum(row["difference"] > 0 and row["p_value"] < _LEVEL for row in rows)
    worse = sum(row["difference"] < 0 and row["p_value"] < _LEVEL for row in rows)
    found = {
        "claim": claim.sentence,
        "mean": float(means.mean()) if len(means) else None,
        "p_value": float(p_value),
        "n_sets": len(rows),
        "n_positive": int((means > 0).sum()),
        "n_better": better,
        "n_worse": worse,
        "sets": rows,
    }
    return {**found, "verdict": _verdict(found, few=bool(claim.sets))}


def _verdict(found: dict[str, Any], *, few: bool) -> str:
    """Tell what signed ranks over the sets decide; of a claim about few sets, the folds of each."""
    n_sets, better, worse = found["n_sets"], found["n_better"], found["n_worse"]
    if not n_sets:
        return "undecided: the sets are not there"
    if few:
        if better == n_sets:
            return "holds"
        if worse == n_sets:
            return "does not hold: the opposite"
        return f"holds on {better} of {n_sets}" if better else "does not hold" if worse else "undecided"
    if found["p_value"] < _LEVEL:
        return "holds" if found["mean"] > 0 else "does not hold: the opposite"
    return "undecided"
