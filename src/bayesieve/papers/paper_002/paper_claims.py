# SPDX-License-Identifier: BSD-3-Clause
"""The claims of the chapter's text, judged on the sets that are present."""

from collections.abc import Sequence
from math import sqrt
from statistics import mean
from typing import Any, Final

from bayesieve.papers.paper_002.printed import LATER_WINNERS, SETS, WINNERS
from bayesieve.papers.verdict import FAILS, HOLDS, UNKNOWN, Difference, Scale, judge, judge_cases, state, unknown

__all__ = ["ESNB", "LANGLEY_SAGE", "ablation_sets", "dominated_by", "judge_ablation", "judge_text", "wilson"]

Record = dict[str, Any]

_FIVE_MINUTES: Final = 300.0
_LEAST_SETS: Final = 4  # of the five, from which something about their mean is concluded
_RATES: Final = Scale("+.4f", 0.01)
_POINTS: Final = Scale("+.1f", 1.0)
_FEW_PROBES: Final = 0.01  # share of divided probes below which they are detected efficiently
_MANY: Final = 2.0  # times as many features are significantly more
ESNB: Final = ("modl", "lift", "chi2")
LANGLEY_SAGE: Final = ("gaussian", "accuracy may stay", "half")


def judge_text(summary: Record) -> list[Record]:
    """Return the verdicts on the text of section 25.4."""
    esnb = {row["set"]: row for row in summary["challenge"] if row["variant"] == "ESNB"}
    if not esnb:
        return []
    return [
        _few_columns(esnb),
        _fast(esnb),
        _more_rows(esnb, {row["set"]: row for row in summary["later"]}),
        unknown(
            "With training and validation rows it keeps fewer probes (1 instead of 3), and the balanced error falls "
            "from 19.85 to 18.25 %.",
            "neither the organizers' probes nor the labels of the test rows are public",
        ),
        _detects(summary["noise"]),
        *_about_perceptron(summary),
        _price_of_accuracy(),
    ]


def _enough(row: Record, n_sets: int) -> Record:
    """Return a row, without a conclusion if there are few of the five sets."""
    return row if n_sets >= _LEAST_SETS else {**row, "verdict": UNKNOWN}


def _few_columns(esnb: dict[str, Record]) -> Record:
    share = mean(100 * row["n_columns"] / row["n_table"] for row in esnb.values())
    printed = mean(SETS[name].esnb.features for name in esnb)
    row = state(
        "Small numbers of selected features, on average 1 % of the input variables.",
        HOLDS if share <= 1.5 else FAILS,
        f"{share:.2f} %, where the chapter has {printed:.2f} % on the same sets, and 1.02 % on all five",
        f"{len(esnb)} of 5 sets",
    )
    return _enough(row, len(esnb))


def _fast(esnb: dict[str, Record]) -> Record:
    slowest = max(esnb.values(), key=lambda row: row["seconds"])
    row = state(
        "A low computation time, on average 5 minutes per set.",
        HOLDS if slowest["seconds"] <= _FIVE_MINUTES else FAILS,
        f"{slowest['seconds']:.0f} s at most ({slowest['set']}), without reading, on a computer of today",
        f"{len(esnb)} of 5 sets",
    )
    return _enough(row, len(esnb))


def _more_rows(esnb: dict[str, Record], later: dict[str, Record]) -> Record:
    claim = "With training and validation rows it selects more features (321 instead of 252)."
    names = [name for name in later if name in esnb]
    if not names:
        return unknown(claim, "its data are missing")
    before, after = (sum(rows[name]["n_columns"] for name in names) for rows in (esnb, later))
    printed = sum(SETS[name].size for name in names), sum(SETS[name].later_size for name in names)
    n_more = sum(later[name]["n_columns"] > esnb[name]["n_columns"] for name in names)
    row = state(
        claim,
        HOLDS if after > before else FAILS,
        f"{after} instead of {before}, more on {n_more} of them; the chapter has {printed[1]} instead of {printed[0]} "
        "there",
        f"{len(names)} of 5 sets",
    )
    return _enough(row, len(names))


def _detects(rows: Sequence[Record]) -> Record:
    """Judge the share of probes with more than one interval, by the upper limits of Wilson's intervals."""
    claim = "MODL is very efficient at detecting probes; here: at most 1 % of them have more than one interval."
    if not rows:
        return unknown(claim, "its data are missing")
    worst = max(rows, key=lambda row: row["n_divided"] / row["n_probes"])
    intervals = [wilson(row["n_divided"], row["n_probes"]) for row in rows]
    low, high = wilson(worst["n_divided"], worst["n_probes"])
    verdict = HOLDS if all(each[1] < _FEW_PROBES for each in intervals) else UNKNOWN
    if any(each[0] > _FEW_PROBES for each in intervals):
        verdict = FAILS
    total = sum(row["n_probes"] for row in rows)
    effect = f"{worst['n_divided'] / worst['n_probes']:.2%} at most ({worst['set']})"
    return state(claim, verdict, effect, f"{total:,} probes of {len(rows)} sets", f"{low:.2%} to {high:.2%}")


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z = 1.959964
    center, spread = (k + z * z / 2) / (n + z * z), z / (n + z * z) * sqrt(k * (n - k) / n + z * z / 4)
    return max(center - spread, 0.0), min(center + spread, 1.0)


