"""Where the published data sets are, if they are on this machine."""

import os
from pathlib import Path

import pytest


def real_data():
    """Return the folder that BAYESIEVE_DATA names, or the one beside the checkout; None without either."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BAYESIEVE_DATA") or beside)
    return folder if folder.is_dir() else None


needs_data = pytest.mark.skipif(
    real_data() is None, reason="the published data sets are not here: set BAYESIEVE_DATA to their folder"
)
