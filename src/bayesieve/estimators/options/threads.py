"""Number of threads."""

from joblib import effective_n_jobs

from bayesieve.exceptions import ParameterError

__all__ = ["read_threads"]


def read_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` means."""
    if n_jobs == 0:
        raise ParameterError("n_jobs=0: at least one thread is needed; -1 takes one for each processor.")
    return int(effective_n_jobs(n_jobs))
