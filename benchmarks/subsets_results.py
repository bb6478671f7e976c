# SPDX-License-Identifier: BSD-3-Clause
"""Results of the comparison of selectors: what was chosen, how it was judged, and what that comes to over sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

from benchmarks.quality_results import SAVED

__all__ = ["SAVED_CHOSEN", "SAVED_JUDGED", "Chosen", "Judged", "Standings", "Target", "key_of"]

SAVED_CHOSEN: Final[Path] = SAVED.with_name("subsets_chosen.jsonl")
SAVED_JUDGED: Final[Path] = SAVED.with_name("subsets_judged.jsonl")
_TOLERANCE: Final = 0.005  # of the class entropy
_ERRORS: Final = 2.0

Keys = tuple[str, int, str]


def key_of(subset: Iterable[int]) -> str:
    """Return the name of a subset: whoever chose it, it is judged once."""
    return " ".join(map(str, sorted(subset)))


@dataclass(frozen=True)
class Chosen:
    """The columns that a selector chose, by position, for each size that it can; ``note`` has what went wrong."""

    set: str
    split: int
    selector: str
    version: str
    seconds: float = 0.0
    note: str = ""
    subsets: dict[str, list[int]] = field(default_factory=dict)

    @property
    def key(self) -> Keys:
        """What a later line replaces."""
        return self.set, self.split, self.selector


@dataclass(frozen=True)
class Judged:
    """The log losses of subsets by one judge, and that of class frequencies."""

    set: str
    split: int
    judge: str
    version: str
    entropy: float
    losses: dict[str, float] = field(default_factory=dict)

    @property
    def key(self) -> Keys:
        """What a later line replaces."""
        return self.set, self.split, self.judge


@dataclass(frozen=True)
class Target:
    """A selector on the confirming sets, less the one that was best on the choosing sets; shares of the class entropy.

    It is met within 0.5 %, or within two standard errors if that is less.
    """

    judge: str
    k: int
    best: str
    n_sets: int
    difference: float
    error: float

    @property
    def bound(self) -> float:
        """The largest difference that meets it."""
        return min(_TOLERANCE, _ERRORS * self.error)

    @property
    def is_met(self) -> bool:
        """Whether the difference is not larger."""
        return self.difference <= self.bound


class Standings:
    """Losses of selectors in shares of the class entropy, means over splits.

    Parameters
    ----------
    chosen, judged : dict
        By key, as a file of results has them.
    selectors : sequence of str
        Those that are compared; a set counts at a size if all of them have a loss there.
    """

    def __init__(self, chosen: Mapping[Keys, Chosen], judged: Mapping[Keys, Judged], selectors: Sequence[str]) -> None:
        self._chosen, self._judged, self.selectors = chosen, judged, tuple(selectors)

    def share(self, data: str, judge: str, selector: str, k: int) -> float | None:
        """Return the loss of a set, divided by the class entropy; None if there is none."""
        shares = []
        for (own, split, by), line in self._judged.items():
            choice = self._chosen.get((data, split, selector))
            if (own, by) == (data, judge) and choice is not None and str(k) in choice.subsets:
                loss = line.losses.get(key_of(choice.subsets[str(k)]))
                shares += [] if loss is None else [loss / line.entropy]
        return fmean(shares) if shares else None

    def row(self, data: str, judge: str, k: int) -> dict[str, float] | None:
        """Return the shares of all selectors on a set; None if one is missing."""
        found = {name: self.share(data, judge, name, k) for name in self.selectors}
        complete = {name: share for name, share in found.items() if share is not None}
        return complete if len(complete) == len(found) else None

    def rows(self, sets: Iterable[str], judge: str, k: int) -> list[dict[str, float]]:
        """Return the rows of the sets that have one."""
        return [row for data in sets if (row := self.row(data, judge, k)) is not None]

    def target(self, reference: str, halves: tuple[Sequence[str], Sequence[str]], judge: str, k: int) -> Target | None:
        """Compare a selector with the best other one; None without two confirming sets."""
        choosing, confirming = (self.rows(half, judge, k) for half in halves)
        if not choosing or len(confirming) < 2:
            return None
        others = [name for name in self.selectors if name != reference]
        best = min(others, key=lambda name: fmean(row[name] for row in choosing))
        differences = [row[reference] - row[best] for row in confirming]
        error = stdev(differences) / len(differences) ** 0.5
        return Target(judge, k, best, len(differences), fmean(differences), error)

    def seconds(self, selector: str) -> float | None:
        """Return the mean processor seconds of a selector on a set."""
        own = [line.seconds for key, line in self._chosen.items() if key[2] == selector and line.subsets]
        return fmean(own) if own else None

    def subset(self, data: str, split: int, selector: str, k: int) -> list[int] | None:
        """Return what was chosen."""
        line = self._chosen.get((data, split, selector))
        return None if line is None else line.subsets.get(str(k))
