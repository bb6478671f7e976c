"""Where the published data sets are, if they are on this machine."""

import os
from pathlib import Path

import pytest

_BESIDE_THE_CHECKOUT = Path(__file__).parents[2] / "shared" / "data"
_FOLDER = Path(os.environ.get("BAYESIEVE_DATA") or _BESIDE_THE_CHECKOUT)

REAL_DATA = _FOLDER if (_FOLDER / "20newsgroups").is_dir() else None
if REAL_DATA is not None:
    os.environ.setdefault("BAYESIEVE_DATA", str(REAL_DATA))  # for commands, whose loaders look there

needs_data = pytest.mark.skipif(
    REAL_DATA is None, reason="the published data sets are not here: set BAYESIEVE_DATA to their folder"
)
