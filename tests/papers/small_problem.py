"""A small problem of the experiment's kind."""

import numpy as np

from bayesieve.papers.paper_004.problem import Problem, Sample


def make_small(seed=0, n_rows=120, n_columns=8):
    """Return noisy indicators of four classes, with a duplicate."""
    rng = np.random.default_rng(seed)

    def sample():
        target = np.sort(rng.integers(0, 4, n_rows)).astype(np.int32)
        centers = np.array([[(c >> (j % 2)) & 1 for j in range(n_columns)] for c in range(4)])
        flipped = rng.random((n_rows, n_columns)) < 0.3
        indicators = (centers[target] ^ flipped).astype(np.uint8)
        indicators[:, -1] = indicators[:, 0]
        return Sample(indicators, target)

    return Problem(tuple(f"c{j}" for j in range(n_columns)), sample(), sample(), sample())
