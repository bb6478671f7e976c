# SPDX-License-Identifier: BSD-3-Clause
"""The check of a table before a fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data import (
    Column,
    ColumnProfile,
    ColumnSurvey,
    build_frame,
    count_copied_rows,
    countable_frame,
    frame_backend,
    is_frame,
    profile_columns,
    read_table,
    survey_columns,
)
from bayesieve.exceptions import DataError
from bayesieve.fit.equal_rows import equal_rows_of
from bayesieve.quality.findings import (
    Finding,
    find_absent_header,
    find_copies,
    find_in_profile,
    find_in_target,
    find_in_text,
    find_ranges,
    find_rounded,
    find_target_names,
)
from bayesieve.quality.leaks import find_leaks
from bayesieve.quality.same_rows import find_one_fact

__all__ = ["TYPES", "ColumnCheck", "DataCheck", "check_data"]

TYPES = {"integer": "integer", "number": "numeric", "category": "categorical", "time": "date or time"}
"""The kinds of columns, as people call them."""

_NOT_CATEGORIES = ("nearly numeric", "numbers as text", "dates as text")


@dataclass(frozen=True)
class ColumnCheck:
    """Type and counts of a column, some of its values, and the kinds of what was found in it."""

    name: str
    type: str
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class DataCheck:
    """What `check_data` found.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    columns : tuple of ColumnCheck
        One per column of the table.
    findings : tuple of Finding
        What a person should look at, in the order of the columns.
    classes : dict of label to int
        Number of rows per class; empty without a target.
    """

    n_rows: int
    columns: tuple[ColumnCheck, ...]
    findings: tuple[Finding, ...]
    classes: Mapping[Any, int]
    backend: str | None = None

    def to_frame(self) -> Any:
        """Return a data frame with one row per column of the table."""
        names = ("name", "type", "n_missing", "n_distinct", "examples", "findings")
        table = {name: [getattr(column, name) for column in self.columns] for name in names}
        for name in ("examples", "findings"):
            table[name] = [", ".join(each) for each in table[name]]
        return build_frame(table, self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the same in types that JSON has."""
        return {
            "n_rows": self.n_rows,
            "classes": [{"label": str(label), "n_rows": n} for label, n in self.classes.items()],
            "columns": [asdict(column) for column in self.columns],
            "findings": [asdict(finding) for finding in self.findings],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "Nothing was found."


def check_data(
    X: Any,
    y: ArrayLike | None = None,
    *,
    conversions: Mapping[str, str] | None = None,
    target_name: str | None = None,
) -> DataCheck:
    """Look for what spoils a fit: numbers read as text, copies, identifiers, leaks of the target, rare classes.

    Parameters
    ----------
    X : data frame or array of shape (n_samples, n_features)
        The table.
    y : array of shape (n_samples,), default=None
        Class labels. Without them, the target and leaks are not checked.
    conversions : mapping of str to str, default=None
        What was converted when the table was read, in words, by column name.
    target_name : str, default=None
        Name of the target, which no column should nearly have; by default that of a series ``y``.

    Returns
    -------
    check : DataCheck
        Printed, it is one line per finding; ``to_frame()`` lists every column with its type.

    See Also
    --------
    drift : Compare new rows with the training rows of a model.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesieve import check_data
    >>> X = pd.DataFrame({"age": [*map(str, range(20, 50)), "unknown"], "country": "NL"})
    >>> print(check_data(X))
    Column 'age': 30 of 31 values are numbers, but row 31 has 'unknown'; it is read as categories.
    Column 'country': every row has the same value.
    """
    frame = countable_frame(X)
    n_rows = read_table(frame).n_rows
    target = None if y is None else np.asarray(y).ravel()
    if target is not None and len(target) != n_rows:
        raise DataError(f"The target has {len(target)} rows and the table has {n_rows}: inconsistent lengths.")
    profiles = profile_columns(frame)
    found = [Finding("converted", name, f"it has {words}") for name, words in (conversions or {}).items()]
    found += [finding for profile in profiles for finding in find_in_profile(profile, n_rows)]
    surveys = survey_columns(frame)
    in_values = list(_find_in_values(surveys))
    meant_otherwise = {each.column for each in in_values if each.kind in _NOT_CATEGORIES}
    found = [each for each in found if each.kind != "identifier" or each.column not in meant_otherwise] + in_values
    classes: dict[Any, int] = {}
    if target is not None:
        in_target, classes = find_in_target(target)
        found += in_target
    found += find_target_names([profile.name for profile in profiles], target_name or getattr(y, "name", None))
    found += _find_in_columns(frame, profiles, found, target, classes)
    found += _find_in_rows(frame, profiles, n_rows, target)
    order = {profile.name: j for j, profile in enumerate(profiles)}
    findings = tuple(sorted(found, key=lambda finding: -1 if finding.column is None else order.get(finding.column, -1)))
    columns = tuple(
        ColumnCheck(
            profile.name,
            TYPES[profile.kind],
            profile.n_missing,
            profile.n_distinct,
            survey.examples,
            tuple(finding.kind for finding in findings if finding.column == profile.name),
        )
        for profile, survey in zip(profiles, surveys, strict=True)
    )
    return DataCheck(n_rows, columns, findings, classes, frame_backend(X) if is_frame(X) else None)


def _find_in_values(surveys: Sequence[ColumnSurvey]) -> Iterator[Finding]:
    for survey in surveys:
        if survey.text is not None:
            yield from find_in_text(survey.name, survey.text, (*survey.examples, "")[0])
        if survey.marker is not None:
            value, n, following = survey.marker
            message = f"{value:g} occurs in {n:,} rows, and the value next to it is {following:g}: is it missing there?"
            yield Finding("special value", survey.name, message, f"--na {survey.name}={value:g} reads it as missing")
        if survey.n_infinite:
            message = f"{survey.n_infinite:,} of its values are infinite, which a fit refuses"
            yield Finding("infinite", survey.name, message)


def _find_in_columns(
    frame: Any,
    profiles: Sequence[ColumnProfile],
    found: Sequence[Finding],
    target: NDArray[Any] | None,
    classes: Mapping[Any, int],
) -> list[Finding]:
    table = read_table(frame)
    skipped = {finding.column for finding in found if finding.kind in ("infinite", "empty", "constant")}
    columns: list[Column] = [table.column(j) for j, name in enumerate(table.names) if name not in skipped]
    findings = [*find_absent_header(columns), *find_copies(columns), *find_ranges(columns)]
    copies = {each.column for each in findings if each.kind == "duplicate"}
    findings += find_one_fact([each for each in columns if each.name not in copies])
    findings += find_rounded(columns, {each.name: each.n_distinct for each in profiles})
    if target is not None and len(classes) > 1:
        labels = list(classes)
        place = {label: c for c, label in enumerate(labels)}
        codes = np.array([place.get(label, -1) for label in target.tolist()], dtype=np.int32)
        if (codes >= 0).all():
            message = "it predicts the target almost perfectly: is it known before the target?"
            findings += [
                Finding("leak", name, message, "--drop leaves it out")
                for name in find_leaks(columns, codes, len(labels))
            ]
    return findings


def _find_in_rows(
    frame: Any, profiles: Sequence[ColumnProfile], n_rows: int, target: NDArray[Any] | None
) -> Iterator[Finding]:
    labels = [None] * n_rows if target is None else target.tolist()
    place = {label: c for c, label in enumerate(dict.fromkeys(labels))}  # labels of several types have no order
    equal = equal_rows_of(read_table(frame), np.array([place[label] for label in labels]))
    varied = any(2 * profile.n_distinct > n_rows for profile in profiles)
    if equal is None and not varied:  # rows are alike by chance
        return
    n_copies = count_copied_rows(frame) if equal is None else n_rows - len(np.unique(equal))
    if n_copies >= max(2, n_rows // 100):
        folds = "some of which may be in another fold" if equal is None else "which a fit keeps in one fold"
        message = f"{n_copies:,} of {n_rows:,} rows are copies of another row, {folds}"
        yield Finding("copied rows", None, message, "--group COLUMN keeps the rows of one case in one fold")
