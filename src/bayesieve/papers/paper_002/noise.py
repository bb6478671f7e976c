# SPDX-License-Identifier: BSD-3-Clause
"""How many probes MODL leaves in a single interval: columns without relation to the class, before any search."""

from typing import Any

import numpy as np

from bayesieve.datasets import add_probes
from bayesieve.papers.paper_002.challenge import LOADERS, PROBE_KINDS, zero_one
from bayesieve.papers.paper_002.readings import informative_columns

__all__ = ["run_noise"]


def run_noise(name: str) -> dict[str, Any]:
    """Return the number of probes, one per column of the training rows, and of those with more than one interval."""
    train = LOADERS[name]("train")
    X, is_probe = add_probes(train.data, kind=PROBE_KINDS.get(name, "permute"), random_state=1)
    probes = X[:, np.flatnonzero(is_probe)]
    found = informative_columns(probes, zero_one(train.target))
    return {
        "set": name,
        "n_rows": len(train.target),
        "n_probes": int(is_probe.sum()),
        "n_divided": len(found.positions),
    }
