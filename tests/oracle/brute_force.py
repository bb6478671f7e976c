"""The slow, obvious specification: every score counted again from raw rows.

No code of engine, models or criteria is used. Table entries are multiples of 2^-40, ranking keys of 2^-16 and row
losses of 2^-40, as in ARCHITECTURE.md, because ties depend on it.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

# The bits of log decide which entries tie, and those of the C library vary; tests/models compares ours to it.
from bayesieve.exact import log_positive

ONE = 2**40


def score(case, chosen, criterion):
    """Return the mean score over folds of a subset (columns), or of a mapping from column to weight."""
    return mean(segment_scores(case, chosen, criterion)) - price(case, len(chosen), criterion)


def price(case, size, criterion):
    """Return what a subset of this size costs for each scored row (the unit of weights taken for one)."""
    if criterion != "map":
        return 0.0
    n_columns, n_scored = len(case.columns), sum(case.units[i] for _, scored in case.folds for i in scored)
    return (math.log(n_columns + 1) + math.log(math.comb(n_columns + size - 1, size))) / n_scored


def segment_scores(case, chosen, criterion):
    """Return the score of each fold as a fraction, larger is better."""
    return scores_of(believed(case, chosen), case.n_classes, criterion)


def scores_of(folds, n_classes, criterion):
    """Return the score of each fold's rows; a criterion may need the class weights of all folds together."""
    pooled = [sum(weight for rows in folds for _, label, weight in rows if label == c) for c in range(n_classes)]
    return [
        _lift(rows, n_classes, pooled) if criterion == "lift" else CRITERIA[criterion](rows, n_classes)
        for rows in folds
    ]


def mean(scores):
    """Return the mean, rounded once."""
    return float(sum(scores) / len(scores))


def believed(case, chosen):
    """Return the scored rows of each fold: evidence, class, integer weight (the unit cancels in every criterion)."""
    column_weights = chosen if isinstance(chosen, dict) else dict.fromkeys(chosen, 1.0)
    return [
        [(evidence(case, fitting, column_weights, i), case.labels[i], case.units[i]) for i in scored]
        for fitting, scored in case.folds
    ]


def evidence(case, fitting, column_weights, row):
    """Return the log-score of each class for one row, in multiples of 2^-40."""
    return [
        _prior(case, fitting, c) + sum(_contribution(case, fitting, j, w, row, c) for j, w in column_weights.items())
        for c in range(case.n_classes)
    ]


def posterior(scores):
    """Return class probabilities: softmax."""
    top = max(scores)
    odds = [math.exp((s - top) / ONE) for s in scores]
    return [o / math.fsum(odds) for o in odds]


@lru_cache(maxsize=100_000)
def fixed_log(x):
    """Return log x in multiples of 2^-40."""
    return round(float(log_positive(np.array([x]))[0]) * ONE)


def _prior(case, fitting, c):
    total, in_class = _mass(case, fitting, None), _mass(case, fitting, c)
    return fixed_log((in_class or _pseudo_count(case, fitting)) / total)


def _contribution(case, fitting, j, column_weight, row, c):
    code, parts = case.columns[j][row], _parts(case, fitting, j)
    if code not in parts:
        return 0
    pseudo = _pseudo_count(case, fitting)
    count = sum(case.units[i] for i in fitting if case.labels[i] == c and case.columns[j][i] == code)
    entry = fixed_log((count * case.unit + pseudo) / (_mass(case, fitting, c) + pseudo * len(parts)))
    return entry if column_weight == 1 else round(column_weight * float(entry))


def _parts(case, fitting, j):
    if case.own_parts:
        return {case.columns[j][i] for i in fitting if case.units[i]}
    return range(case.n_bins[j])


def _mass(case, rows, c):
    """Return the weight of a class, or of all."""
    return sum(case.units[i] for i in rows if c is None or case.labels[i] == c) * case.unit


def _pseudo_count(case, fitting):
    return 1 / (_mass(case, fitting, None) + 1) if case.smoothing == "auto" else case.smoothing


def predicted(scores):
    """Return the class with the most evidence, the lowest on ties."""
    return scores.index(max(scores))


def _mean_loss(loss):
    def negative_mean(rows, n_classes):
        total = sum(weight for _, _, weight in rows)
        return Fraction(-sum(_round(loss(scores, c)) * weight for scores, c, weight in rows), total * ONE)

    return negative_mean


def _round(loss):
    return round(loss * ONE)


def _wrong(scores, c):
    return int(predicted(scores) != c)


def _error_probability(scores, c):
    return 1 - posterior(scores)[c]


def _brier(scores, c):
    return math.fsum((p - (k == c)) ** 2 for k, p in enumerate(posterior(scores)))


def _surprise(scores, c):
    top = max(scores)
    rest = math.log(math.fsum(math.exp((s - top) / ONE) for s in scores))
    return Fraction(top - scores[c], ONE) + Fraction(_round(rest), ONE)


def _balanced_error(rows, n_classes):
    rates = []
    for c in range(n_classes):
        members = [(scores, weight) for scores, label, weight in rows if label == c]
        mass = sum(weight for _, weight in members)
        if mass:
            rates.append(Fraction(sum(weight for scores, weight in members if predicted(scores) != c), mass))
    return -sum(rates) / len(rates)


