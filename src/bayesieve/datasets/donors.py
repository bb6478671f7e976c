# SPDX-License-Identifier: BSD-3-Clause
"""A simulated charity mailing with known true probabilities."""

import numpy as np
from sklearn.utils import Bunch

from bayesieve.data import build_typed_frame
from bayesieve.datasets.donor_columns import draw_columns
from bayesieve.datasets.donor_parameters import HAND_SELECTED, PARAMETERS
from bayesieve.datasets.donor_people import draw_people
from bayesieve.exceptions import ParameterError

__all__ = ["make_donors"]


def make_donors(n_rows: int = PARAMETERS["n_rows"], random_state: int = 0) -> Bunch:
    """Simulate a mailing with the published margins of KDD Cup 1998.

    One in twenty gives, $1 to $500; frequent donors give less at a time. About 480 columns describe past gifts, facts
    that are often missing, and the neighborhood in 304 averages of six hidden factors.

    Parameters
    ----------
    n_rows : int, default=95412
        Number of people.
    random_state : int, default=0
        The seed of the random numbers.

    Returns
    -------
    campaign : Bunch
        ``data`` (a pandas frame, or polars), ``target`` (1 for a gift), ``amounts`` (dollars, 0 without a gift),
        ``probabilities`` and ``expected_amounts`` (the true ones, which are not in ``data``), ``cost`` (of a letter),
        ``feature_names``, ``hand_selected`` (the seven columns that experts selected for the real data) and ``DESCR``.

    Examples
    --------
    >>> from bayesieve.datasets import make_donors
    >>> campaign = make_donors(2000)
    >>> campaign.data.shape, int(campaign.target.sum())
    ((2000, 478), 83)
    """
    if n_rows < 1:
        raise ParameterError(f"n_rows must be positive, got {n_rows!r}.")
    rng = np.random.default_rng(random_state)
    people = draw_people(n_rows, rng)
    columns = dict(draw_columns(people, rng))
    return Bunch(
        data=build_typed_frame(columns, ("pandas", "polars")),
        target=people.gave.astype(np.int64),
        amounts=people.amount,
        probabilities=people.probability,
        expected_amounts=people.expected_amount,
        cost=PARAMETERS["cost"],
        feature_names=list(columns),
        hand_selected=list(HAND_SELECTED),
        DESCR="A simulated charity mailing with the margins of KDD Cup 1998 and known true probabilities.",
    )
