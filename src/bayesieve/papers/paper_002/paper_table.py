# SPDX-License-Identifier: BSD-3-Clause
"""The tables as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from math import log
from statistics import mean
from typing import Any

from bayesieve.papers.paper_002.ablation_table import ablation_lines, noise_lines
from bayesieve.papers.paper_002.paper_claims import judge_text
from bayesieve.papers.paper_002.printed import (
    ESNB_SCORES,
    LATER_WINNERS,
    OVERALL,
    PERCEPTRON_SCORES,
    SETS,
    WINNERS,
    PrintedScores,
)
from bayesieve.papers.standard_error import standard_error
from bayesieve.papers.verdict import claims_table

__all__ = ["markdown"]

Row = dict[str, Any]


_MARGINS = (
    "The smallest difference worth naming is 0.01 of a balanced error or AUC, which is a point of percentage. A "
    "difference is positive where the sentence is true."
)


def markdown(summary: Row) -> str:
    """Return all tables as Markdown."""
    lines = ["# Paper 002", ""]
    if claims := judge_text(summary):
        lines += ["## Claims of the text", "", _MARGINS, "", *claims_table(claims)]
    sections: tuple[tuple[Callable[..., list[str]], str, tuple[str, ...]], ...] = (
        (ablation_lines, "ablation", ()),
        (_challenge, "challenge", ("scorecard",)),
        (_later, "later", ()),
        (_perceptron, "perceptron", ("later_scorecard",)),
        (noise_lines, "noise", ()),
        (_probes, "probes", ()),
        (_readings, "readings", ()),
        (_folds, "folds", ("scorecard_folds",)),
    )
    for write, name, others in sections:
        if summary[name]:
            lines += write(summary[name], *(summary[other] for other in others))
    return "\n".join([*lines, ""])


def _table(head: str, rows: Sequence[str]) -> list[str]:
    return [head, "|" + "---|" * (head.count("|") - 1), *rows, ""]


def _challenge(rows: Sequence[Row], scorecards: Sequence[Row]) -> list[str]:
    return [
        "## Table 25.1: the sets of the NIPS 2003 challenge",
        "",
        "Fitted on the training rows. *Paper*: on the test rows, whose labels are not public. *Ours*: on the "
        "validation rows (± standard error). *Close*: within two standard errors of the validation rows. The other "
        "methods are successors of ESNB: see their names above.",
        "",
        *_table(
            "| set | method | columns | % | BER % | AUC % | log loss | seconds (reading) | paper: columns, BER, AUC | "
            "close |",
            [
                *(_challenge_line(row) for row in rows),
                *(["| *not in the chapter:* | | | | | | | | | |"] if scorecards else []),
                *(_scorecard_line(row) for row in scorecards),
            ],
        ),
        *_overall(rows, scorecards),
    ]


def _scorecard_line(row: Row) -> str:
    return (
        f"| {row['set']} | **scorecard** | {row['n_columns']} | {100 * row['n_columns'] / row['n_table']:.2f} | "
        f"{100 * row['ber']:.2f} ± {100 * row['ber_spread']:.2f} | {100 * row['auc']:.2f} | {row['log_loss']:.3f} | "
        f"{row['seconds']:.1f} |  |  |"
    )


def _overall(rows: Sequence[Row], scorecards: Sequence[Row]) -> list[str]:
    """Return the row OVERALL of each method, and the paper's table with its scores and the winning entry."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    methods = [name for name in dict.fromkeys(row["variant"] for row in rows)]
    complete = [each for each in methods if len([row for row in rows if row["variant"] == each]) == len(sets)]
    lines = []
    for method in complete:
        own = [row for row in rows if row["variant"] == method]
        ber, auc = (mean(100 * row[key] for row in own) for key in ("ber", "auc"))
        share = mean(100 * row["n_columns"] / row["n_table"] for row in own)
        lines.append(f"| {method}, ours | {ber:.2f} | {auc:.2f} | {share:.2f} |")
    printed = [SETS[name].esnb for name in sets]
    means = (mean(getattr(each, key) for each in printed) for key in ("ber", "auc", "features"))
    lines.append(f"| ESNB, paper, the same sets | {' | '.join(f'{value:.2f}' for value in means)} |")
    if len(scorecards) == len(sets):
        ber, auc = (mean(100 * row[key] for row in scorecards) for key in ("ber", "auc"))
        share = mean(100 * row["n_columns"] / row["n_table"] for row in scorecards)
        lines += ["| *not in the chapter:* | | | |", f"| **scorecard** | {ber:.2f} | {auc:.2f} | {share:.2f} |"]
    return [
        f"OVERALL: means over {len(sets)} sets ({', '.join(sets)}). Probes among ours are in a table below."
        if len(sets) > 1
        else f"One set, {sets[0]}.",
        "",
        *_table("| method | BER % | AUC % | columns % |", lines),
        *_printed(ESNB_SCORES, {**{name: SETS[name].esnb for name in SETS}, "overall": OVERALL["ESNB"]}, WINNERS),
    ]


