# SPDX-License-Identifier: BSD-3-Clause
"""The claims of the text of paper 002, each with a verdict and the figures that it rests on."""

from collections.abc import Sequence
from statistics import mean
from typing import Any, Final

import numpy as np

from bayesieve.papers.paper_002.printed import LATER_WINNERS, OVERALL, SETS, WINNERS

__all__ = ["dominated_by", "verdicts"]

Record = dict[str, Any]

_FIVE_MINUTES: Final = 300.0


def verdicts(summary: Record) -> list[Record]:
    """Return claim, verdict and figures of every claim; a claim whose rows are missing is left out."""
    esnb = {row["set"]: row for row in summary["challenge"] if row["variant"] == "ESNB"}
    later = {row["set"]: row for row in summary["later"]}
    found = [_few_columns(esnb), _fast(esnb)] if esnb else []
    if both := [name for name in later if name in esnb]:
        found += [_more_rows(both, esnb, later)]
    if esnb:
        found += [
            {
                "claim": "With training and validation rows it keeps fewer probes (1 instead of 3), and the balanced "
                "error falls from 19.85 to 18.25 %.",
                "verdict": "undecided",
                "figures": "neither the organizers' probes nor the labels of the test rows are public",
            }
        ]
    if summary["probes"]:
        found += [_few_probes([row for row in summary["probes"] if row["variant"] == "ESNB"])]
    if summary["perceptron"]:
        found += [_perceptron_improves(summary["perceptron"]), _hidden(summary["perceptron"])]
        found += [_pareto(summary)]
    return [*found, _price_of_accuracy()] if found else []


def _few_columns(esnb: dict[str, Record]) -> Record:
    share = mean(100 * row["n_columns"] / row["n_table"] for row in esnb.values())
    printed = mean(SETS[name].esnb.features for name in esnb)
    return {
        "claim": "Small numbers of selected features, on average 1 % of the input variables.",
        "verdict": "holds" if share <= 1.5 else "does not hold",
        "figures": f"{share:.2f} % on {len(esnb)} sets, where the paper has {printed:.2f} % (1.02 % on five)",
    }


def _fast(esnb: dict[str, Record]) -> Record:
    slowest = max(esnb.values(), key=lambda row: row["seconds"])
    return {
        "claim": "A low computation time, on average 5 minutes per set.",
        "verdict": "holds" if slowest["seconds"] <= _FIVE_MINUTES else "does not hold",
        "figures": f"{slowest['seconds']:.1f} s at most ({slowest['set']}), without reading",
    }


def _more_rows(names: Sequence[str], esnb: dict[str, Record], later: dict[str, Record]) -> Record:
    before, after = (sum(rows[name]["n_columns"] for name in names) for rows in (esnb, later))
    printed = sum(SETS[name].size for name in names), sum(SETS[name].later_size for name in names)
    return {
        "claim": "With training and validation rows it selects more features (321 instead of 252).",
        "verdict": "holds" if after > before else "does not hold",
        "figures": f"{after} instead of {before} on {len(names)} sets, where the paper has {printed[1]} instead of "
        f"{printed[0]}",
    }


def _few_probes(rows: Sequence[Record]) -> Record:
    """Compare the mean share of probes with that of the chapter on the same sets."""
    shares = [row["n_probes"] / max(row["n_probes"] + row["n_real"], 1) for row in rows]
    printed = mean(SETS[row["set"]].esnb.probes for row in rows)
    shown = ", ".join(f"{row['set']} {row['n_probes']} of {row['n_probes'] + row['n_real']}" for row in rows)
    return {
        "claim": "MODL is very efficient at detecting probes.",
        "verdict": "holds" if 100 * mean(shares) <= printed else "does not hold",
        "figures": f"probes among the selected columns where half of all columns are probes: {shown}; "
        f"{mean(shares):.1%} on average, where the paper has {printed:.1f} % with the organizers' probes",
    }


def _price_of_accuracy() -> Record:
    winner, ours = LATER_WINNERS["overall"], OVERALL["perceptron"]
    return {
        "claim": "Many methods have a lower error, up to half of it, with many more features.",
        "verdict": "holds in the printed tables",
        "figures": f"the winner has a balanced error of {winner.ber} % with {winner.features} % of the features, ESNB "
        f"with a perceptron {ours.ber} % with {ours.features} %; the other entries are not public",
    }


def _perceptron_improves(rows: Sequence[Record]) -> Record:
    gains = {row["set"]: np.array(row["gains"]) for row in rows if row["gains"]}
    shown, clear = [], []
    for name, each in gains.items():
        error = float(each.std(ddof=1) / np.sqrt(len(each))) if len(each) > 1 else np.inf
        shown.append(f"{name} {100 * each.mean():+.1f} ± {100 * error:.1f}")
        clear.append(float(each.mean()) > 2 * error)
    verdict = "holds" if clear and all(clear) else "holds on some sets" if any(clear) else "undecided"
    return {
        "claim": "ESNB with a perceptron largely improves the results of ESNB.",
        "verdict": verdict,
        "figures": f"balanced error, points less on the same test folds: {', '.join(shown) or 'none'}",
    }


def _hidden(rows: Sequence[Record]) -> Record:
    wanted = {row["set"]: 50 if row["set"] == "madelon" else 1 for row in rows}
    same = sum(size == wanted[row["set"]] for row in rows for size in row["hidden"])
    total = sum(len(row["hidden"]) for row in rows)
    return {
        "claim": "50 hidden neurons are best for MADELON, 1 for the other sets.",
        "verdict": "holds" if same == total else "holds in part" if 2 * same >= total else "does not hold",
        "figures": f"{same} of {total} folds choose these numbers",
    }


def _pareto(summary: Record) -> Record:
    better = {row["set"]: dominated_by(row, summary["challenge"]) for row in summary["perceptron"]}
    named = [f"{name}: {each}" for name, each in better.items() if each]
    return {
        "claim": "ESNB with a perceptron is on the Pareto curve of error and number of features.",
        "verdict": "undecided",
        "figures": "the other entries of the challenge are not public; with fewer columns and a lower error, of our "
        f"methods and the printed winners: {'; '.join(named) or 'none'}",
    }


def dominated_by(row: Record, others: Sequence[Record]) -> str:
    """Return the methods that have fewer columns and a lower error on the same set."""
    name, n_table = row["set"], row["n_table"]
    points = [(each["variant"], each["ber"], each["n_columns"]) for each in others if each["set"] == name]
    for title, winners in (("winner", WINNERS), ("later winner", LATER_WINNERS)):
        points.append((title, winners[name].ber / 100, winners[name].features / 100 * n_table))
    return ", ".join(title for title, ber, size in points if ber < row["ber"] and size < row["n_columns"])
