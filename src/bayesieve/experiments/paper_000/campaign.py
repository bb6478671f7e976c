# SPDX-License-Identifier: BSD-3-Clause
"""A training and a test mailing, with the predicted gift of each person."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.data import append_columns
from bayesieve.datasets import load_kdd98, make_donors
from bayesieve.datasets.donor_parameters import HAND_SELECTED
from bayesieve.datasets.storage import find_files, homes

__all__ = ["AMOUNT_COLUMNS", "Campaign", "Mailing", "has_real_files", "real_campaign", "simulated_campaign"]


AMOUNT_COLUMNS: Final = ["LASTGIFT", "AVGGIFT"]
"""Columns of the regression of gifts (Zadrozny and Elkan, 2001)."""

_TEST_SEED: Final = 1_000_000  # added to the seed of the training set


@dataclass(frozen=True)
class Mailing:
    """People, their answers and gifts, their predicted gifts, and the true value of a letter if it is simulated."""

    data: Any
    target: NDArray[np.int64]
    amounts: Floats
    expected: Floats
    true_value: Floats | None

    def profit(self, mailed: NDArray[np.bool_], cost: float) -> float:
        """Return the profit of letters to these people."""
        return float((self.amounts - cost)[mailed].sum())

    def true_profit(self, mailed: NDArray[np.bool_], cost: float) -> float | None:
        """Return the expected profit under the true values, None for real data."""
        return None if self.true_value is None else float((self.true_value - cost)[mailed].sum())


@dataclass(frozen=True)
class Campaign:
    """A training and a test mailing with the same columns."""

    train: Mailing
    test: Mailing
    hand_selected: tuple[str, ...]
    cost: float


def simulated_campaign(seed: int, n_rows: int) -> Campaign:
    """Return two simulated mailings of ``n_rows`` people each."""
    return _campaign(*(make_donors(n_rows, each) for each in (seed, seed + _TEST_SEED)))


def real_campaign() -> Campaign:
    """Return KDD Cup 1998 with the column PGIFT, which is one of the hand-selected columns."""
    both = [load_kdd98(subset) for subset in ("train", "test")]
    for bunch in both:
        gifts, letters = (np.asarray(bunch.data[name], dtype=np.float64) for name in ("NGIFTALL", "NUMPROM"))
        bunch.data = append_columns(bunch.data, {"PGIFT": gifts / np.maximum(letters, 1.0)})
    return _campaign(*both)


def has_real_files() -> bool:
    """Return whether the files of KDD Cup 1998 are present."""
    names = ["cup98LRN.txt", "cup98VAL.txt", "valtargt.txt"]
    return any(find_files(home / "kdd98", names) for home in homes(None))


def _campaign(train: Bunch, test: Bunch) -> Campaign:
    gave = train.target == 1
    regression = LinearRegression().fit(_gifts(train)[gave], train.amounts[gave])
    return Campaign(_mailing(train, regression), _mailing(test, regression), HAND_SELECTED, train.cost)


def _mailing(bunch: Bunch, regression: Any) -> Mailing:
    expected = np.maximum(regression.predict(_gifts(bunch)), 0.0)
    true_value = bunch.probabilities * bunch.expected_amounts if "probabilities" in bunch else None
    return Mailing(bunch.data, bunch.target, bunch.amounts, expected, true_value)


def _gifts(bunch: Bunch) -> Floats:
    return np.column_stack([np.asarray(bunch.data[name], dtype=np.float64) for name in AMOUNT_COLUMNS])
