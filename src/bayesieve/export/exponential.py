# SPDX-License-Identifier: BSD-3-Clause
"""exp of numbers from -700 to 0 by multiplication alone, because not every database has the function.

exp(x) = exp(x / 1024)^1024: the first by a polynomial whose error is below 1e-15, the power by taking the fourth power
five times. The relative error of the whole is about 1e-12.
"""

from collections.abc import Sequence

__all__ = ["LOWEST", "power_stages"]

LOWEST = -700.0
_DEGREE = 15
_SCALE = 1024.0
_FOURTH_POWERS = 5


def power_stages(names: Sequence[str]) -> list[dict[str, str]]:
    """Return stages, each a mapping of name to expression; after the last, a column holds its own exp.

    The expressions of a stage read a column several times, so that each stage must be computed before the next.
    """
    stages = [{name: _polynomial(name) for name in names}]
    stages += [{name: f"{name} * {name} * {name} * {name}" for name in names}] * _FOURTH_POWERS
    return stages


def _polynomial(name: str) -> str:
    """Return 1 + u (1 + u/2 (1 + u/3 (...))) with u = x / 1024."""
    nested = "1.0e0"
    for k in range(_DEGREE, 0, -1):
        nested = f"(1.0e0 + {name} / {k * _SCALE:.1f}e0 * {nested})"
    return nested
