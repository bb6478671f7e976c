# SPDX-License-Identifier: BSD-3-Clause
"""The claims of paper 000: what the published targets decide, and the rest on other campaigns."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from bayesieve.papers.claim import Claim, judge_claim
from bayesieve.papers.paper_000.printed import EVERYONE, PRINTED, WINNER
from bayesieve.papers.verdict import FAILS, HOLDS, Difference, Scale, judge, judge_cases, judge_none, state, unknown

__all__ = ["OURS", "THEIRS", "judge_campaigns", "judge_library", "judge_published"]

Row = dict[str, Any]

_FORWARD: Final = ("5 forward", "10 forward", "20 forward", "forward, size by folds, MODL")
_OTHERS: Final = ("7 hand-selected", "all columns")
_CALIBRATED: Final = ("5 boosted, logit, MODL", "5 boosted, brier, MODL")
_CONFIDENT: Final = ("5 boosted", "5 boosted, confidence, MODL")
_EARLY: Final = 10  # a minimum at more columns than that is not early
_SCALES: Final = {
    "mse_test": Scale("+.5f", 0.0001),
    "true_profit": Scale("+,.0f", 100),
    "gap_closed": Scale("+.3f", 0.01),
}
_RATIO: Final = Scale("+.3f", 0.01)
_SHARES: Final = {"donor": 1.0}  # test rows per training row of units that share rows: halves of one table


def _all(quantity: str, *, forward_is_larger: bool) -> tuple[tuple[str, str, str], ...]:
    pairs = [(ours, other) for ours in _FORWARD for other in _OTHERS]
    return tuple((quantity, *(pair if forward_is_larger else pair[::-1])) for pair in pairs)


THEIRS: Final = (
    Claim(
        "Using all columns yields a very high MSE: a higher one than the class frequencies alone (section 4).",
        (("mse_test", "all columns", "prior"),),
    ),
    Claim(
        "Forward selection has a lower MSE than all columns and the seven (table 3).",
        _all("mse_test", forward_is_larger=False),
    ),
    Claim(
        "Forward selection earns more than all columns and the seven (table 3).",
        _all("true_profit", forward_is_larger=True),
    ),
    Claim(
        "Beyond the minimum the test MSE rises: 20 columns against 5 (figure 1).",
        (("mse_test", "20 forward", "5 forward"),),
    ),
)
"""Claims of the paper about rows of its table."""

OURS: Final = (
    Claim(
        "Calibrated boosting, the paper's future work, has a lower MSE than boosting by confidence.",
        tuple(("mse_test", other, ours) for ours in _CALIBRATED for other in _CONFIDENT),
    ),
    Claim(
        "Calibrated boosting earns more than boosting by confidence.",
        tuple(("true_profit", ours, other) for ours in _CALIBRATED for other in _CONFIDENT),
    ),
    Claim(
        "Calibration earns more on the columns of forward selection.",
        (("true_profit", "forward, size by folds, calibrated, MODL", "forward, size by folds, MODL"),),
    ),
    Claim(
        "Choosing columns by their benefit earns more than by the Brier score.",
        (("true_profit", "benefit, size by folds, calibrated, MODL", "forward, size by folds, calibrated, MODL"),),
    ),
    Claim(
        "SelectiveNaiveBayes with its own number of columns earns more than every row of forward selection and "
        "boosting.",
        tuple(
            ("true_profit", "SelectiveNaiveBayes, MODL", other)
            for other in (
                *_FORWARD,
                *_OTHERS,
                *_CONFIDENT,
                *_CALIBRATED,
                "5 boosted, real, MODL",
                "forward, size by folds, calibrated, MODL",
                "benefit, size by folds, calibrated, MODL",
            )
        ),
    ),
    Claim(
        "SelectiveNaiveBayes closes more than half of the gap between a letter to everyone and the truth.",
        (("gap_closed", "SelectiveNaiveBayes, MODL", "half"),),
    ),
)
"""Claims about methods of this library."""


def judge_published(summary: Row) -> list[Row]:
    """Return the verdicts on KDD Cup 1998 itself: its targets were published, and its columns are not at hand."""
    rows = []
    if targets := summary["targets"]:
        n_people, n_gifts = targets["n_people"], targets["n_gifts"]
        everyone = targets["everyone_cents"] / 100
        outside = targets["below_1"] + targets["above_200"]
        in_range = (targets["smallest"], targets["largest"]) == (1, 200)
        rows = [
            state(
                "Soliciting every individual in the test set earns $10,560 (section 2).",
                HOLDS if round(everyone) == EVERYONE else FAILS, f"${everyone:,.2f}", f"all {n_people:,} people",
            ),
            state(
                "About 5 % of the potential recipients donate (section 2).",
                HOLDS if round(100 * n_gifts / n_people) == 5 else FAILS,
                f"{100 * n_gifts / n_people:.2f} %", f"all {n_people:,} people",
            ),
            state(
                "The donation amount varies from $1 to $200 (section 2).", HOLDS if in_range else FAILS,
                f"${targets['smallest']:.2f} to ${targets['largest']:.0f}; {outside} gifts lie outside of $1 to $200",
                f"all {n_gifts:,} gifts",
            ),
        ]  # fmt: skip
    if real := summary["real"]:
        profit = next(row["profit_test"] for row in real["rows"] if row["method"] == "10 forward")
        return [*rows, _about_winner(profit)]
    reason = f"needs the columns of KDD Cup 1998; printed: $14,443 against ${WINNER:,.0f}"
    return [
        *rows,
        unknown("Ten forward columns earn about as much as the winner of the competition (section 4).", reason),
        unknown("Table 3 and figures 1 and 2, as printed.", "needs the columns of KDD Cup 1998"),
    ]


def _about_winner(profit: float) -> Row:
    claim = "Ten forward columns earn about as much as the winner of the competition (section 4): 95 % of it."
    verdict = HOLDS if profit >= 0.95 * WINNER else FAILS
    return state(claim, verdict, f"${profit:,.0f} against ${WINNER:,.0f}", "one test set")


def judge_campaigns(summary: Row, kind: str, units: str) -> list[Row]:
    """Return the verdicts on the paper's claims, on campaigns of one kind."""
    table, share = summary[kind], _SHARES.get(kind, 0.0)
    counts = table["counts"]
    rows = [_judged(each, units, share) for each in table["claims"]]
    rows += _judge_rankings(summary["paths"].get(kind), share, units)
    forward, boosted = counts["forward"], counts["boosted"]
    n = len(forward["places"])
    rows += [
        judge_cases(
            "The MSE on the training set decreases with every column of forward selection (figure 1).",
            forward["n_true"], forward["n_steps"], "steps",
        ),
        judge_cases(
            f"The MSE on the test set has a minimum after the first column and early, at 2 to {_EARLY} (figure 1).",
            sum(1 < place <= _EARLY for place in forward["places"]), n,
            f"{units}: minimum at {_range(forward['places'])}, in the paper at 4",
        ),
        judge_cases(
            "The MSE on the training set increases with every boosted column (figure 2).",
            boosted["n_true"], boosted["n_steps"], "steps",
        ),
        judge_cases(
            "The MSE on the test set decreases slightly at first with boosting (figure 2).",
            sum(place > 1 for place in boosted["places"]), n,
            f"{units}: minimum at {_range(boosted['places'])}, in the paper at 5",
        ),
    ]  # fmt: skip
    rows.append(_judge_overfitting(summary["paths"].get(kind), share, units))
    if correlations := counts.get("correlations"):
        low, high = correlations["lowest"], correlations["highest"]
        rows.append(
            judge_cases(
                "There is a correlation between MSE and profit, but it is not perfect (section 4).",
                correlations["n"] if low > -1 and high < 0 else 0, correlations["n"],
                f"{units}: correlation of log MSE and profit over the six rows {low:+.2f} to {high:+.2f}, in the "
                f"paper's table {_printed_correlation():+.2f}",
            )
        )  # fmt: skip
    return rows if n > 1 else [_only_one(row) for row in rows]


