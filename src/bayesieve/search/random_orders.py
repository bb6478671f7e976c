# SPDX-License-Identifier: BSD-3-Clause
"""Random orders that are the same on every machine."""

from collections.abc import Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

__all__ = ["random_orders"]


def random_orders(n: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield random orders of n things, without end.

    Python promises the numbers that a seed gives, and neither it nor NumPy promises what becomes of them in a shuffle.
    """
    random = Random(seed)
    while True:
        yield np.argsort(np.array([random.random() for _ in range(n)]), kind="stable")
