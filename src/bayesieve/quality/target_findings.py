# SPDX-License-Identifier: BSD-3-Clause
"""What is found in the target: missing labels, one class, too many classes, rare classes."""

from collections import Counter
from typing import Any

from numpy.typing import NDArray

from bayesieve.data.column import in_order, is_missing
from bayesieve.quality.finding import Finding, quote

__all__ = ["find_in_target"]

_RARE = 0.05
_FEW = 30
_MANY = 100


def find_in_target(y: NDArray[Any]) -> tuple[list[Finding], dict[Any, int]]:
    """Return the findings, and the number of rows per class."""
    entries = Counter(y.tolist())
    labels = in_order([label for label in entries if not is_missing(label)])
    counts = {label: entries[label] for label in labels}
    n_present = sum(counts.values())
    findings = []
    if n_missing := len(y) - n_present:
        findings.append(Finding("target", None, f"The target is missing in {n_missing:,} of {len(y):,} rows"))
    if len(counts) < 2:
        findings.append(Finding("target", None, "The target has fewer than two classes"))
    elif len(counts) > _MANY:
        message = f"The target has {len(counts):,} different values; classes are expected, {_MANY} at most"
        findings.append(Finding("target", None, message))
    else:
        findings += _rare_classes(counts, n_present)
    return findings, counts if len(counts) <= _MANY else {}


def _rare_classes(counts: dict[Any, int], n_rows: int) -> list[Finding]:
    rarest = min(counts, key=lambda label: counts[label])
    n, label = counts[rarest], quote([str(rarest)])
    if n < _FEW:
        return [Finding("few rows", None, f"Class {label} has {n} rows only; its scores will be uncertain")]
    if n < _RARE * n_rows and len(counts) == 2:
        message = (
            f"Class {label} has {n / n_rows:.1%} of the rows, so predicting the other class is right in "
            f"{1 - n / n_rows:.1%} of them; look at the ROC AUC, or at recall and precision, rather than at accuracy"
        )
        return [Finding("rare class", None, message)]
    return []