def _only_one(row: Row) -> Row:
    """Return the row of a claim for which there is a single campaign, from which nothing is concluded."""
    return {**unknown(row["claim"], row["effect"]), "n": row["n"] or "1"}


def _judge_overfitting(paths: Row | None, share: float, units: str) -> Row:
    """Judge whether test and training error stay as far apart."""
    claim = (
        "Naive Bayes does not overfit: its performance on the training set reflects that on new examples (section "
        "3.1). Growth of the distance of test and training MSE from 1 to 20 columns."
    )
    growths = [Difference.of_values("", paths["gap_growths"], share)] if paths else []
    return judge_none(claim, growths, _SCALES["mse_test"], units)


def _judge_rankings(paths: Row | None, share: float, units: str) -> list[Row]:
    """Judge whether the redundancy of all columns harms ranking and classes less than probabilities."""
    claims = [
        f"Correlated columns do not hurt {what} as much as the probability estimates (section 1): log ratio of MSE "
        f"less that of {loss}, all columns against 10 forward."
        for what, loss in (("ranking", "1 - AUC"), ("the 0-1 classification error", "the error"))
    ]
    if not paths:
        return [unknown(claim, "its data are missing") for claim in claims]
    few, every = (paths["rankings"][name] for name in ("10 forward", "all columns"))
    mse = np.log(np.array(every["mse"]) / np.array(few["mse"]))
    ranking = np.log((1 - np.array(every["auc"])) / (1 - np.array(few["auc"])))
    error = np.log(np.array(every["error"]) / np.array(few["error"]))
    shown = [
        f"AUC {np.mean(few['auc']):.3f} to {np.mean(every['auc']):.3f}",
        f"error {np.mean(few['error']):.3f} to {np.mean(every['error']):.3f}",
    ]
    mses = f"MSE {np.mean(few['mse']):.3f} to {np.mean(every['mse']):.3f}"
    rows = []
    for claim, values, text in zip(claims, (mse - ranking, mse - error), shown, strict=True):
        row = judge(claim, [Difference.of_values("", values, share)], _RATIO, units)
        rows.append(row | {"effect": f"{row['effect']}; {text}, {mses}"})
    return rows