def _printed(
    scores: Mapping[str, float], own: Mapping[str, PrintedScores], winners: Mapping[str, PrintedScores]
) -> list[str]:
    """Return the paper's own table, as printed."""

    def cells(each: PrintedScores, score: float) -> str:
        return f"{score:.2f} | {each.ber:.2f} | {each.auc:.2f} | {each.features:g} | {each.probes:g}"

    names = ["overall", *sorted(name for name in own if name != "overall")]
    return [
        "As printed. *Score* is the challenge's, from significance tests against all other entries, whose predictions "
        "are not public: it cannot be computed again. *w*: the winning entry.",
        "",
        *_table(
            "| set | Score | BER | AUC | Feat | Probe | w Score | w BER | w AUC | w Feat | w Probe |",
            [f"| {n} | {cells(own[n], scores[n])} | {cells(winners[n], winners[n].score)} |" for n in names],
        ),
    ]


def _later(rows: Sequence[Row]) -> list[str]:
    return [
        "## ESNB on training and validation rows (December 8th)",
        "",
        "The labels of the test rows are not public, so only the selection can be compared.",
        "",
        *_table(
            "| set | columns | paper | seconds |",
            [
                f"| {row['set']} | {row['n_columns']} | {row['printed_columns']} | {row['seconds']:.1f} |"
                for row in rows
            ],
        ),
    ]


def _readings(rows: Sequence[Row]) -> list[str]:
    """Return the table of what the paper leaves open, the reading nearest to it on all sets first."""
    sets = [row["set"] for row in rows]
    sizes = {title: [row["sizes"][title] for row in rows] for title in rows[0]["sizes"]}
    printed = [SETS[name].size for name in sets]
    distance = {
        title: sum(abs(log(max(size, 1) / target)) for size, target in zip(each, printed, strict=True))
        for title, each in sizes.items()
    }
    ranked = sorted(sizes, key=lambda title: distance[title])
    nearest = [title for title in ranked if f"{distance[title]:.2f}" == f"{distance[ranked[0]]:.2f}"]
    equal = [sum(size == target for size, target in zip(sizes[title], printed, strict=True)) for title in nearest]
    shown = " and ".join(f"*{title}* (equal on {n} of {len(sets)})" for title, n in zip(nearest, equal, strict=True))
    return [
        "## What the paper leaves open",
        "",
        "Columns that ESNB selects from the training rows under each reading, by a program of plain loops that shares "
        "the bins with the library. *Distance*: the sum over sets of the absolute log ratio to the paper. "
        f"Nearest on all sets at once: {shown}.",
        "",
        *_table(
            f"| reading | {' | '.join(sets)} | distance |",
            [
                f"| paper | {' | '.join(map(str, printed))} | |",
                *(f"| {title} | {' | '.join(map(str, sizes[title]))} | {distance[title]:.2f} |" for title in ranked),
            ],
        ),
    ]


