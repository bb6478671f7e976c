# SPDX-License-Identifier: BSD-3-Clause
"""What a person should check in the data: identifiers, columns that leak the target, findings of the data check."""

from collections.abc import Sequence
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.quality import DataCheck, Finding, leaks_target

__all__ = ["describe_findings", "find_warnings", "relevant_findings"]

_MOST_FINDINGS = 100
_SAME = 0.999  # symmetric uncertainty of two columns that determine each other


def find_warnings(model: Any, profiles: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return a sentence for each column that a person should check.

    A column leaks the target if nearly all rows of each of its optimal bins have one class. A column that is known
    before the target does not do that in a table of more than a few rows.
    """
    warnings = {
        each.name: "Every row has a different value; is it an identifier?" for each in profiles if each.is_identifier
    }
    leaks = [name for name, partition in model.partitions_.items() if leaks_target(partition.counts)]
    warnings |= dict.fromkeys(leaks, "It predicts the target almost perfectly; is it known before the target?")
    for name, entry in model.why_.items():
        if name not in warnings and entry["redundant_with"] in leaks and (entry["redundancy"] or 0.0) >= _SAME:
            warnings[name] = (
                f"It is redundant with {entry['redundant_with']!r}, which predicts the target almost perfectly."
            )
    return warnings


def relevant_findings(checked: DataCheck, dropped: Sequence[str | None]) -> list[Finding]:
    """Return what was found in the columns that are used, in the target and in whole rows."""
    return [each for each in checked.findings if each.column is None or each.column not in dropped]


def describe_findings(findings: Sequence[Finding] | None) -> dict[str, Any] | None:
    """Return the findings of a data check as sentences; None if the data were not checked."""
    if findings is None:
        return None
    shown = [{"kind": each.kind, "text": str(each), "advice": each.advice} for each in findings[:_MOST_FINDINGS]]
    return {"n_findings": len(findings), "shown": shown}