def judge_library(summary: Row, kind: str, units: str) -> list[Row]:
    """Return the verdicts on methods of this library, on campaigns of one kind."""
    share = _SHARES.get(kind, 0.0)
    rows = [_judged(each, units, share) for each in summary[kind]["our_claims"]]
    for size, values in summary["paths"].get(kind, {"sizes": {}})["sizes"].items():
        differences = np.array(values["forward_mse"]) - np.array(values["mse_test"])
        claim = f"SelectiveNaiveBayes cut to {size} columns has a lower MSE than {size} forward columns."
        rows.append(judge(claim, [Difference.of_values("", differences, share)], _SCALES["mse_test"], units))
    if kind in summary["scorecard"]:
        claim = "The scorecard has a lower MSE than SelectiveNaiveBayes with its own number of columns."
        gains = _gains_of_scorecard(summary, kind)
        rows.append(judge(claim, [Difference.of_values("", gains, share)], _SCALES["mse_test"], units))
    return rows


def _gains_of_scorecard(summary: Row, kind: str) -> list[float]:
    """Return the MSE of SelectiveNaiveBayes less that of the scorecard, on the campaigns that have both."""
    table, card = summary[kind], summary["scorecard"][kind]
    other = next(row for row in table["rows"] if row["method"] == "SelectiveNaiveBayes")
    theirs = dict(zip(table["campaigns"], other["mse_test_values"], strict=True))
    pairs = zip(card["campaigns"], card["mse_test_values"], strict=True)
    return [theirs[campaign] - mse for campaign, mse in pairs if campaign in theirs]


def _judged(measured: Mapping[str, Any], units: str, share: float) -> Row:
    return judge_claim(measured, _SCALES, units, test_share=share)


def _range(places: list[int]) -> str:
    low, high = min(places), max(places)
    return f"{low} columns" if low == high > 1 else "1 column" if low == high else f"{low} to {high} columns"


def _printed_correlation() -> float:
    rows = PRINTED.values()
    return float(np.corrcoef(np.log([row.mse_test for row in rows]), [row.profit_test for row in rows])[0, 1])
