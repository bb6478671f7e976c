# SPDX-License-Identifier: BSD-3-Clause
"""How far a fit is: what Ctrl-C leaves, and how to go on, in one sentence."""

from dataclasses import dataclass, field
from pathlib import Path

from bayesieve.report import FoldCache

__all__ = ["FitProgress"]


@dataclass
class FitProgress:
    """What a fit has finished.

    Attributes
    ----------
    is_fitted : bool
        Whether there is a model of all rows.
    written : list of str
        The files that are written, each as a clause.
    cache : FoldCache or None
        Where finished folds are stored, once this is known.
    n_folds : int
        Number of these folds.
    stores : bool
        Whether the command stores what it finished if it is given a folder.
    """

    is_fitted: bool = False
    written: list[str] = field(default_factory=list)
    cache: FoldCache | None = None
    n_folds: int = 0
    stores: bool = True

    def interrupted(self, checkpoint: Path | None) -> str:
        """Return the sentence; ``checkpoint`` is the folder that the user has named."""
        missing = "the evaluation was complete" if self.is_fitted else "a model was fitted"
        written = " and ".join(self.written) or "nothing was written"
        return f"Interrupted before {missing}; {written}; {self._advice(checkpoint)}."

    def _advice(self, checkpoint: Path | None) -> str:
        if not self.stores:
            return "the same command starts from the beginning"
        if checkpoint is None:
            return "the same command starts from the beginning (use --checkpoint FOLDER to resume later)"
        n_stored = None if self.cache is None else self.cache.count(self.n_folds)
        if n_stored == 0 or not checkpoint.is_dir() or not any(checkpoint.iterdir()):
            return f"nothing is stored in {checkpoint} yet, so that the same command starts from the beginning"
        if n_stored is None:
            return f"the same command resumes with what {checkpoint} has of this fit"
        return f"{n_stored} of {self.n_folds} folds are stored in {checkpoint}: run the same command again to resume"
