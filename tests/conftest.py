"""How the tests are run: on all processors if all are asked for, and the same from a background shell."""

import gc
import os
import signal
from functools import cache

import pytest
from draws import draws
from hypothesis import settings

MOST_WORKERS = 8  # each imports scikit-learn, Dask and ONNX

# Threads of linear algebra and of boosting wait for each other in busy loops: four times the time of one thread.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# A busy machine may take any time for an example; pytest-timeout ends what does not end.
settings.register_profile("no deadline", deadline=None, max_examples=draws(40, 100))
settings.load_profile("no deadline")

# Hundreds of tests run the program: its options are read from the signatures of all commands once, not for each run.
try:
    from typer import testing
except ModuleNotFoundError:  # wheels are tested without it
    pass
else:
    if hasattr(testing, "_get_command"):  # a name of its own, which a release may change
        testing._get_command = cache(testing._get_command)


def pytest_configure() -> None:
    # Shells have background jobs ignore Ctrl-C, which their children inherit.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Find the tests without looking for garbage, and never look among them and their libraries, which all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_xdist_auto_num_workers(config) -> int:
    """Use workers for the whole suite; some files are done before workers have started."""
    return min(os.cpu_count() or 1, MOST_WORKERS) if config.args == ["tests"] else 0
