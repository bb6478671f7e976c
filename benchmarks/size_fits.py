# SPDX-License-Identifier: BSD-3-Clause
"""Fits of a scorecard for the benchmarks of the automatic size: one line of a file each, so that a run is resumed."""

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bayesieve import ScorecardClassifier
from benchmarks.quality_exchange import rows_of
from benchmarks.quality_methods import METHODS
from benchmarks.quality_results import SAVED, ResultsFile
from benchmarks.size_sets import SizeSet

__all__ = ["METHODS_OF_SIZE", "SAVED_SIZES", "SizeFits", "SizedFit"]

SAVED_SIZES: Final = SAVED.with_name("size.jsonl")
"""The results behind the tables of `research/size.md`."""

_LEAST: Final = 1e-7  # of a probability in the log loss

METHODS_OF_SIZE: Final[dict[str, dict[str, Any]]] = {
    "auto": {},
    "best": {"n_features": "best"},
    **{f"draw {seed}": {"random_state": seed} for seed in range(8)},
}
"""Settings of a scorecard; draws differ by their folds alone."""


@dataclass(frozen=True)
class SizedFit:
    """A fit of a set: log losses of test rows, of its own held-out rows, and of class frequencies.

    ``error`` is the standard error of the difference between the first two, if the losses of single rows spread among
    own rows as they do among test rows; ``gain_error`` is that of the gain over class frequencies.
    """

    set: str
    split: int
    method: str
    version: str
    n_train: int
    n_table: int
    n_columns: int
    n_pairs: int
    loss: float
    frequencies: float
    own_loss: float
    error: float
    gain_error: float
    seconds: float

    @property
    def key(self) -> tuple[str, int, str]:
        """What a later line replaces."""
        return self.set, self.split, self.method

    @property
    def gain(self) -> float:
        """By how much the loss of test rows is below that of class frequencies."""
        return self.frequencies - self.loss


class SizeFits(ResultsFile[SizedFit]):
    """A file of fits."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, SizedFit)
        self.version = METHODS["scorecard"].version

    def complete(self, sets: Iterable[SizeSet], splits: Iterable[int], methods: Iterable[str], *, again: bool) -> None:
        """Make the fits that are missing; with ``again`` also those of another version of the source."""
        known, numbers, names = self.read(), list(splits), list(methods)
        known = {key: fit for key, fit in known.items() if not again or fit.version == self.version}
        for data in sets:
            missing = [(s, m) for s in numbers for m in names if (data.name, s, m) not in known]
            for split, method in missing:
                fit = self._fit(data, split, method)
                self.append(fit)
                print(f"{data.name}, split {split}, {method}: {fit.n_columns} of {fit.n_table} columns, log loss "
                      f"{fit.loss:.4f}, {fit.seconds:.1f} s", flush=True)  # fmt: skip

    def _fit(self, data: SizeSet, split: int, method: str) -> SizedFit:
        X, y = data.load()
        train, test = data.split(y, split)
        settings = dict(METHODS_OF_SIZE[method])
        if "random_state" in settings:  # a number of folds is drawn by it, and "auto" by the values of the rows
            settings["cv"] = 3 if len(train) > (5000 if y.max() == 1 else 2000) else 5
        model = ScorecardClassifier(n_jobs=1, **settings)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began = time.process_time()
            model.fit(rows_of(X, train), y[train])
            seconds = time.process_time() - began
            tested = model.predict_proba(rows_of(X, test))
        losses, own = _losses(tested, y[test]), -model.path_.phases[-1].score
        shares = np.bincount(y[train], minlength=tested.shape[1]) / len(train)
        frequencies = _losses(np.tile(shares, (len(test), 1)), y[test])
        gain_error = float((frequencies - losses).std()) / len(test) ** 0.5
        error = float(losses.std()) * (1.0 / len(test) + 1.0 / len(train)) ** 0.5
        return SizedFit(
            data.name, split, method, self.version, len(train), X.shape[1], model.n_features_, len(model.pairs_),
            float(losses.mean()), float(frequencies.mean()), own, error, gain_error, seconds,
        )  # fmt: skip


def _losses(probabilities: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log loss of each row."""
    return np.asarray(-np.log(np.clip(probabilities[np.arange(len(y)), y], _LEAST, 1.0)))
