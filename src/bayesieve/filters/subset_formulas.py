# SPDX-License-Identifier: BSD-3-Clause
"""The greedy filters, each defined by an accumulator and a formula.

A candidate f is scored by its relevance I(f; Y), by an accumulator over the selected columns s, and by their number k.
With k = 0 every filter scores by relevance alone. Formulas as in Brown et al., JMLR 13 (2012).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.filters.pair_terms import PairTerms

__all__ = ["SUBSET_FORMULAS", "SubsetFormula"]


_LEAST_REDUNDANCY = 2.0**-20  # nats: replaces a mean redundancy of 0 in a ratio


@dataclass(frozen=True)
class SubsetFormula:
    """How selected columns change the score of a candidate.

    Attributes
    ----------
    accumulate : callable
        Returns the term of one selected column for the accumulator of each candidate.
    score : callable
        Returns the score from relevance, accumulator (both in nats, or in the accumulator's own unit), k > 0 and beta,
        the penalty of redundancy.
    with_class : bool
        Whether the class is part of the joint counts.
    least : bool
        Whether the accumulator is the minimum of the terms instead of their sum: then scores can only fall.
    own_unit : float or None
        The unit of the accumulator if it is not nats.
    """

    accumulate: Callable[[PairTerms], Ints]
    score: Callable[[Floats, Floats, int, float], Floats]
    with_class: bool = True
    least: bool = False
    own_unit: float | None = None


def _shares(terms: PairTerms) -> Ints:
    """Return I(f, s; Y) / H(f, s, Y), in multiples of 2^-40."""
    entropy = terms.joint_entropy
    shares = np.divide(terms.joint_relevance, entropy, out=np.zeros(len(entropy)), where=entropy > 0)
    return to_fixed(shares)


def _lost(terms: PairTerms) -> Ints:
    return terms.redundancy - terms.conditional_redundancy


SUBSET_FORMULAS: dict[str, SubsetFormula] = {
    # I(f; Y) - mean_s I(f; s)
    "mrmr": SubsetFormula(lambda t: t.redundancy, lambda rel, acc, k, beta: rel - acc / k, with_class=False),
    # I(f; Y) / mean_s I(f; s)
    "mrmr_ratio": SubsetFormula(
        lambda t: t.redundancy, lambda rel, acc, k, beta: rel / np.maximum(acc / k, _LEAST_REDUNDANCY), with_class=False
    ),
    # I(f; Y) - beta · sum_s I(f; s)
    "mifs": SubsetFormula(lambda t: t.redundancy, lambda rel, acc, k, beta: rel - beta * acc, with_class=False),
    # sum_s I(f, s; Y)
    "jmi": SubsetFormula(lambda t: t.joint_relevance, lambda rel, acc, k, beta: acc),
    # min(I(f; Y), min_s I(f; Y | s)), as in Fleuret's algorithm: in few rows, I(f; Y | s) of noise can exceed I(f; Y)
    "cmim": SubsetFormula(
        lambda t: t.conditional_relevance, lambda rel, acc, k, beta: np.minimum(rel, acc), least=True
    ),
    # sum_s I(f, s; Y) / H(f, s, Y)
    "disr": SubsetFormula(_shares, lambda rel, acc, k, beta: acc, own_unit=1.0 / FIXED_ONE),
    # I(f; Y) - sum_s max(0, I(f; s) - I(f; s | Y))
    "icap": SubsetFormula(lambda t: np.maximum(_lost(t), 0), lambda rel, acc, k, beta: rel - acc),
    # I(f; Y) - sum_s I(f; s) + sum_s I(f; s | Y)
    "cife": SubsetFormula(_lost, lambda rel, acc, k, beta: rel - acc),
    # I(f; Y) + sum_s I(f; s | Y)
    "condred": SubsetFormula(lambda t: t.conditional_redundancy, lambda rel, acc, k, beta: rel + acc),
}
