# SPDX-License-Identifier: BSD-3-Clause
"""An engine whose scores count the size of the subset too."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine.moves import Engine, Move, Moves

__all__ = ["SizePenaltyEngine"]


class SizePenaltyEngine:
    """Takes the price of the subset's size from another engine's scores; a column counts if its weight is not 0.

    The penalty is the same for every segment, so that the score stays the mean over segments.
    """

    def __init__(self, rows: Engine, prices: NDArray[np.float64]) -> None:
        self._rows = rows
        self._prices = prices
        self._size = 0

    @property
    def segment_scores(self) -> Sequence[float]:
        """Scores on the segments, as of the last ``reset``, ``apply`` or ``restore``."""
        price = float(self._prices[self._size])
        return tuple(score - price for score in self._rows.segment_scores)

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        self._size = sum(weight != 0.0 for weight in weights.values())
        return self._rows.reset(weights) - float(self._prices[self._size])

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it.

        One price for all leaves their order as it is. Otherwise the best two by rows need not be the best two.
        """
        batch = Moves.of(moves)
        prices = self._prices[self._sizes_after(batch)]
        uneven = bool((prices != prices[:1]).any())
        return self._rows.score(batch, exact=exact or uneven) - prices

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        self._size = int(self._sizes_after(Moves.of([move]))[0])
        return self._rows.apply(move) - float(self._prices[self._size])

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._rows.snapshot(), self._size

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        rows, self._size = token
        self._rows.restore(rows)

    def _sizes_after(self, batch: Moves) -> NDArray[np.int64]:
        entered = (batch.after != 0.0).astype(np.int64) - (batch.before != 0.0)
        so_far = np.concatenate([[0], np.cumsum(entered)])
        sizes: NDArray[np.int64] = self._size + so_far[batch.starts[1:]] - so_far[batch.starts[:-1]]
        return sizes
