"""Tables of one pair beside log-odds of rows: one from all rows, and one per fold without its rows."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.engine.pairs.cell_sums import fold_sums
from bayesieve.engine.pairs.pair_rows import PairRows
from bayesieve.models.pair_tables import posterior_tables

__all__ = ["CrossFit", "cross_fit"]

_NEWTON_STEPS: Final = 3
_HALVINGS: Final = 6
_TOLERANCE: Final = 0.1  # nats that a step may lose: the posterior mean is not the maximum of the likelihood


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

    A step is halved while the log-likelihood of the training rows falls.
    """
    tables = np.zeros((rows.n_folds + 1, *rows.shape(pair))) if start is None else start
    sums = fold_sums(rows, pair, log_odds, tables)
    for _ in range(n_steps):
        _, target = posterior_tables(sums.gradient + sums.curvature * tables, sums.curvature)
        target[sums.curvature == 0.0] = 0.0
        before, step = sums.log_likelihood - _TOLERANCE, target - tables
        for _ in range(_HALVINGS):
            sums = fold_sums(rows, pair, log_odds, tables + step)
            falls = sums.log_likelihood < before
            if not falls.any():
                break
            step[falls] /= 2.0
        tables = tables + step
    return CrossFit(pair, tables)
