# SPDX-License-Identifier: BSD-3-Clause
"""A training and a test mailing, with the predicted gift of each person."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.data import append_columns, pick_rows, read_file, split_target
from bayesieve.datasets import load_kdd98, make_donors
from bayesieve.datasets.donors import HAND_SELECTED
from bayesieve.datasets.download import find_files, homes
from bayesieve.exceptions import DataError, DownloadError

__all__ = [
    "AMOUNT_COLUMNS",
    "COST",
    "Campaign",
    "Mailing",
    "donor_campaign",
    "has_donor_file",
    "has_targets",
    "missing_real_files",
    "real_campaign",
    "simulated_campaign",
]

AMOUNT_COLUMNS: Final = ["LASTGIFT", "AVGGIFT"]
"""Columns of the regression of gifts (Zadrozny and Elkan, 2001)."""

COST: Final = 0.68
"""Cost of a letter in dollars."""

_TEST_SEED: Final = 1_000_000  # added to the seed of the training set


@dataclass(frozen=True)
class Mailing:
    """People and their answers.

    Their gifts and predicted gifts are None if the amounts are unknown; the true value of a letter is known if it is
    simulated.
    """

    data: Any
    target: NDArray[np.int64]
    amounts: Floats | None = None
    expected: Floats | None = None
    true_value: Floats | None = None

    def profit(self, mailed: NDArray[np.bool_], cost: float) -> float:
        """Return the profit of letters to these people."""
        assert self.amounts is not None
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


def missing_real_files(*, download: bool) -> str | None:
    """Return why the files of KDD Cup 1998 cannot be used, None if they can; they may be downloaded first."""
    names = ["cup98LRN.txt", "cup98VAL.txt", "valtargt.txt"]
    if any(find_files(home / "kdd98", names) for home in homes(None)):
        return None
    reason = "The files of KDD Cup 1998 (kdd98/cup98LRN.txt, cup98VAL.txt) are not in BAYESIEVE_DATA."
    if not download:
        return reason
    try:
        for subset in ("train", "test"):
            load_kdd98(subset)
    except (DataError, DownloadError) as error:
        return f"{reason} {error}"
    return None


def donor_campaign(seed: int) -> Campaign:
    """Return two random halves of the donor table, a sample of KDD Cup 1998 in which a quarter gave; no amounts."""
    frame = read_file(_donor_file()[0])
    data, labels = split_target(frame, list(frame.columns).index("Donate"))
    target = (np.asarray(labels) == "Yes").astype(np.int64)
    halves = train_test_split(np.arange(len(target)), test_size=0.5, stratify=target, random_state=seed)
    train, test = (Mailing(pick_rows(data, np.sort(rows)), target[np.sort(rows)]) for rows in halves)
    return Campaign(train, test, (), COST)


def has_donor_file() -> bool:
    """Return whether the donor table is present."""
    return bool(_donor_file())


def has_targets() -> bool:
    """Return whether the published targets of the test set of KDD Cup 1998 are present."""
    return any(find_files(home / "kdd98", ["valtargt.txt"]) for home in homes(None))


def _donor_file() -> list[Path]:
    found = (find_files(home / "donor", ["donor.csv"]) for home in homes(None))
    return next((paths for paths in found if paths), [])


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
