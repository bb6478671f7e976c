# SPDX-License-Identifier: BSD-3-Clause
"""What columns gain alone and given the selected ones, and why others are left out."""

from dataclasses import dataclass

from bayesieve._typing import Floats

__all__ = ["Exclusion", "Gains"]


@dataclass(frozen=True)
class Gains:
    """What columns gain, each number larger-is-better and in the criterion's units.

    Attributes
    ----------
    empty : float
        The score of no column.
    alone : array of shape (n_groups,)
        The score of each group alone.
    given_others : array of shape (n_groups,)
        What each adds to the other selected ones.
    """

    empty: float
    alone: Floats
    given_others: Floats


@dataclass(frozen=True)
class Exclusion:
    """Why a column was left out, where the method knows more than its gain.

    Attributes
    ----------
    reason : str
        The reason.
    copy_of : str or None
        The column that has the same bins.
    """

    reason: str
    copy_of: str | None = None
