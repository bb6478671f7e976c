# SPDX-License-Identifier: BSD-3-Clause
"""The paper's claims about its figures: their differences per set and fold, and their verdicts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.stats import spearmanr

from bayesieve._typing import Floats
from bayesieve.evaluation.comparison import corrected_t
from bayesieve.papers.paper_001.paper_methods import BINNED, FILTERS, GAUSSIAN, VOTES
from bayesieve.papers.paper_001.paper_scores import Scores
from bayesieve.papers.verdict import FAILS, HOLDS, UNKNOWN, Difference, Scale, judge, state

__all__ = ["CLAIMS", "DataSetClaim", "judge_measured", "judge_ratio", "judge_words", "measure"]

_RATES: Final = Scale("+.4f", 0.01)
_CORRELATION: Final = Scale("+.2f", 0.1)
_LEAST_SETS: Final = 5  # of a correlation
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
    DataSetClaim(
        "The four voting selectors improve recall on average over the sets: their mean less that of the filters. (Of "
        "figure 2 the paper claims less: “in many of the” problems.)",
        _between("recall", _VOTE_NAMES, _FILTER_NAMES),
    ),
    DataSetClaim(
        "The four voting selectors improve accuracy on average over the sets (likewise).",
        _between("accuracy", _VOTE_NAMES, _FILTER_NAMES),
    ),
    DataSetClaim(
        "Recall improves where there are many columns for few rows, NG and S (figures 2 and 4): mean of the four "
        "selectors.",
        _between("recall", _VOTE_NAMES, _FILTER_NAMES),
        _WIDE,
    ),
    *(
        DataSetClaim(f"Recall improves there by {each} alone.", _between("recall", (each,), _FILTER_NAMES), _WIDE)
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
        "With voting selectors logistic regression is more accurate than the linear SVM, noticeably (figure 3).",
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
    DataSetClaim(
        "Conjunctive voting is more accurate than disjunctive voting (voting schemes).", _between("accuracy", _AND, _OR)
    ),
    DataSetClaim(
        "Disjunctive voting has a higher recall than conjunctive voting (below equation 5).",
        _between("recall", _OR, _AND),
    ),
)


def measure(claim: DataSetClaim, scores: Scores) -> dict[str, Any]:
    """Return the differences of a claim, one per set, with standard errors over its folds."""
    rows: list[dict[str, Any]] = []
    for name in (name for name in scores.sets if not claim.sets or name in claim.sets):
        differences = claim.difference(scores, name)
        # The folds of a set share training rows (Nadeau and Bengio, 2003).
        error, _, _ = corrected_t(differences, 1 / (len(differences) - 1))
        rows.append(
            {"set": name, "difference": float(differences.mean()), "standard_error": error, "n": len(differences)}
        )
    return {"claim": claim.sentence, "of_few_sets": bool(claim.sets), "sets": rows}


def judge_measured(measured: dict[str, Any]) -> dict[str, Any]:
    """Judge a claim by its means per set; a claim about few sets, by the folds of each."""
    rows = measured["sets"]
    if measured["of_few_sets"]:
        differences = [
            Difference.of_error(row["set"], row["difference"], row["standard_error"], row["n"]) for row in rows
        ]
        return judge(measured["claim"], differences, _RATES, "folds")
    values = [row["difference"] for row in rows]
    verdict = judge(measured["claim"], [Difference.of_values("", values)] if values else [], _RATES, "sets")
    n_positive = sum(value > 0 for value in values)
    return (
        verdict | {"effect": f"{verdict['effect']}, positive on {n_positive} of {len(values)}"} if values else verdict
    )


def judge_ratio(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Judge whether the gain of recall grows with the number of columns per row, by Spearman's correlation."""
    rows = summary["sets"]
    if len(rows) < _LEAST_SETS:
        return []
    ratios = [row["n_columns"] / row["n_rows"] for row in rows]
    recalls = summary["figure_2"]["recall"]
    filters = {row["set"]: np.mean([recalls[row["set"]][each] for each in FILTERS]) for row in rows}
    verdicts = []
    for title, names in (("mean of the four selectors", _VOTE_NAMES), *((each, (each,)) for each in _VOTE_NAMES)):
        gains = [float(np.mean([recalls[row["set"]][each] for each in names]) - filters[row["set"]]) for row in rows]
        rho = float(spearmanr(ratios, gains).statistic)
        low, high = (float(np.tanh(np.arctanh(rho) + side * 1.96 * 1.06 / np.sqrt(len(rows) - 3))) for side in (-1, 1))
        verdict = HOLDS if low > 0 else FAILS if high < _CORRELATION.margin else UNKNOWN
        claim = f"The gain of recall grows with the ratio of columns to rows: Spearman's correlation, {title}."
        interval = f"{_CORRELATION.write(low)} to {_CORRELATION.write(high)}"
        verdicts.append(state(claim, verdict, _CORRELATION.write(rho), f"{len(rows)} sets", interval))
    return verdicts


def judge_words(words: dict[str, Any]) -> list[dict[str, Any]]:
    """Judge on every word table, by its folds, whether each voting selector raises or lowers recall and precision."""
    rows = []
    for key, signs in (
        ("recall", {"CVL": 1, "DVE": 1, "CVE": -1, "DVL": -1}),
        ("precision", {"CVL": -1, "DVE": -1, "CVE": 1, "DVL": 1}),
    ):
        for name, sign in signs.items():
            differences = [
                Difference.of_error(title, sign * gain["mean"], gain["standard_error"], gain["n"])
                for title, each in words.items()
                for gain in (each["gains"][name][key],)
            ]
            verb = "raises" if sign > 0 else "lowers"
            rows.append(judge(f"{name} {verb} the {key} of naive Bayes, on each table.", differences, _RATES, "folds"))
    return rows