def _about_perceptron(summary: Record) -> list[Record]:
    claims = (
        "ESNB with a perceptron largely improves the results of ESNB: points of balanced error less.",
        "50 hidden neurons are best for MADELON, 1 for the other sets.",
        "ESNB with a perceptron is on the Pareto curve of error and number of features.",
    )
    rows = summary["perceptron"]
    if not rows:
        return [unknown(claim, "its data are missing") for claim in claims]
    gains = [
        Difference.of_values(row["set"], [100 * each for each in row["gains"]], 1 / (len(row["gains"]) - 1))
        for row in rows
        if len(row["gains"]) > 1
    ]
    wanted = {row["set"]: 50 if row["set"] == "madelon" else 1 for row in rows}
    same = sum(size == wanted[row["set"]] for row in rows for size in row["hidden"])
    better = {row["set"]: dominated_by(row, summary["challenge"]) for row in rows}
    named = [f"{name}: {each}" for name, each in better.items() if each]
    return [
        judge(claims[0], gains, _POINTS, "folds"),
        unknown(
            claims[1],
            f"the chapter's training, with orthogonal weight decay, is not at hand; with ours {same} of "
            f"{sum(len(row['hidden']) for row in rows)} folds choose these numbers",
        ),
        unknown(
            claims[2],
            "the other entries of the challenge are not public; of our methods and the printed winners, those with "
            f"both fewer columns and a lower error: {'; '.join(named) or 'none'}",
        ),
    ]


def _price_of_accuracy() -> Record:
    """Judge the printed tables: per set, whether the winner has a lower error with significantly more features."""
    pairs = {name: (LATER_WINNERS[name], each.perceptron) for name, each in SETS.items()}
    agree = [
        name for name, (winner, ours) in pairs.items()
        if winner.ber < ours.ber and winner.features >= _MANY * ours.features
    ]  # fmt: skip
    ratio = max(ours.ber / winner.ber for winner, ours in pairs.values())
    others = ", ".join(
        f"{name} {pairs[name][0].ber:.2f} % with {pairs[name][0].features:g} % of the features against "
        f"{pairs[name][1].ber:.2f} % with {pairs[name][1].features:g} %"
        for name in pairs
        if name not in agree
    )
    return judge_cases(
        "Many methods have a better error rate, up to twice better, but at the expense of significantly more features.",
        len(agree), len(pairs),
        f"printed winners have a lower error with at least twice the features; not {others}; errors are up to "
        f"{ratio:.1f} times lower; the other entries are not public",
    )  # fmt: skip


def dominated_by(row: Record, others: Sequence[Record]) -> str:
    """Return the methods that have fewer columns and a lower error on the same set."""
    name, n_table = row["set"], row["n_table"]
    points = [(each["variant"], each["ber"], each["n_columns"]) for each in others if each["set"] == name]
    for title, winners in (("winner", WINNERS), ("later winner", LATER_WINNERS)):
        points.append((title, winners[name].ber / 100, winners[name].features / 100 * n_table))
    return ", ".join(title for title, ber, size in points if ber < row["ber"] and size < row["n_columns"])


def judge_ablation(sets: Sequence[Record]) -> list[Record]:
    """Return the verdicts on ESNB's enhancements, over the sets of the ablation."""
    about = (
        ("ESNB has a lower balanced error than Langley and Sage's selective naive Bayes.", LANGLEY_SAGE, ESNB, "ber"),
        ("ESNB has a higher AUC than Langley and Sage's selective naive Bayes.", ESNB, LANGLEY_SAGE, "auc"),
        (
            "MODL has a lower balanced error than normal distributions, all else being ESNB's.",
            ("gaussian", "lift", "chi2"), ESNB, "ber",
        ),
        (
            "MODL has a lower balanced error than ten intervals of equal width, all else being ESNB's.",
            ("equal_width", "lift", "chi2"), ESNB, "ber",
        ),
        (
            "The lift criterion has a lower balanced error than the accuracy, all else being ESNB's.",
            ("modl", "accuracy", "chi2"), ESNB, "ber",
        ),
        (
            "The threshold by chi-square has a lower balanced error than one half, all else being ESNB's.",
            ("modl", "lift", "half"), ESNB, "ber",
        ),
        (
            "Ten intervals of equal width have a lower error than normal distributions (section 25.2): by accuracy, "
            "threshold one half, balanced error.",
            ("gaussian", "accuracy", "half"), ("equal_width", "accuracy", "half"), "ber",
        ),
    )  # fmt: skip
    rows = []
    for claim, larger, smaller, measure in about:
        pairs = [(_look_up(each, larger, measure), _look_up(each, smaller, measure)) for each in sets]
        values = [a - b for a, b in pairs if a is not None and b is not None]
        rows.append(judge(claim, [Difference.of_values("", values)] if values else [], _RATES, "sets"))
    return rows


def ablation_sets(sets: Sequence[Record], names: tuple[str, str, str]) -> dict[str, Record]:
    """Return columns, balanced error and AUC of a combination per set, where there is one."""
    found = {}
    for each in sets:
        ber, auc, n_columns = (_look_up(each, names, key) for key in ("ber", "auc", "n_columns"))
        if ber is not None:
            found[each["set"]] = {"ber": ber, "auc": auc, "n_columns": n_columns}
    return found


def _look_up(each: Record, names: tuple[str, str, str], measure: str) -> float | None:
    bins, criterion, threshold = names
    for row in each["rows"]:
        if (row["bins"], row["criterion"]) == (bins, criterion):
            return float(row[threshold if measure == "ber" else measure])
    return None
