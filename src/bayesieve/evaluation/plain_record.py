# SPDX-License-Identifier: BSD-3-Clause
"""A record of an evaluation, validated as it is read from a journal."""

from typing import Any

from bayesieve.data.document import Entry
from bayesieve.evaluation.measures import MEASURES

__all__ = ["check_record"]

_COUNTS = ("fold", "n_columns", "n_rows", "n_positive", "n_train", "n_test")
_LISTS = ("sizes", "n_features", "order")


def check_record(record: dict[str, Any]) -> None:
    """Raise ValueError if values of a record do not have the types and lengths of those that an evaluation writes."""
    names = ("data", "selector", "fingerprint")
    fields = Entry(record, "the record").fields(*names, *_COUNTS, *_LISTS, "subsets", "scores")
    for name in names:
        fields[name].text()
    counts = {name: fields[name].position() for name in _COUNTS}
    lists = {name: [item.position() for item in fields[name].items()] for name in _LISTS}
    n_sizes = len(lists["sizes"])
    fields["n_features"].items(n_sizes)
    _check_columns(fields["order"], counts["n_columns"], max(lists["n_features"], default=0))
    if fields["subsets"].value is not None:
        for subset, n_features in zip(fields["subsets"].items(n_sizes), lists["n_features"], strict=True):
            _check_columns(subset, counts["n_columns"], n_features)
    for each in fields["scores"].members().values():
        measures = each.fields("parameters", *MEASURES)
        measures["parameters"].members()
        for name in MEASURES:
            for value in measures[name].items(n_sizes):
                value.real()


def _check_columns(entry: Entry, n_columns: int, n_features: int) -> None:
    for item in entry.items(n_features):
        item.whole(0, n_columns - 1)