def _ranking(area):
    """Return the mean of one-vs-rest areas, weighted by the class priors."""

    def weighted_mean(rows, n_classes):
        total = sum(weight for _, _, weight in rows)
        areas = []
        for c in [1] if n_classes == 2 else range(n_classes):
            mass = sum(weight for _, label, weight in rows if label == c)
            if 0 < mass < total:
                areas.append((mass, area(rows, c, mass, total)))
        if not areas:
            return Fraction(1, 2)
        return sum(mass * area for mass, area in areas) / sum(mass for mass, _ in areas)

    return weighted_mean


def _roc_area(rows, c, mass, total):
    """Return the share of pairs (row of class c, row of another) in the right order; half for a tie."""
    keyed = [(_key(scores, c), label == c, weight) for scores, label, weight in rows]
    won_twice = 0
    for key, positive, weight in keyed:
        for other_key, other_positive, other_weight in keyed:
            if positive and not other_positive:
                won_twice += weight * other_weight * (2 * (key > other_key) + (key == other_key))
    return Fraction(won_twice, 2 * mass * (total - mass))


def _lift(rows, n_classes, pooled):
    """Return the prior-weighted area under the lift curve, by trapezoids, at the class shares of all folds.

    A curve of rows with the share p of class c has the area p/2 + (1 - p) AUC; another share gives another area.
    """
    total, classes = sum(weight for _, _, weight in rows), [1] if n_classes == 2 else range(n_classes)
    areas = {}
    for c in classes:
        mass = sum(weight for _, label, weight in rows if label == c)
        if 0 < mass < total:
            share = Fraction(mass, total)
            areas[c] = share * (1 - share), (_lift_area(rows, c, mass, total) - share / 2) / (1 - share)
    if not areas:
        return Fraction(1, 2)
    ranked = sum(weight * area for weight, area in areas.values()) / sum(weight for weight, _ in areas.values())
    shares = {c: Fraction(pooled[c], sum(pooled)) for c in classes}
    lifts = sum(share * (share / 2 + (1 - share) * ranked) for share in shares.values())
    return lifts / sum(shares.values())


def _lift_area(rows, c, mass, total):
    """Return the area under the curve (share of rows taken, share of class c found), best keys first, by trapezoids."""
    keys = sorted({_key(scores, c) for scores, _, _ in rows}, reverse=True)
    area = found = Fraction(0)
    for key in keys:
        tied = [(label == c, weight) for scores, label, weight in rows if _key(scores, c) == key]
        gained = Fraction(sum(weight for positive, weight in tied if positive), mass)
        area += Fraction(sum(weight for _, weight in tied), total) * (found + gained / 2)
        found += gained
    return area


def _key(scores, c):
    """Return the log-odds of class c against the rest, in multiples of 2^-16, halves upwards."""
    others = [s for k, s in enumerate(scores) if k != c]
    top = max(others)
    rest = top + _round(math.log(math.fsum(math.exp((s - top) / ONE) for s in others)))
    return math.floor(Fraction(scores[c] - rest, 2**24) + Fraction(1, 2))


def _refinement(rows, n_classes):
    """Return minus the mean squared error after isotonic regression, by its min-max formula, of every class."""
    total = sum(weight for _, _, weight in rows)
    shift = 60 - total.bit_length()
    lost = 0
    for c in range(n_classes):
        for negative, positive in _isotonic_blocks(rows, c):
            if negative and positive:
                # A block's loss is rounded, to a float and to a multiple of 2^-shift.
                loss = float(positive) * float(negative) / (float(positive) + float(negative))
                lost += Fraction(round(Fraction(loss) * Fraction(2) ** shift)) / Fraction(2) ** shift
    return -lost / total


def _isotonic_blocks(rows, c):
    """Return the weights of the rows of other classes and of class c, for each value of the regression."""
    ties = {}
    for scores, label, weight in rows:
        pair = ties.setdefault(_key(scores, c), [0, 0])
        pair[label == c] += weight
    groups = [ties[key] for key in sorted(ties) if sum(ties[key])]
    blocks = {}
    for i, group in enumerate(groups):
        value = max(min(_share(groups[first : last + 1]) for last in range(i, len(groups))) for first in range(i + 1))
        block = blocks.setdefault(value, [0, 0])
        block[0], block[1] = block[0] + group[0], block[1] + group[1]
    return blocks.values()


def _share(groups):
    negative, positive = map(sum, zip(*groups, strict=True))
    return Fraction(positive, negative + positive)


CRITERIA = {
    "error": _mean_loss(_wrong),
    "error_probability": _mean_loss(_error_probability),
    "brier": _mean_loss(_brier),
    "log_loss": _mean_loss(_surprise),
    "balanced_error": _balanced_error,
    "auc": _ranking(_roc_area),
    "lift": lambda rows, n_classes: _lift(
        rows, n_classes, [sum(w for _, k, w in rows if k == c) for c in range(n_classes)]
    ),
    "refinement": _refinement,
    "map": _mean_loss(_surprise),  # of rows; the subset's part is its price
}
