# SPDX-License-Identifier: BSD-3-Clause
"""The result of an evaluation: records of jobs, as data frames, with the stability of selections over folds."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from math import nan
from statistics import fmean, stdev
from typing import Any

from bayesieve.data import build_frame
from bayesieve.data.document import Entry
from bayesieve.data.files.output import html_table
from bayesieve.evaluation.measures import MEASURES

__all__ = ["Evaluation", "check_record", "jaccard", "kuncheva"]

Record = dict[str, Any]
_KEYS = ("data", "selector", "classifier", "size")
_COUNTS = ("fold", "n_columns", "n_rows", "n_positive", "n_train", "n_test")
_LISTS = ("sizes", "n_features", "order")


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Scores of selectors × classifiers × sizes on each outer fold.

    Attributes
    ----------
    records : list of dict
        One per data set, fold and selector, as plain data.
    names : dict of str to list of str
        The columns of each data set.
    complete : bool
        False if the evaluation was interrupted.
    """

    records: list[Record]
    names: dict[str, list[str]] = field(repr=False)
    complete: bool = True
    backend: str | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        kinds = ("data", "selector")
        counts = [len({record[kind] for record in self.records}) for kind in kinds]
        state = "" if self.complete else ", interrupted"
        return f"Evaluation({counts[0]} data sets, {counts[1]} selectors, {len(self.records)} records{state})"

    def _repr_html_(self) -> str:
        frame = self.summary()
        rows = {name: list(frame[name]) for name in frame.columns}
        return html_table(f"{self!r}: accuracy", rows)

    def to_frame(self) -> Any:
        """Return a data frame with one row per data set, selector, classifier, fold and size.

        ``n_features`` is the number of columns that were selected for that size. The measures are accuracy,
        precision, recall, F1, area under the ROC curve, log loss and Brier score (summed over classes); NaN where they
        are not defined, such as the log loss of a classifier without probabilities.
        """
        rows = list(self.rows())
        head = (*_KEYS[:3], "fold", "n_train", "n_test", "size", "n_features", *MEASURES)
        return build_frame({name: [row[name] for row in rows] for name in head}, self.backend)

    def summary(self, metric: str = "accuracy") -> Any:
        """Return mean and standard deviation over folds of each data set, selector, classifier and size."""
        groups: dict[tuple[Any, ...], list[float]] = {}
        for row in self.rows():
            groups.setdefault(tuple(row[key] for key in _KEYS), []).append(row[metric])
        columns: dict[str, Sequence[Any]] = {key: [group[i] for group in groups] for i, key in enumerate(_KEYS)}
        columns["n_folds"] = [len(values) for values in groups.values()]
        columns["mean"] = [fmean(values) for values in groups.values()]
        columns["std"] = [stdev(values) if len(values) > 1 else float("nan") for values in groups.values()]
        return build_frame(columns, self.backend)

    def selections(self) -> Any:
        """Return the number of folds in which each selector took each column, at the largest size."""
        counts: dict[tuple[str, str, str], int] = {}
        for record in self.records:
            for j in record["order"]:
                key = (record["data"], record["selector"], self.names[record["data"]][j])
                counts[key] = counts.get(key, 0) + 1
        ranked = sorted(counts.items(), key=lambda each: (*each[0][:2], -each[1]))
        columns = {name: [key[i] for key, _ in ranked] for i, name in enumerate(("data", "selector", "column"))}
        return build_frame({**columns, "n_folds": [count for _, count in ranked]}, self.backend)

    def stability(self) -> Any:
        """Return how similar the subsets of the folds are, per data set, selector and size.

        ``kuncheva`` is 0 for chance and 1 for the same columns in every fold, NaN if all columns were taken;
        ``jaccard`` is the mean proportion of columns in common. A selector that chooses its own size has one row, whose
        size is -1 if it differs between folds.
        """
        rows = list(self.stabilities())
        head = ("data", "selector", "size", "kuncheva", "jaccard")
        return build_frame({name: [row[name] for row in rows] for name in head}, self.backend)

    def rows(self) -> Iterator[Record]:
        """Yield the rows of the tidy table."""
        for record in self.records:
            for classifier, scores in record["scores"].items():
                for i, size in enumerate(record["sizes"]):
                    row = {key: record[key] for key in ("data", "selector", "fold", "n_train", "n_test")}
                    row |= {"classifier": classifier, "size": size, "n_features": record["n_features"][i]}
                    yield row | {name: scores[name][i] for name in MEASURES}

    def stabilities(self) -> Iterator[Record]:
        """Yield the rows of the table of stability."""
        groups: dict[tuple[str, str], list[Record]] = {}
        for record in self.records:
            groups.setdefault((record["data"], record["selector"]), []).append(record)
        for (data, selector), records in groups.items():
            for i in range(len(records[0]["sizes"])):
                subsets = [frozenset(_subset(record, i)) for record in records]
                sizes = {record["sizes"][i] for record in records}
                yield {
                    "data": data,
                    "selector": selector,
                    "size": sizes.pop() if len(sizes) == 1 else -1,
                    "kuncheva": kuncheva(subsets, records[0]["n_columns"]),
                    "jaccard": jaccard(subsets),
                }


def _subset(record: Record, i: int) -> list[int]:
    subset: list[int] = record["subsets"][i] if record["subsets"] else record["order"][: record["n_features"][i]]
    return subset


def jaccard(subsets: Sequence[Set[int]]) -> float:
    """Return the mean Jaccard index over pairs of subsets: 1 for two empty subsets, NaN without a pair."""
    pairs = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(subsets, 2)]
    return fmean(pairs) if pairs else nan


def kuncheva(subsets: Sequence[Set[int]], n_columns: int) -> float:
    """Return the mean over pairs of Kuncheva's consistency index (2007): 0 is chance, 1 is the same columns always.

    (r p - k²) / (k (p - k)), with r columns in common of k out of p. For subsets of
    different sizes k and l the index is (r p - k l) / (p min(k, l) - k l), which is the same for k = l. NaN if a subset
    is empty or has all columns.
    """
    indices = []
    for a, b in combinations(subsets, 2):
        smaller, larger = sorted((len(a), len(b)))
        if smaller == 0 or larger == n_columns:
            return nan
        indices.append((len(a & b) * n_columns - smaller * larger) / (n_columns * smaller - smaller * larger))
    return fmean(indices) if indices else nan


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
