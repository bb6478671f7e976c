# SPDX-License-Identifier: BSD-3-Clause
"""From scores to a threshold, above which the positive class is predicted.

The positive class is predicted if the score is larger than the threshold, and the negative class on ties. Scores are
 log-odds in multiples of 2^-40 nats (int64) or probabilities of the positive class (floats).
"""

from dataclasses import dataclass, field, replace
from html import escape
from math import isnan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.document import Entry, label_from_plain, label_to_plain
from bayesieve.decisions.cuts import MEASURES, Cuts, clopper_pearson, cut_at_precision, cut_at_recall, rank_rows
from bayesieve.exact import log_positive, to_fixed
from bayesieve.exceptions import ModelFileError, ParameterError, UnreachedFloorWarning, warn_caller

__all__ = [
    "Threshold",
    "ThresholdRule",
    "find_threshold",
    "read_threshold",
    "threshold_from_plain",
    "threshold_to_plain",
]

_FLOORS = ("recall", "precision")


@dataclass(frozen=True)
class ThresholdRule:
    """The parsed parameter ``threshold``.

    Attributes
    ----------
    name : {"bayes", "chi2", "ber", "f1", "probability", "recall", "precision"}
        How the threshold is determined.
    level : float or None
        The required probability, recall or precision.
    """

    name: str
    level: float | None = None

    @property
    def needs_rows(self) -> bool:
        """Whether the threshold depends on the scores of rows."""
        return self.name not in ("bayes", "probability")


