# SPDX-License-Identifier: BSD-3-Clause
"""Simulated tables whose columns of effect are known, for the comparison of selectors."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["TRUTHS", "found_share", "simulated_table"]

_ROWS: Final = 7000

Simulated = tuple[pd.DataFrame, NDArray[np.int64], list[frozenset[int]]]


def simulated_table(name: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return the table of a name and its classes."""
    return TRUTHS[name]()[:2]


def found_share(subset: list[int], effects: list[frozenset[int]], k: int) -> float:
    """Return the share of effects that are among chosen columns, of as many as ``k`` can hold; copies count once."""
    return sum(bool(effect & set(subset)) for effect in effects) / min(k, len(effects))


def _copies() -> Simulated:
    """Return 8 columns of effect, each with 3 noisy copies, and 32 without."""
    random = np.random.default_rng(1)
    signals = random.normal(size=(_ROWS, 8))
    copies = [0.9 * signals + 0.45 * random.normal(size=signals.shape) for _ in range(3)]
    score = signals @ np.linspace(1.2, 0.5, 8)
    X = np.hstack([signals, *copies, random.normal(size=(_ROWS, 32))])
    return _frame(X), _classes(score, random), [frozenset(range(j, 32, 8)) for j in range(8)]


def _exclusive_ors() -> Simulated:
    """Return 3 pairs of columns that have an effect together only, 4 columns of effect, and 40 without."""
    random = np.random.default_rng(2)
    X = random.normal(size=(_ROWS, 50))
    pairs = sum(1.2 * np.sign(X[:, 2 * i] * X[:, 2 * i + 1]) for i in range(3))
    return _frame(X), _classes(pairs + 0.8 * X[:, 6:10].sum(axis=1), random), [frozenset({j}) for j in range(10)]


def _levels() -> Simulated:
    """Return 4 categories of 40 levels and 3 numbers of effect; 12 categories of 200 levels and 12 numbers without."""
    random = np.random.default_rng(3)
    levels = [random.integers(0, 40, _ROWS) for _ in range(4)]
    noise = [random.integers(0, 200, _ROWS) for _ in range(12)]
    numbers = random.normal(size=(_ROWS, 15))
    score = sum(random.normal(size=40)[codes] for codes in levels) + 0.7 * numbers[:, :3].sum(axis=1)
    named = {f"k{j}": pd.Categorical(codes.astype(str)) for j, codes in enumerate([*levels, *noise])}
    X = pd.concat([pd.DataFrame(named), _frame(numbers)], axis=1)
    return X, _classes(score, random), [frozenset({j}) for j in (0, 1, 2, 3, 16, 17, 18)]


TRUTHS: Final[dict[str, Callable[[], Simulated]]] = {
    "copies": _copies,
    "exclusive-ors": _exclusive_ors,
    "many levels": _levels,
}


def _frame(X: NDArray[np.float64]) -> pd.DataFrame:
    return pd.DataFrame(X).add_prefix("c")


def _classes(score: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.int64]:
    return (score + random.logistic(size=len(score)) > 0.0).astype(np.int64)
