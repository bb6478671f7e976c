"""From scores to a threshold, above which a row is taken for positive.

A row is positive if its score is larger than the threshold; on equality it is of the lower class, as everywhere. Scores
are log-odds in multiples of 2^-40 nats (int64) or probabilities of the positive class (floats).
"""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.decisions.cuts import MEASURES, Cuts, rank_rows
from bayesieve.decisions.floors import clopper_pearson, cut_at_precision, cut_at_recall
from bayesieve.exceptions import ParameterError, UnreachedFloorWarning, warn_caller

__all__ = ["Threshold", "ThresholdRule", "find_threshold", "read_threshold"]

_FLOORS = ("recall", "precision")


@dataclass(frozen=True)
class ThresholdRule:
    """What the parameter ``threshold`` says.

    Attributes
    ----------
    name : {"bayes", "chi2", "ber", "f1", "probability", "recall", "precision"}
        How the threshold is found.
    level : float or None
        The probability, recall or precision that is asked for.
    """

    name: str
    level: float | None = None

    @property
    def needs_rows(self) -> bool:
        """Whether the threshold depends on scored rows."""
        return self.name not in ("bayes", "probability")


@dataclass(frozen=True)
class Threshold:
    """Where scores are cut.

    Attributes
    ----------
    cut : int or float
        A score above it means the positive class; an int for log-odds in multiples of 2^-40, a float for probabilities.
    wish : ThresholdWish
        How it was found.
    recall, precision : float or None
        Of the positive class on the rows that it was found on; None where it was not found on rows, or no row counts.
    interval : (float, float) or None
        Exact 95 % confidence interval (Clopper and Pearson) of the recall or precision that was asked for.
    """

    cut: int | float
    wish: ThresholdRule
    recall: float | None = None
    precision: float | None = None
    interval: tuple[float, float] | None = None

    def accepts(self, scores: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which rows are positive."""
        return np.asarray(scores) > self.cut

    def shifted(self, by: int) -> "Threshold":
        """Return the threshold of log-odds that all grew by so much; one that accepts all or none still does."""
        bounds = np.iinfo(np.int64)
        inside = bounds.min < self.cut < bounds.max
        return replace(self, cut=min(max(int(self.cut) + by, bounds.min), bounds.max)) if inside else self


def read_threshold(wish: Any) -> ThresholdRule:
    """Read "bayes", "chi2", "ber", "f1", a probability, ("recall", r) or ("precision", p)."""
    if isinstance(wish, ThresholdRule):
        return wish
    if isinstance(wish, str) and (wish == "bayes" or wish in MEASURES):
        return ThresholdRule(wish)
    if _is_share(wish):
        return ThresholdRule("probability", float(wish))
    if isinstance(wish, tuple | list) and len(wish) == 2 and isinstance(wish[0], str) and wish[0] in _FLOORS:
        if _is_share(wish[1]):
            return ThresholdRule(wish[0], float(wish[1]))
        raise ParameterError(f"threshold=({wish[0]!r}, ...) asks for a number between 0 and 1, got {wish[1]!r:.60}.")
    raise ParameterError(
        "threshold must be 'bayes', 'chi2', 'ber', 'f1', a probability between 0 and 1, ('recall', r) or "
        f"('precision', p), got {wish!r:.60}."
    )


def find_threshold(
    wish: ThresholdRule,
    scores: NDArray[Any],
    truth: NDArray[Any],
    weights: NDArray[np.int64] | None = None,
    unit: float = 1.0,
) -> Threshold:
    """Return the threshold that rows ask for.

    Parameters
    ----------
    wish : ThresholdWish
        What `read_threshold` returned.
    scores : int64 array of log-odds in multiples of 2^-40, or float array of probabilities
        What is believed of each row; for a floor, by a model that has not seen it.
    truth : array of 0 and 1
        Whether each row is positive.
    weights : int64 array, or None
        Of each row, in units.
    unit : float
        The weight of a unit: a floor asks how many rows there are.
    """
    if not wish.needs_rows:
        return Threshold(_at_probability(wish.level or 0.5, np.asarray(scores).dtype.kind), wish)
    cuts = rank_rows(scores, truth, weights)
    if wish.name in MEASURES:
        k = cuts.best(MEASURES[wish.name])
        return _report(cuts, k, cuts.between(k), wish, unit)
    assert wish.level is not None
    found = (cut_at_recall if wish.name == "recall" else cut_at_precision)(cuts, wish.level, unit)
    if found is None:
        found = len(cuts.scores) if wish.name == "recall" else 0
        _warn_of_floor(wish, cuts, unit)
        return _report(cuts, found, cuts.between(found), wish, unit)
    return _report(cuts, found, cuts.at(found), wish, unit)


def _report(cuts: Cuts, k: int, cut: int | float, wish: ThresholdRule, unit: float) -> Threshold:
    true, accepted, positive = (int(each) * unit for each in (cuts.true[k], cuts.accepted[k], cuts.n_positive))
    trials = {"recall": positive, "precision": accepted}.get(wish.name, 0.0)
    return Threshold(
        cut,
        wish,
        true / positive if positive else None,
        true / accepted if accepted else None,
        clopper_pearson(true, trials) if trials else None,
    )


def _warn_of_floor(wish: ThresholdRule, cuts: Cuts, unit: float) -> None:
    done = "every row is accepted" if wish.name == "recall" else "no row is accepted"
    warn_caller(
        f"A {wish.name} of {wish.level:g} cannot be promised from {cuts.n_positive * unit:g} positive rows of "
        f"{int(cuts.accepted[-1]) * unit:g}; {done}.",
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