@dataclass(frozen=True, repr=False)
class Threshold:
    """A decision threshold for scores.

    Attributes
    ----------
    cut : int or float
        A score above it means the positive class; an int for log-odds in multiples of 2^-40, a float for probabilities.
    rule : ThresholdRule
        How it was determined.
    recall, precision : float or None
        Recall and precision on the rows that determined it; None if no rows did, or if undefined.
    interval : (float, float) or None
        Exact 95 % confidence interval (Clopper and Pearson) of the required recall or precision.
    probability : float or None
        The probability above which a classifier predicts the positive class; None for more than two classes, and
        without a classifier.
    """

    cut: int | float = field(repr=False)
    rule: ThresholdRule
    recall: float | None = None
    precision: float | None = None
    interval: tuple[float, float] | None = None
    probability: float | None = None

    def __repr__(self) -> str:
        rule = self.rule.name if self.rule.level is None else f"{self.rule.name} {self.rule.level:g}"
        shares = {"recall": self.recall, "precision": self.precision}
        is_told = self.probability is None or self.rule.name == "probability"
        known = "" if is_told else f", probability {self.probability:.4g}"
        known += "".join(f", {name} {share:.4g}" for name, share in shares.items() if share is not None)
        if self.interval is not None:
            known += f", 95 % interval {self.interval[0]:.4g} to {self.interval[1]:.4g}"
        return f"Threshold({rule}{known})"

    def _repr_html_(self) -> str:
        """Return the same line for a notebook."""
        return f"<code>{escape(repr(self))}</code>"

    def accepts(self, scores: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows are predicted positive."""
        return np.asarray(scores) > self.cut

    def shifted(self, by: int) -> "Threshold":
        """Return the threshold for log-odds that are larger by a constant; thresholds at the limits do not change."""
        bounds = np.iinfo(np.int64)
        inside = bounds.min < self.cut < bounds.max
        return replace(self, cut=min(max(int(self.cut) + by, bounds.min), bounds.max)) if inside else self


def read_threshold(threshold: Any) -> ThresholdRule:
    """Read "bayes", "chi2", "ber", "f1", a probability, ("recall", r) or ("precision", p)."""
    if isinstance(threshold, ThresholdRule):
        return threshold
    if isinstance(threshold, str) and (threshold == "bayes" or threshold in MEASURES):
        return ThresholdRule(threshold)
    if _is_share(threshold):
        return ThresholdRule("probability", float(threshold))
    is_pair = isinstance(threshold, tuple | list) and len(threshold) == 2
    if is_pair and isinstance(threshold[0], str) and threshold[0] in _FLOORS:
        name, level = threshold
        if _is_share(level):
            return ThresholdRule(name, float(level))
        raise ParameterError(f"threshold=({name!r}, ...) needs a number between 0 and 1, got {level!r:.60}.")
    raise ParameterError(
        "threshold must be 'bayes', 'chi2', 'ber', 'f1', a probability between 0 and 1, ('recall', r) or "
        f"('precision', p), got {threshold!r:.60}."
    )


def find_threshold(
    rule: ThresholdRule,
    scores: NDArray[Any],
    truth: NDArray[Any],
    weights: NDArray[np.int64] | None = None,
    unit: float = 1.0,
) -> Threshold:
    """Return the threshold that a rule determines from the scores of rows.

    Parameters
    ----------
    rule : ThresholdRule
        The result of `read_threshold`.
    scores : array of shape (n_samples,)
        Log-odds in multiples of 2^-40 (int64) or probabilities (float); for a floor, out-of-fold scores.
    truth : array of shape (n_samples,)
        1 for positive rows, 0 for others.
    weights : int64 array of shape (n_samples,), or None
        Weight of each row, in units.
    unit : float
        The weight of a unit, since a floor depends on the number of rows.
    """
    if not rule.needs_rows:
        return Threshold(_at_probability(rule.level or 0.5, np.asarray(scores).dtype.kind), rule)
    cuts = rank_rows(scores, truth, weights)
    if rule.name in MEASURES:
        k = cuts.best(MEASURES[rule.name])
        return _report(cuts, k, cuts.between(k), rule, unit)
    assert rule.level is not None
    floor_cut = (cut_at_recall if rule.name == "recall" else cut_at_precision)(cuts, rule.level, unit)
    if floor_cut is None:
        k = len(cuts.scores) if rule.name == "recall" else 0
        _warn_of_floor(rule, cuts, unit)
        return _report(cuts, k, cuts.between(k), rule, unit)
    return _report(cuts, floor_cut, cuts.at(floor_cut), rule, unit)


def _report(cuts: Cuts, k: int, cut: int | float, rule: ThresholdRule, unit: float) -> Threshold:
    true, accepted, positive = (int(each) * unit for each in (cuts.true[k], cuts.accepted[k], cuts.n_positive))
    trials = {"recall": positive, "precision": accepted}.get(rule.name, 0.0)
    return Threshold(
        cut,
        rule,
        true / positive if positive else None,
        true / accepted if accepted else None,
        clopper_pearson(true, trials) if trials else None,
    )


def _warn_of_floor(rule: ThresholdRule, cuts: Cuts, unit: float) -> None:
    result = "every row is predicted positive" if rule.name == "recall" else "no row is predicted positive"
    warn_caller(
        f"A {rule.name} of {rule.level:g} cannot be guaranteed with {cuts.n_positive * unit:g} positive rows of "
        f"{int(cuts.accepted[-1]) * unit:g}; {result}.",
        UnreachedFloorWarning,
    )


def _at_probability(probability: float, kind: str) -> int | float:
    """Return a probability as a cut: itself, or its log-odds in multiples of 2^-40."""
    if kind not in "iu":
        return probability
    log_odds = log_positive(np.array([probability])) - log_positive(np.array([1.0 - probability]))
    return int(to_fixed(log_odds)[0])


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and 0 < float(value) < 1


def threshold_to_plain(threshold: Threshold) -> dict[str, Any]:
    """Return a threshold as numbers, strings, lists and dicts."""
    return {
        "cut": label_to_plain(threshold.cut, "threshold"),
        "name": threshold.rule.name,
        "level": threshold.rule.level,
        "recall": threshold.recall,
        "precision": threshold.precision,
        "interval": None if threshold.interval is None else list(threshold.interval),
    }


def threshold_from_plain(entry: Entry) -> Threshold:
    """Return the threshold at an entry of a document."""
    fields = entry.fields("cut", "name", "level", "recall", "precision", "interval")
    name, level = fields["name"].text(), fields["level"].optional(Entry.number)
    parameter: Any = (name, level)
    if level is None:
        parameter = name
    elif name == "probability":
        parameter = level
    try:
        rule = read_threshold(parameter)
    except ParameterError:
        raise ModelFileError(
            f"{entry.place} has the name {name!r:.60} and the level {level!r}, which are not those of a threshold."
        ) from None
    return Threshold(
        _read_cut(fields["cut"]),
        rule,
        fields["recall"].optional(Entry.number),
        fields["precision"].optional(Entry.number),
        fields["interval"].optional(_read_interval),
    )


def _read_cut(entry: Entry) -> int | float:
    if type(entry.value) is int:
        return entry.whole()
    cut = label_from_plain(entry)
    if type(cut) is not float or isnan(cut):
        entry.refuse("a number")
    return cut


def _read_interval(entry: Entry) -> tuple[float, float]:
    bounds = entry.numbers().tolist()
    if len(bounds) != 2:
        entry.refuse("a list of two numbers")
    return bounds[0], bounds[1]
