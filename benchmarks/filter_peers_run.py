# SPDX-License-Identifier: BSD-3-Clause
"""Script for an environment with the filters of peers: processor seconds of each.

Usage: ``filter_peers_run.py FOLDER``; the folder holds ``arrays.npz``, the results are ``seconds.json`` and the weights
of skrebate's ReliefF, ``weights.npy``.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["run"]


def run(folder: Path) -> None:
    """Measure each peer once, since they are slow."""
    import pandas as pd
    from fast_select import ReliefF as FastReliefF
    from mrmr import mrmr_classif
    from skrebate import ReliefF

    warnings.simplefilter("ignore")
    with np.load(folder / "arrays.npz") as arrays:
        X, y, numbers, labels = (arrays[name] for name in ("X", "y", "numbers", "labels"))
    frame, target = pd.DataFrame(X).add_prefix("c"), pd.Series(y)
    slow = ReliefF(10, n_neighbors=10, n_jobs=1)
    fast = FastReliefF(10, n_neighbors=10, n_jobs=1, backend="cpu")
    seconds = {
        "mrmr_selection": _seconds(lambda: mrmr_classif(frame, target, K=50, n_jobs=1, show_progress=False)),
        "skrebate": _seconds(lambda: slow.fit(numbers, labels)),
        "fast-select": _seconds(lambda: fast.fit(numbers, labels)),
        "fast-select again": _seconds(lambda: fast.fit(numbers, labels)),
    }
    np.save(folder / "weights.npy", slow.feature_importances_)
    (folder / "seconds.json").write_text(json.dumps(seconds))


def _seconds(task: Callable[[], Any]) -> float:
    begin = time.process_time()
    task()
    return time.process_time() - begin


if __name__ == "__main__":
    run(Path(sys.argv[1]))
