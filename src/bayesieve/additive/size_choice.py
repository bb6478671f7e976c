# SPDX-License-Identifier: BSD-3-Clause
"""The number of columns that is enough, by the losses of sizes and by what columns usually add.

With few rows the losses of sizes are uneven, and the smallest size that looks good is often too small. What size k
lacks of the largest size K, per row, was measured as d with a variance v, from the paired losses of rows. Usually it is

    m = 0.2 (1 - k / K) x gain,    gain = loss of class frequencies - smallest loss

with a standard deviation s = 0.6 m, if the columns that are left have an effect. Of columns with a Bayes factor B > 1
alone, 1 - 1 / B have one; q is the mean of this share over the columns that are left. Where d < m, expected is

    d + q v / (v + s^2) x (m - d)

and otherwise d, as more than usual may be lacking. With many rows v is small, and where only noise is left q is:
nothing changes there.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import ShapeRows, log_losses
from bayesieve.additive.shape_path import SizeFit
from bayesieve.exact import exp_nonpositive

__all__ = ["enough_size", "expected_losses"]

_LACK: Final = 0.2
_SPREAD: Final = 0.6


def enough_size(losses: Floats, frequencies: SizeFit, lost: float) -> int:
    """Return the index of the first loss that is small enough.

    It may lack a share ``lost`` of the improvement that the smallest loss has over class frequencies.
    """
    least = float(losses.min())
    enough = max(least, frequencies.loss - (1.0 - lost) * (frequencies.loss - least))
    return int(np.argmax(losses <= enough))


def expected_losses(rows: ShapeRows, frequencies: SizeFit, sizes: Sequence[SizeFit], alone: Floats) -> Floats:
    """Return the expected loss of each size, the largest of which comes last.

    ``alone`` has the log Bayes factors of all columns by themselves. The losses of class frequencies, and of the
    largest size, are as they were measured.
    """
    losses = np.array([size.loss for size in sizes])
    gain, total, largest = frequencies.loss - float(losses.min()), float(rows.weights.sum()), sizes[-1].fit
    if gain <= 0.0:
        return losses
    effects = dict(enumerate((1.0 - exp_nonpositive(-np.maximum(alone, 0.0))).tolist()))
    of_largest = log_losses(largest.out_of_fold, rows.target)
    for i, size in enumerate(sizes[:-1]):
        left = sorted(set(largest.columns).difference(size.fit.columns))
        if not size.fit.columns or not left:
            continue
        share = sum(effects[k] for k in left) / len(left)
        usual, lack = _LACK * len(left) / len(largest.columns) * gain, float(losses[i] - losses[-1])
        lacks = log_losses(size.fit.out_of_fold, rows.target) - of_largest
        variance = float((rows.weights * (lacks - lack) ** 2).sum()) / total**2
        losses[i] += share * variance / (variance + (_SPREAD * usual) ** 2) * max(usual - lack, 0.0)
    return losses