def _challenge_line(row: Row) -> str:
    printed = close = ""
    if "printed_ber" in row:
        printed = f"{row['printed_columns']}, {100 * row['printed_ber']:.2f}, {100 * row['printed_auc']:.2f}"
        close = f"{'yes' if row['is_close'] else 'no'} (± {100 * row['tolerance']:.1f})"
    return (
        f"| {row['set']} | {row['variant']} | {row['n_columns']} | {100 * row['n_columns'] / row['n_table']:.2f} | "
        f"{100 * row['ber']:.2f} ± {100 * row['ber_spread']:.2f} | {100 * row['auc']:.2f} | {row['log_loss']:.3f} | "
        f"{row['seconds']:.1f} ({row['reading_seconds']:.1f}) | {printed} | {close} |"
    )


def _perceptron(rows: Sequence[Row], scorecards: Sequence[Row]) -> list[str]:
    return [
        "## Table 25.2: ESNB's columns for a multi-layer perceptron",
        "",
        "*Ours*: each of five folds of training and validation rows is the test set once. Hidden neurons: 1, 5, 10, "
        "25 or 50, the number with the lowest balanced error on the validation rows of the training. Ours is trained "
        "otherwise than the chapter's, whose back-propagation is regularized with orthogonal weight decay: by Adam, "
        "with an L2 penalty of 0.01, on standardized columns, until the loss of the validation rows is lowest; a row "
        "is positive if its probability exceeds the share of the positive class. *ESNB*: on the same folds. ±: "
        "standard errors over the folds, which share training rows.",
        "",
        *_table(
            "| set | columns | ESNB BER % | BER % | AUC % | hidden: folds | paper: columns, BER, AUC |",
            [
                f"| {row['set']} | {row['n_columns']:.0f} | {100 * (row['ber'] + mean(row['gains'])):.2f} | "
                f"{100 * row['ber']:.2f} ± {100 * row['ber_standard_error']:.2f} | {100 * row['auc']:.2f} | "
                f"{_per_size(row['hidden'])} | {row['printed_columns']}, {100 * row['printed_ber']:.2f}, "
                f"{100 * row['printed_auc']:.2f} |"
                for row in rows
            ]
            + (["| *not in the chapter:* | | | | | | |"] if scorecards else [])
            + [
                f"| {row['set']}, **scorecard** | {row['n_columns']:.0f} | | {100 * row['ber']:.2f} ± "
                f"{100 * row['ber_standard_error']:.2f} | {100 * row['auc']:.2f} | | |"
                for row in scorecards
            ],
        ),
        *_printed(
            PERCEPTRON_SCORES,
            {**{name: SETS[name].perceptron for name in SETS}, "overall": OVERALL["perceptron"]},
            LATER_WINNERS,
        ),
    ]


def _probes(rows: Sequence[Row]) -> list[str]:
    return [
        "## Probes among the selected columns",
        "",
        "The organizers' probes are not public and remain among the columns that count as real here. One probe per "
        "column is added, also per probe of the organizers.",
        "",
        *_table(
            "| set | method | real | probes | probes % | paper's ESNB: probes % | other irrelevant columns %, "
            "estimated |",
            [
                f"| {row['set']} | {row['variant']} | {row['n_real']} | {row['n_probes']} | "
                f"{100 * row['probe_share']:.1f} | {100 * row['printed_share']:.1f} | "
                f"{100 * row['false_discovery_rate']:.1f} |"
                for row in rows
            ],
        ),
    ]


