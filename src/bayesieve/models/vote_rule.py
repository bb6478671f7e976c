# SPDX-License-Identifier: BSD-3-Clause
"""The number of votes that decides for the positive class."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np

from bayesieve.exceptions import ParameterError

__all__ = ["VoteRule", "read_votes"]


@dataclass(frozen=True)
class VoteRule:
    """Of k columns, ``n_k`` votes decide for the positive class: min(n, k), or the share of k, rounded up.

    Either ``n`` or ``share`` is set. A share of one is the rule *all*. ``positive`` is the index of the positive class.
    """

    n: int | None = None
    share: Fraction | None = None
    positive: int = 1

    def needed(self, k: int) -> int:
        """Return n_k."""
        if self.share is not None:
            return ceil(self.share * k)
        assert self.n is not None
        return min(self.n, k)

    @property
    def is_unanimous(self) -> bool:
        """Whether a single vote against decides, so that votes against are counted: the rule *all*."""
        return self.share == 1

    @property
    def counted_class(self) -> int:
        """The index of the class whose votes are counted."""
        return 1 - self.positive if self.is_unanimous else self.positive

    def decisive(self, k: int) -> int:
        """Return how many counted votes decide among k columns."""
        return 1 if self.is_unanimous else self.needed(k)

    def cap(self, n_columns: int) -> int:
        """Return the count beyond which the exact number of votes does not matter."""
        if self.is_unanimous:
            return 1
        return n_columns + 1 if self.n is None else min(self.n, n_columns + 1)


def read_votes(votes: Any) -> VoteRule:
    """Read "any", "all", "majority", a number of votes or a share of them."""
    if isinstance(votes, str) and votes in _NAMED:
        return _NAMED[votes]
    if isinstance(votes, Integral) and not isinstance(votes, bool | np.bool_) and int(votes) >= 1:
        return VoteRule(n=int(votes))
    if isinstance(votes, Real) and not isinstance(votes, Integral | np.bool_) and 0 < float(votes) <= 1:
        return VoteRule(share=Fraction(repr(float(votes))))  # exactly as written
    raise ParameterError(
        "votes must be 'any', 'all', 'majority', a number of votes of 1 or more, or a share above 0 and at most 1.0; "
        f"got {votes!r:.60}."
    )


_NAMED = {"any": VoteRule(n=1), "all": VoteRule(share=Fraction(1)), "majority": VoteRule(share=Fraction(1, 2))}
