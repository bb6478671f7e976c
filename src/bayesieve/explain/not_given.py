# SPDX-License-Identifier: BSD-3-Clause
"""What a term adds to the scores of a row whose value is not given, which is not the same as missing.

With m_t the mean of the scores s_t of term t over the training rows and v_t their variance, it is

    n_t = m_t + (v_t / sum of v) (b - start - sum of m),    b: the scores of the base rates,

so that a row of which nothing is given has the base rates of the classes. The means alone would not do: the
probability at the mean score is not the mean probability, and is far below that of a rare class. The difference grows
with the variance of what is unknown, hence the shares. Of a pair with one value given, mean and variance are those of
the training rows with that value. With more than two classes variances are summed over classes.
"""

from dataclasses import dataclass

import numpy as np

from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, in_nats, log_positive, to_fixed
from bayesieve.models import PairTable, Scorecard, ScoreTable
from bayesieve.models.model import Evidence

__all__ = ["NotGiven"]

_CLOSE, _SWEEPS = 1e-10, 10
_FAR, _BISECTIONS = 60.0, 50  # nats


@dataclass(frozen=True)
class NotGiven:
    """What terms add where their values are not given.

    Attributes
    ----------
    base_rates : array of shape (n_classes,)
        The share of each class in the training rows, or the class prior that replaced it.
    correction : array of shape (n_classes,)
        What is added per unit of variance that is not known.
    """

    base_rates: Floats
    correction: Floats

    @classmethod
    def of_card(cls, card: Scorecard) -> "NotGiven":
        """Return what makes a row of which nothing is given have the base rates."""
        shift = np.zeros(len(card.start)) if card.shift is None else in_nats(card.shift)
        rates = np.asarray(card.class_mass, dtype=np.float64) * exp_nonpositive(shift - shift.max())
        rates = rates / rates.sum()
        terms: list[ScoreTable | PairTable] = [*card.tables, *card.pairs]
        moments = [_moments(*_entries(term)) for term in terms]
        variance = sum(float(own) for _, own in moments)
        if not variance > 0.0:
            return cls(rates, np.zeros(len(rates)))
        at_means = in_nats(card.start) + sum(mean for mean, _ in moments)
        return cls(rates, (_centered(_scores_of(card, rates)) - _centered(at_means)) / variance)

    def column(self, table: ScoreTable) -> Floats:
        """Return the scores of a column whose value is not given."""
        return self._scores(*_entries(table))

    def pair(self, pair: PairTable, given: int | None = None) -> Floats:
        """Return the scores of a pair of which nothing is given, or those of each bin of the column that is given."""
        entries, mass = _entries(pair)
        if given is None:
            return self._scores(entries, mass)
        n_a, n_b = pair.n_bins
        cells, cell_mass = entries.reshape(n_a, n_b, -1), mass.reshape(n_a, n_b)
        by_bin = (
            zip(cells, cell_mass, strict=True) if given == 0 else zip(cells.swapaxes(0, 1), cell_mass.T, strict=True)
        )
        return np.array([self._scores(own, weights) for own, weights in by_bin])

    def _scores(self, entries: Floats, mass: Floats) -> Floats:
        mean, variance = _moments(entries, mass)
        return np.asarray(mean + variance * self.correction)


def _entries(term: ScoreTable | PairTable) -> tuple[Floats, Floats]:
    """Return the scores of bins or cells, shape (n, n_classes), and the weight of their training rows."""
    if isinstance(term, PairTable):
        mass = np.asarray(term.cell_mass, dtype=np.float64).ravel()
        return in_nats(term.table[:-1, :-1]).reshape(len(mass), -1), mass
    mass = np.asarray(term.bin_mass, dtype=np.float64)
    return in_nats(term.table[: len(mass)]), mass


def _centered(scores: Floats) -> Floats:
    return np.asarray(scores - scores.mean(axis=-1, keepdims=True))


def _moments(entries: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Return the mean of the scores, and the sum over classes of the variances of what matters of them."""
    total = mass.sum()
    if not total > 0.0:
        return np.zeros(entries.shape[1]), np.zeros(())
    shares = mass[:, None] / total
    mean = (shares * entries).sum(axis=0)
    return mean, np.asarray((shares * _centered(entries - mean) ** 2).sum())


def _scores_of(card: Scorecard, rates: Floats) -> Floats:
    """Return scores with given probabilities: one step where these are softmax, else bisection class by class."""

    def probabilities(scores: Floats) -> Floats:
        return np.asarray(card.probabilities(Evidence(to_fixed(scores)[:, None]))[:, 0])

    scores = log_positive(rates)
    scores = 2.0 * scores - log_positive(probabilities(scores))
    for sweep in range(_SWEEPS * len(rates)):
        if np.abs(probabilities(scores) - rates).max() < _CLOSE:
            break
        c = sweep % len(rates)
        low, high = scores[c] - _FAR, scores[c] + _FAR
        for _ in range(_BISECTIONS):
            scores[c] = 0.5 * (low + high)
            low, high = (scores[c], high) if probabilities(scores)[c] < rates[c] else (low, scores[c])
    return scores