def _folds(folds: Row, scorecard: Row) -> list[str]:
    if not folds["rows"]:
        return []
    reference, paired = folds["reference"], ("auc", "log_loss", "brier", "ber")
    titles = {"auc": "AUC", "log_loss": "log loss", "brier": "Brier", "ber": "BER"}
    heads = " | ".join(f"{titles[measure]} - {reference}" for measure in paired)
    sets = " | ".join(folds["sets"])
    return [
        "## UCI sets",
        "",
        f"Not in the chapter: means over {_sets(folds['sets'])}, {folds['n_folds']} "
        f"folds{_times(folds['n_repeats'])}. Differences are means over sets, and their standard errors are over "
        "sets, since the folds of a set share training rows. Folds are drawn once; the difference on a single set "
        "depends on the draw.",
        "",
        *_table(
            f"| method | AUC | log loss | Brier | BER | columns | seconds | {heads} |",
            [*(_folds_line(row, paired) for row in folds["rows"]), *_scorecard_folds(folds, scorecard, paired)],
        ),
        f"Log loss per set, and below it the difference to {reference}.",
        "",
        *_table(
            f"| method | {sets} |",
            [line for row in folds["rows"] for line in _set_lines(row, folds["sets"])]
            + _scorecard_sets(folds, scorecard),
        ),
    ]


def _per_size(hidden: Sequence[int]) -> str:
    """Return how many folds have each number of hidden neurons."""
    return "; ".join(f"{size}: {hidden.count(size)}" for size in sorted(set(hidden)))


def _times(n: int) -> str:
    return "" if n == 1 else f", {n} times"


def _sets(names: Sequence[str]) -> str:
    return f"{len(names)} sets" if len(names) > 1 else f"one set, {names[0]}"


def _scorecard_folds(folds: Row, scorecard: Row, paired: Sequence[str]) -> list[str]:
    """Return the row of the scorecard on the same folds, apart from the others."""
    names = [name for name in folds["sets"] if name in scorecard]
    if len(names) < len(folds["sets"]):
        return []
    reference = next(row for row in folds["rows"] if row["method"] == folds["reference"])
    means = {key: mean(scorecard[name][key] for name in names) for key in (*paired, "n_columns", "seconds")}
    cells = []
    for key in paired:
        values = [scorecard[name][key] - reference["sets"][name][key] for name in names]
        error = standard_error(values)
        cells.append(f"{mean(values):+.4f}" + ("" if error is None else f" ± {error:.4f}"))
    scores = " | ".join(f"{means[key]:.4f}" for key in paired)
    return [
        f"| *later:* |{' |' * 10}",
        f"| **scorecard** | {scores} | {means['n_columns']:.1f} | {means['seconds']:.3f} | {' | '.join(cells)} |",
    ]


def _scorecard_sets(folds: Row, scorecard: Row) -> list[str]:
    """Return the log losses of the scorecard, and their differences to the reference."""
    if any(name not in scorecard for name in folds["sets"]):
        return []
    reference = next(row["sets"] for row in folds["rows"] if row["method"] == folds["reference"])
    losses = {name: scorecard[name]["log_loss"] for name in folds["sets"]}
    differences = (f"{loss - reference[name]['log_loss']:+.4f}" for name, loss in losses.items())
    return [
        f"| *later:* |{' |' * len(losses)}",
        f"| **scorecard** | {' | '.join(f'{loss:.4f}' for loss in losses.values())} |",
        f"| | {' | '.join(differences)} |",
    ]


def _folds_line(row: Row, paired: Sequence[str]) -> str:
    differences = row.get("differences")
    cells = [_difference(differences[measure]) if differences else "" for measure in paired]
    scores = " | ".join(f"{row[measure]:.4f}" for measure in paired)
    return f"| {row['method']} | {scores} | {row['n_columns']:.1f} | {row['seconds']:.3f} | {' | '.join(cells)} |"


def _difference(difference: Row) -> str:
    error = difference["standard_error"]
    return f"{difference['mean']:+.4f}" + ("" if error is None else f" ± {error:.4f}")


def _set_lines(row: Row, sets: Sequence[str]) -> list[str]:
    lines = [f"| {row['method']} | {' | '.join(format(row['sets'][name]['log_loss'], '.4f') for name in sets)} |"]
    if "differences" in row:
        differences = row["differences"]["log_loss"]["sets"]
        lines.append(f"| | {' | '.join(format(differences[name], '+.4f') for name in sets)} |")
    return lines
