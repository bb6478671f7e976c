"""A simulated mailing of a charity, whose truth is known."""

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

    One in twenty gives, $1 to $500; those who give often give less at a time. About 480 columns tell of past gifts in
    many ways, of facts that are often unknown, and of the neighbourhood in 304 averages of six hidden factors.

    Parameters
    ----------
    n_rows : int, default=95412
        Number of people.
    random_state : int, default=0
        The seed; another one gives other people of the same kind.

    Returns
    -------
    campaign : Bunch
        ``data`` (a pandas frame, or polars), ``target`` (1 for a gift), ``amounts`` (dollars, 0 without a gift),
        ``probabilities`` and ``expected_amounts`` (the truth, which no column tells), ``cost`` (of a letter),
        ``feature_names``, ``hand_selected`` (the seven columns that people chose for the real data) and ``DESCR``.

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
        DESCR="A simulated mailing of a charity, with the margins of KDD Cup 1998; its truth is known.",
    )
