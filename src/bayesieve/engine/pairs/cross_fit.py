# SPDX-License-Identifier: BSD-3-Clause
"""Tables of one pair beside log-odds of rows: one from all rows, and one per fold without its rows."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats
from bayesieve.engine.pairs.cell_sums import FoldSums, fold_sums
from bayesieve.engine.pairs.pair_rows import PairRows
from bayesieve.models.pair_tables import posterior_tables

__all__ = ["CrossFit", "cross_fit"]

_NEWTON_STEPS: Final = 3
_HALVINGS: Final = 6
_TOLERANCE: Final = 0.1  # nats


@dataclass(frozen=True)
class CrossFit:
    """Tables of a pair, of shape (n_folds + 1, n_a, n_b): without the rows of each fold, and of all rows (last)."""

    columns: tuple[int, int]
    tables: Floats

    def out_of_fold(self, rows: PairRows) -> Floats:
        """Return what the table without a row's fold adds to its log-odds."""
        a, b = self.columns
        return np.asarray(self.tables[rows.fold, rows.codes[a], rows.codes[b]])


def cross_fit(
    rows: PairRows, pair: tuple[int, int], log_odds: Floats, start: Floats | None = None, n_steps: int = _NEWTON_STEPS
) -> CrossFit:
    """Return the posterior mean tables beside these log-odds, by Newton steps; cells without training rows are 0.

    A step is halved while the log-likelihood of the training rows changes far less favorably than its quadratic form.
    """
    tables = np.zeros((rows.n_folds + 1, *rows.shape(pair))) if start is None else start
    sums = fold_sums(rows, pair, log_odds, tables)
    for _ in range(n_steps):
        gradient = sums.gradient + sums.curvature * tables
        _, target = posterior_tables(gradient, sums.curvature, rows.n_threads, rows.backend)
        target[sums.curvature == 0.0] = 0.0
        step = target - tables
        for _ in range(_HALVINGS):
            update = fold_sums(rows, pair, log_odds, tables + step)
            fails = _fails(sums, step, update.log_likelihood)
            if not fails.any():
                break
            step[fails] /= 2.0
        tables, sums = tables + step, update
    return CrossFit(pair, tables)


def _fails(sums: FoldSums, step: Floats, log_likelihood: Floats) -> Bools:
    """Return for each table whether the quadratic form at its start is a bad forecast of its log-likelihood."""
    cells = sums.gradient * step - 0.5 * (sums.curvature * step * step)
    forecast = np.add.accumulate(cells.reshape(len(step), -1), axis=1)[:, -1]
    return np.asarray(log_likelihood - sums.log_likelihood < forecast - 0.5 * np.abs(forecast) - _TOLERANCE)
