# SPDX-License-Identifier: BSD-3-Clause
"""One legend for the claims of all papers: four verdicts, and the rule behind each."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

__all__ = [
    "FAILS", "HOLDS", "IN_PART", "LEGEND", "UNKNOWN", "Difference", "Scale", "claims_table", "count_units", "judge",
    "judge_cases", "judge_none", "state", "unknown",
]  # fmt: skip

HOLDS: Final = "holds"
IN_PART: Final = "holds in part"
FAILS: Final = "does not hold"
UNKNOWN: Final = "cannot be told here"

LEGEND: Final = {
    HOLDS: "The 95 % interval of every difference that the claim names is above zero. A claim about every case holds "
    "if all cases agree, and a claim of no difference if each interval lies within the smallest one worth naming. A "
    "printed figure holds if ours rounds to it.",
    IN_PART: "That is so for some of its differences, and not for others, which are listed below it. A claim about "
    "every case holds in part if more than half of the cases agree.",
    FAILS: "No interval is above zero, and each ends below the smallest difference worth naming: the opposite is true, "
    "or there is “no difference above” a bound. That one is the best of all does not hold if another is as good or "
    "better. A claim about every case does not hold if half of the cases or fewer agree, and a claim of no difference "
    "if an interval excludes zero, unless all lie within the smallest one worth naming.",
    UNKNOWN: "The data that it needs are not public, there are fewer than three data sets or five cases, or an "
    "interval has room for zero and for differences worth naming.",
}
"""The verdicts, and the rule of each."""

_FEW: Final = 4  # differences that are all listed unless all are above zero
_LEAST_UNITS: Final = 3  # for an interval
_LEAST_CASES: Final = 5  # from which something is concluded

Row = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """A difference that is positive where a claim is true.

    Attributes
    ----------
    name : str
        What is compared.
    mean : float
        Its mean over units: data sets, seeds, folds.
    half_width : float or None
        Half of its 95 % interval; None if there are fewer than three units.
    n : int
        Number of units.
    """

    name: str
    mean: float
    half_width: float | None
    n: int

    @classmethod
    def of_values(
        cls, name: str, values: Sequence[float] | NDArray[np.float64], test_share: float = 0.0
    ) -> "Difference":
        """Return the mean of one value per unit, with the interval of Student's t.

        ``test_share`` is the number of test rows per training row if units share rows (Nadeau and Bengio, 2003).
        """
        array = np.asarray(values, dtype=np.float64)
        n = len(array)
        error = float(array.std(ddof=1)) * sqrt(1 / n + test_share) if n > 1 else None
        return cls(name, float(array.mean()), half_width(error, n), n)

    @classmethod
    def of_error(cls, name: str, mean: float, standard_error: float | None, n: int) -> "Difference":
        """Return a difference, given its standard error over units."""
        return cls(name, mean, half_width(standard_error, n), n)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return -np.inf if self.half_width is None else self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return np.inf if self.half_width is None else self.mean + self.half_width


@dataclass(frozen=True)
class Scale:
    """How differences of a quantity are written, and the smallest one worth naming."""

    form: str
    margin: float
    unit: str = ""

    def write(self, value: float) -> str:
        """Return a number as text."""
        text = f"{value:{self.form}}"
        is_zero = not any(digit in text for digit in "123456789")
        return (text.replace("-", "+" if "+" in self.form else "") if is_zero else text) + self.unit

    def bound(self, value: float) -> str:
        """Return a positive number as text, rounded up to one digit."""
        power = 10.0 ** floor(log10(value))
        return f"{ceil(value / power - 1e-9) * power:.12g}{self.unit}"


def half_width(standard_error: float | None, n: int) -> float | None:
    """Return half of the 95 % interval of a mean over some units, None if there are fewer than three."""
    return None if standard_error is None or n < _LEAST_UNITS else float(stdtrit(n - 1, 0.975)) * standard_error


def judge(claim: str, differences: Sequence[Difference], scale: Scale, units: str, *, is_best: bool = False) -> Row:
    """Return the row of a claim that names one difference or several.

    Parameters
    ----------
    claim : str
        The sentence.
    differences : sequence of Difference
        Each is positive where the claim is true.
    scale : Scale
        How they are written, and the smallest one worth naming.
    units : str
        What they are means over, in the plural.
    is_best : bool
        Whether the claim is that one is the best of all, which cannot hold in part.
    """
    if not differences:
        return unknown(claim, "its data are missing")
    single = [_verdict_of(each, scale) for each in differences]
    verdict = _joint_verdict(single, is_best=is_best)
    open_parts = [(each, its) for each, its in zip(differences, single, strict=True) if its != HOLDS]
    decisive = min(differences, key=lambda each: each.low)
    if verdict != HOLDS and not is_best:
        decisive = max((each for each, its in open_parts if its == verdict), key=_high, default=decisive)
    row = _row(claim, verdict, decisive, scale, units, several=len(differences) > 1)
    have_intervals = any(each.half_width is not None for each in differences)
    if len(differences) > 1 and open_parts and have_intervals and (HOLDS in single or len(differences) <= _FEW):
        shown = list(zip(differences, single, strict=True)) if len(differences) <= _FEW else open_parts
        row |= {"effect": f"{single.count(HOLDS)} of {len(single)} hold", "interval": "", "bound": ""}
        row["parts"] = [_row(each.name, its, each, scale, units, several=False) for each, its in shown]
    return row


def _joint_verdict(single: Sequence[str], *, is_best: bool) -> str:
    """Return the verdict of a claim from those of its differences."""
    if all(each == HOLDS for each in single):
        return HOLDS
    if is_best:
        return FAILS if FAILS in single else UNKNOWN
    if HOLDS in single:
        return IN_PART
    return UNKNOWN if UNKNOWN in single else FAILS


def _high(difference: Difference) -> float:
    return difference.high


def judge_none(claim: str, differences: Sequence[Difference], scale: Scale, units: str) -> Row:
    """Return the row of a claim that there is no difference: its effect is the one farthest from zero."""
    if not differences:
        return unknown(claim, "its data are missing")
    farthest = max(differences, key=lambda each: abs(each.mean))
    if all(max(-each.low, each.high) < scale.margin for each in differences):
        verdict = HOLDS
    elif any(each.low > 0 or each.high < 0 for each in differences):
        verdict = FAILS
    else:
        verdict = UNKNOWN
    return _row(claim, verdict, farthest, scale, units, several=len(differences) > 1) | {"bound": ""}


def judge_cases(claim: str, n_true: int, n: int, what: str) -> Row:
    """Return the row of a claim about every case of some."""
    if not n:
        return unknown(claim, "its data are missing")
    verdict = HOLDS if n_true == n else IN_PART if 2 * n_true > n else FAILS
    if n < _LEAST_CASES:
        verdict = UNKNOWN
    return state(claim, verdict, f"{n_true:,} of {n:,} {what}", f"{n:,}")


def state(claim: str, verdict: str, effect: str, n: str = "", interval: str = "") -> Row:
    """Return the row of a claim that is a matter of counting or of printed figures."""
    return {
        "claim": claim,
        "verdict": verdict,
        "bound": "",
        "effect": effect,
        "interval": interval,
        "n": n,
        "parts": [],
    }


def unknown(claim: str, reason: str) -> Row:
    """Return the row of a claim for which there are no data."""
    return state(claim, UNKNOWN, reason)


def _verdict_of(difference: Difference, scale: Scale) -> str:
    if difference.half_width is None:
        return UNKNOWN
    if difference.low > 0:
        return HOLDS
    return FAILS if difference.high < scale.margin else UNKNOWN


def _row(claim: str, verdict: str, shown: Difference, scale: Scale, units: str, *, several: bool) -> Row:
    bound = "a difference below what is worth naming" if verdict == HOLDS and shown.high < scale.margin else ""
    if verdict == FAILS:
        bound = "the opposite" if shown.high <= 0 else f"no difference above {scale.bound(shown.high)}"
    interval = ""
    if shown.half_width is not None:
        interval = f"{scale.write(shown.low)} to {scale.write(shown.high)}"
    name = f" ({shown.name})" if several else ""
    effect = f"{scale.write(shown.mean)}{name}"
    return state(claim, verdict, effect, count_units(shown.n, units), interval) | {"bound": bound}


def count_units(n: int, units: str) -> str:
    """Return a number of units, which are given in the plural."""
    singular = {"halves": "half"}.get(units, units.removesuffix("s"))
    return f"{n} {singular if n == 1 else units}"


def claims_table(rows: Sequence[Row]) -> list[str]:
    """Return claims as a table in Markdown; the parts of a claim that holds in part are below it."""
    lines = ["| claim | verdict | effect | 95 % interval | n |", "|---|---|---|---|---|"]
    for row in rows:
        lines.append(_line(row, row["claim"], f"**{row['verdict']}**"))
        lines += [_line(part, f"– {part['claim']}", part["verdict"]) for part in row["parts"]]
    return [*lines, ""]


def _line(row: Row, claim: str, verdict: str) -> str:
    bound = f": {row['bound']}" if row["bound"] else ""
    return f"| {claim} | {verdict}{bound} | {row['effect']} | {row['interval'] or '–'} | {row['n'] or '–'} |"
