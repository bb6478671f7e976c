"""Which chosen column makes another one superfluous.

When a column enters, the gains of those outside change: a column is most redundant with the one whose entry took the
largest share of its gain. When a column is dropped, those inside become more important: it is most redundant with the
one whose importance rose most.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import Move
from bayesieve.search.observer import Observer
from bayesieve.search.path import Phase, Step

__all__ = ["Redundancy"]


class Redundancy(Observer):
    """Follows the gain of every column along a search."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._position = {name: j for j, name in enumerate(names)}
        # Gain of adding, and of dropping, each column, as of the number of steps noted beside it.
        self._gains = {action: np.full(len(names), np.nan) for action in ("add", "drop")}
        self._measured_at = {"add": -1, "drop": -1}
        self._share = np.zeros(len(names))
        self._partner = np.full(len(names), -1, dtype=np.int64)
        self._base, self._n_steps, self._last = 0.0, 0, ("", -1)

    def on_phase(self, phase: Phase) -> None:
        """Start anew: gains are compared within a phase only."""
        self._base, self._last = phase.score, ("", -1)

    def on_step(self, step: Step, n_steps: int) -> None:
        """Note which column moved."""
        self._base, self._n_steps = step.score, n_steps
        self._last = (step.action, self._position[step.columns[0]])

    def on_scores(self, subset: Sequence[int], moves: Sequence[Move], scores: NDArray[np.float64]) -> None:
        """Compare gains with those before the last step."""
        action = "add" if moves[0][0].after else "drop"
        columns = np.array([move[0].column for move in moves], dtype=np.intp)
        gains = scores - self._base
        if self._last[0] == action and self._measured_at[action] == self._n_steps - 1:
            self._compare(columns, np.nan_to_num(self._gains[action][columns]), gains)
        self._gains[action][:] = np.nan
        self._gains[action][columns] = gains
        self._measured_at[action] = self._n_steps

    def _compare(self, columns: NDArray[np.intp], before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        action, moved = self._last
        if action == "add":
            had_gain = np.maximum(before, 0.0)
            share = np.divide(had_gain - after, had_gain, out=np.zeros_like(after), where=had_gain > 0).clip(max=1.0)
            stronger = share > self._share[columns]
            self._share[columns[stronger]] = share[stronger]
            self._partner[columns[stronger]] = moved
        elif (before - after).max() > 0:
            self._share[moved] = 1.0
            self._partner[moved] = columns[int((before - after).argmax())]

    def partner(self, name: str, chosen: Collection[str]) -> str | None:
        """Return the chosen column that this one is most redundant with, through columns dropped since."""
        seen = {name}
        j = int(self._partner[self._position[name]])
        while j >= 0 and self._names[j] not in chosen and self._names[j] not in seen:
            seen.add(self._names[j])
            j = int(self._partner[j])
        return self._names[j] if j >= 0 and self._names[j] in chosen and self._names[j] != name else None

    def state(self) -> Any:
        """Return what a checkpoint must keep."""
        return {
            "gains": {action: gains.tolist() for action, gains in self._gains.items()},
            "measured_at": self._measured_at,
            "share": self._share.tolist(),
            "partner": self._partner.tolist(),
        }

    def resume(self, state: Any) -> None:
        """Go on from a checkpoint."""
        self._gains = {action: np.array(gains) for action, gains in state["gains"].items()}
        self._measured_at = dict(state["measured_at"])
        self._share = np.array(state["share"])
        self._partner = np.array(state["partner"], dtype=np.int64)
