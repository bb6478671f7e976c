"""Jobs that a journal does not have yet are run, and written down as they are done."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from bayesieve.evaluation.journal import Journal
from bayesieve.evaluation.processes import run_jobs

__all__ = ["run_left"]

Record = dict[str, Any]


def run_left(
    task: Callable[[Any], Record],
    jobs: Sequence[Hashable],
    journal: Journal,
    n_processes: int,
    on_record: Callable[[Record], None] = lambda record: None,
) -> bool:
    """Run the jobs that are not in the journal, and tell whether all were done; Ctrl-C keeps those that were."""
    left = [job for job in jobs if job not in journal]
    try:
        for record in run_jobs(task, left, min(n_processes, len(left))):
            journal.add(record)
            on_record(record)
    except KeyboardInterrupt:
        return False
    return True
