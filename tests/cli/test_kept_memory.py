"""Memory that a fit frees is used again by the same process."""

import platform
import subprocess
import sys

import pytest

_COUNT = """
import resource, sys
import numpy as np
if sys.argv[1] == "kept":
    from bayesieve.cli.kept_memory import keep_freed_memory
    keep_freed_memory()
np.ones(3_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(3_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_arrays_that_are_freed_are_not_cleared_again():
    # Huge pages would hide the difference.
    environment = {"NUMPY_MADVISE_HUGEPAGE": "0", "PATH": ""}
    faults = [
        int(
            subprocess.run(
                [sys.executable, "-c", _COUNT, mode], capture_output=True, check=True, env=environment
            ).stdout
        )
        for mode in ("kept", "usual")
    ]
    assert faults[0] < 100 < faults[1]
