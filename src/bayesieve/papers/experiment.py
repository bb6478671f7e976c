# SPDX-License-Identifier: BSD-3-Clause
"""An experiment for the command line: jobs that return records, and a summary of the records."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesieve.evaluation.jobs import Journal

__all__ = ["Experiment"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """Names of jobs, a function that runs one, and views of the records.

    Attributes
    ----------
    journal_name : str
        The file with one line per record.
    noun : str
        What the jobs are, for messages.
    jobs : sequence
        Names of the jobs.
    run : callable
        ``run(name, n_threads=..., on_step=...)`` returns a record, and may call ``on_step`` after each of its
        ``n_steps``; importable, so that other processes can call it.
    most_processes : int
        Largest number of parallel processes; one if seconds are part of the table.
    name, fits : callables
        See `Journal`.
    summarize : callable
        Records to plain data, from which tables and pictures are made.
    notes : tuple of str
        What was skipped, and the reasons.
    """

    journal_name: str
    noun: str
    jobs: Sequence[Hashable]
    run: Callable[..., Record]
    n_steps: int
    most_processes: int
    name: Callable[[Record], Hashable]
    fits: Callable[[Record], bool]
    summarize: Callable[[Sequence[Record]], Record]
    notes: tuple[str, ...] = ()

    def journal(self, folder: Path) -> Journal:
        """Open the journal of a folder."""
        return Journal(folder / self.journal_name, self.name, self.fits)
