# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the comparison: each set, paired differences, and means over sets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Final

from benchmarks.quality_methods import FLAGSHIP, FORMER_DEFAULT, Method
from benchmarks.quality_results import MEASURES, Result
from benchmarks.quality_sets import QualitySet
from benchmarks.report import markdown_table

__all__ = ["Comparison", "Difference"]

_TITLES: Final = {"log_loss": "log loss", "auc": "AUC", "brier": "Brier score", "calibration": "calibration error"}
_USED: Final = {"n_columns": "columns", "n_pairs": "pairs", "seconds": "seconds"}
_MANY_ROWS = 1000
_SHOWN: Final = (
    FLAGSHIP, f"{FLAGSHIP}-best", "catboost", "lgbm", "xgb", "ebm", "hgb", FORMER_DEFAULT, "lr",
)  # in the documentation  # fmt: skip
_GROUPS: Final[dict[str, Callable[[QualitySet], bool]]] = {
    "All sets": lambda each: not each.is_final,
    "All sets without elec2": lambda each: not (each.is_final or each.in_time),
    "1,000 rows and more": lambda each: not each.is_final and each.n_rows >= _MANY_ROWS,
    "1,000 rows and more, without elec2": lambda each: (
        not (each.is_final or each.in_time) and each.n_rows >= _MANY_ROWS
    ),
    "Added later": lambda each: each.is_added,
    "Fewer than 1,000 rows": lambda each: not each.is_final and each.n_rows < _MANY_ROWS,
    "Kept for the end": lambda each: each.is_final,
}
_BRIEF: Final = (
    "All sets without elec2", "1,000 rows and more, without elec2", "Added later", "Fewer than 1,000 rows",
    "Kept for the end",
)  # fmt: skip
_LEGEND = (
    "Paired differences: the mean over sets of the means over folds, in parentheses the standard error over sets. "
    "Better is negative, for AUC positive; *better on* counts sets by log loss."
)


@dataclass(frozen=True)
class Difference:
    """A mean of paired differences and its standard error, None for a single one."""

    mean: float
    error: float | None
    n: int
    n_negative: int

    @classmethod
    def of(cls, values: list[float]) -> "Difference | None":
        """Return the mean of some differences; None without any."""
        if not values:
            return None
        error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
        return cls(fmean(values), error, len(values), sum(value < 0 for value in values))

    def __str__(self) -> str:
        return f"{self.mean:+.4f}" + ("" if self.error is None else f" ({self.error:.4f})")


class Comparison:
    """Results of several methods on the same folds.

    Parameters
    ----------
    results : iterable of Result
    sets : dict of str to QualitySet
        The sets to show, in this order.
    methods : dict of str to Method
        All methods, in the order of tables.
    reference : str or None
        The method that is compared with the others; None is the flagship, or the former default before it has results.
    """

    def __init__(
        self,
        results: Iterable[Result],
        sets: Mapping[str, QualitySet],
        methods: Mapping[str, Method],
        reference: str | None = None,
    ) -> None:
        self._results = {result.key: result for result in results if result.set in sets and result.state != "failed"}
        present = {method for _, _, method in self._results}
        self._methods = {name: method for name, method in methods.items() if name in present}
        shown = {name for name, _, _ in self._results}
        self._sets = [each for name, each in sets.items() if name in shown]
        self._reference = reference or (FLAGSHIP if FLAGSHIP in present else FORMER_DEFAULT)

    def to_text(self) -> str:
        """Return all tables."""
        parts = [f"## {_heading(each)}\n\n{self._set_table(each)}" for each in self._sets]
        parts += self._summary()
        for measure in MEASURES if self._reference in self._methods else ():
            parts += [f"## {self._title} minus others: {_TITLES[measure]} of each set", self._per_set(measure)]
        return "\n\n".join(parts)

    def to_page(self) -> dict[str, str]:
        """Return the tables of pages by their names: differences of groups of sets, each set, seconds."""
        tables = {group: "\n".join(rows) for group in _GROUPS if (rows := self._differences(group))}
        for title, sized in (("log loss of each set", False), ("log loss with few columns", True)):
            methods = [each for each in self._methods.values() if (each.size is not None) == sized]
            if methods:
                tables[title] = self._overview("log_loss", methods)
        for name in (FLAGSHIP, f"{FLAGSHIP}-best"):
            if name in self._methods:
                tables[f"{self._methods[name].title}, minus others"] = self._by_group(name)
        shown = [self._methods[name] for name in _SHOWN if name in self._methods]
        tables["sets and methods"] = self._overview("log_loss", shown)
        tables["scorecard minus selective naive Bayes"] = self._minus_former()
        tables["columns and pairs of each set"] = self._columns()
        return {**tables, "processor seconds": self._seconds(), "versions": self._versions()}

    def difference(self, each: QualitySet, pair: tuple[str, str], measure: str) -> Difference | None:
        """Return the first method minus the second over the folds that both have done."""
        folds = [[self._value(each, fold, method, measure) for method in pair] for fold in range(each.n_folds)]
        return Difference.of([first - second for first, second in folds if first is not None and second is not None])

    @property
    def _title(self) -> str:
        return self._methods[self._reference].title

    def _summary(self) -> list[str]:
        """Return differences and means of each group of sets."""
        if self._reference not in self._methods:
            return []
        parts = [f"## {self._title} minus others", _LEGEND]
        for group, contains in _GROUPS.items():
            if rows := self._differences(group):
                parts += [f"### {group}", "\n".join(rows), *self._means(list(filter(contains, self._sets)))]
        return parts

    def _differences(self, group: str) -> list[str]:
        """Return the lines of a table of the other methods; empty without any."""
        pairs = [(self._reference, name) for name in self._methods if name != self._reference]
        pairs += [(f"{FLAGSHIP}-{each.size}", name) for name, each in self._methods.items() if each.size]
        chosen = list(filter(_GROUPS[group], self._sets))
        rows = [row for pair in pairs if (row := self._against(pair, chosen))]
        return markdown_table(["", "sets", *_TITLES.values(), "better on"], rows) if rows else []

    def _by_group(self, reference: str) -> str:
        """Return differences of log losses to methods that choose their number of columns, for groups of sets."""
        rows = []
        for name, method in self._methods.items():
            if name == reference or method.size is not None:
                continue
            cells = []
            for group in _BRIEF:
                found = [
                    self.difference(each, (reference, name), "log_loss") for each in filter(_GROUPS[group], self._sets)
                ]
                mean = Difference.of([each.mean for each in found if each is not None])
                cells.append("" if mean is None else f"{mean}, {mean.n_negative} of {mean.n}")
            rows.append([method.title, *cells])
        return "\n".join(markdown_table(["", *map(str.lower, _BRIEF)], rows))

    def _against(self, pair: tuple[str, str], sets: list[QualitySet]) -> list[str] | None:
        """Return a row of mean differences over the sets that both methods have done."""
        if pair[0] == pair[1] or not set(pair) <= set(self._methods):
            return None
        means = []
        for measure in MEASURES:
            found = [self.difference(each, pair, measure) for each in sets]
            means.append(Difference.of([each.mean for each in found if each is not None]))
        if means[0] is None:
            return None
        first, second = (self._methods[name].title for name in pair)
        title = second if pair[0] == self._reference else f"{first}, minus {second}"
        return [title, str(means[0].n), *map(str, means), str(means[0].n_negative)]

    def _means(self, sets: list[QualitySet]) -> list[str]:
        """Return means over the sets that all methods have done, except for those with a given number of columns."""
        methods = [each for each in self._methods.values() if each.size is None]
        common = [each for each in sets if all(self._mean(each, m.name, "log_loss") is not None for m in methods)]
        if not common:
            return []
        rows = []
        for method in methods:
            cells = []
            for column in (*MEASURES, *_USED):
                values = [value for each in common if (value := self._mean(each, method.name, column)) is not None]
                cells.append(_cell(column, fmean(values) if len(values) == len(common) else None))
            rows.append([method.title, *cells])
        names = ", ".join(each.name for each in common)
        table = markdown_table(["", *_TITLES.values(), *_USED.values()], rows)
        return [f"Means over the {len(common)} of these sets that all have done ({names}):", "\n".join(table)]

    def _set_table(self, each: QualitySet) -> str:
        rows = []
        for method in self._methods.values():
            n_done = sum(self._state(each, fold, method.name) == "done" for fold in range(each.n_folds))
            if n_done:
                columns = (*MEASURES, *_USED)
                cells = [_cell(column, self._mean(each, method.name, column, partial=True)) for column in columns]
                rows.append([method.title, str(n_done), *cells])
            elif self._is_cut(each, method.name):
                rows.append([method.title, "cut", *[""] * (len(MEASURES) + len(_USED))])
        return "\n".join(markdown_table(["", "folds", *_TITLES.values(), *_USED.values()], rows))

    def _overview(self, measure: str, methods: list[Method]) -> str:
        """Return sets by methods."""
        rows = []
        for each in self._sets:
            cells = [
                "cut" if self._is_cut(each, method.name) else self._marked(each, method.name, measure)
                for method in methods
            ]
            rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", *cells])
        return "\n".join(markdown_table(["", "rows × columns", *(method.title for method in methods)], rows))

    def _marked(self, each: QualitySet, method: str, column: str) -> str:
        """Return a mean; of fewer folds than there are, with their number in brackets."""
        values = [self._value(each, fold, method, column) for fold in range(each.n_folds)]
        n_done = sum(value is not None for value in values)
        cell = _cell(column, self._mean(each, method, column, partial=True))
        return cell if n_done in (0, each.n_folds) else f"{cell} [{n_done}]"

    def _minus_former(self) -> str:
        """Return differences of log losses of each set to the former default with as many columns."""
        pairs = {name: FORMER_DEFAULT for name in (FLAGSHIP, f"{FLAGSHIP}-best") if name in self._methods}
        sizes = {each.size for each in self._methods.values()} - {None}
        sized = {f"{FLAGSHIP}-{size}": f"{FORMER_DEFAULT}-{size}" for size in sizes}
        pairs |= {name: sized[name] for name in self._methods if name in sized}
        rows, better = [], {name: [0, 0] for name in pairs}
        for each in self._sets:
            found = {name: self.difference(each, (name, former), "log_loss") for name, former in pairs.items()}
            for name, difference in found.items():
                if difference is not None:
                    better[name][0] += difference.mean < 0
                    better[name][1] += 1
            cells = ["" if difference is None else str(difference) for difference in found.values()]
            rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", *cells])
        rows.append(["better on", "", *(f"{n} of {of}" for n, of in better.values())])
        return "\n".join(markdown_table(["", "rows × columns", *(self._methods[name].title for name in pairs)], rows))

    def _columns(self) -> str:
        """Return the columns and pairs that the forms of the flagship and the former default use, means over folds."""
        names = [name for name in (FLAGSHIP, f"{FLAGSHIP}-best", FORMER_DEFAULT) if name in self._methods]
        rows, shares = [], {name: list[float]() for name in names}
        for each in self._sets:
            cells = []
            for name in names:
                n_columns, n_pairs = (self._mean(each, name, what, partial=True) for what in ("n_columns", "n_pairs"))
                if n_columns is not None:
                    shares[name].append(n_columns / each.n_columns)
                pairs = f", {n_pairs:.1f} pairs" if n_pairs else ""
                cells.append("" if n_columns is None else f"{n_columns:.1f}{pairs}")
            rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", *cells])
        rows.append(["mean share", "", *(f"{fmean(own):.0%}" if own else "" for own in shares.values())])
        return "\n".join(markdown_table(["", "rows × columns", *(self._methods[name].title for name in names)], rows))

    def _seconds(self) -> str:
        """Return processor seconds of fits per set and method, and ratios to the reference on the folds of both."""
        methods, rows = [each for each in self._methods.values() if each.size is None], []
        ratios: dict[str, list[float]] = {method.name: [] for method in methods}
        for each in self._sets:
            cells = []
            for method in methods:
                cell = self._marked(each, method.name, "seconds")
                ratio = self._ratio(each, method.name)
                if ratio is not None and method.name != self._reference:
                    ratios[method.name].append(ratio)
                    cell += f" (× {ratio:.2g})" if ratio < 10 else f" (× {ratio:.0f})"
                cells.append(cell)
            rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", *cells])
        medians = [f"× {median(own):.2g}" if (own := ratios[method.name]) else "" for method in methods]
        rows.append(["median ratio", "", *medians])
        return "\n".join(markdown_table(["", "rows × columns", *(method.title for method in methods)], rows))

    def _ratio(self, each: QualitySet, method: str) -> float | None:
        """Return the seconds of a method to those of the reference, over the folds that both have done."""
        pairs = [
            [self._value(each, fold, name, "seconds") for name in (method, self._reference)]
            for fold in range(each.n_folds)
        ]
        done = [(own, other) for own, other in pairs if own is not None and other is not None]
        return sum(own for own, _ in done) / sum(other for _, other in done) if done else None

    def _per_set(self, measure: str) -> str:
        """Return sets by methods: paired differences, and standard errors over folds."""
        others = [name for name in self._methods if name != self._reference]
        rows = []
        for each in self._sets:
            found = [self.difference(each, (self._reference, name), measure) for name in others]
            rows.append([each.name, *("" if difference is None else str(difference) for difference in found)])
        return "\n".join(markdown_table(["", *(self._methods[name].title for name in others)], rows))

    def _versions(self) -> str:
        """Return a list of the versions that were fitted."""
        lines = []
        for name, method in self._methods.items():
            versions = sorted({result.version for key, result in self._results.items() if key[2] == name})
            lines.append(f"- {method.title}: {', '.join(versions)}")
        return "\n".join(lines)

    def _state(self, each: QualitySet, fold: int, method: str) -> str | None:
        result = self._results.get((each.name, fold, method))
        return None if result is None else result.state

    def _is_cut(self, each: QualitySet, method: str) -> bool:
        return any(self._state(each, fold, method) == "cut" for fold in range(each.n_folds))

    def _value(self, each: QualitySet, fold: int, method: str, column: str) -> float | None:
        result = self._results.get((each.name, fold, method))
        return None if result is None else getattr(result, column)

    def _mean(self, each: QualitySet, method: str, column: str, partial: bool = False) -> float | None:
        """Return the mean over folds; None if one is missing, or, with ``partial``, if all are."""
        values = [self._value(each, fold, method, column) for fold in range(each.n_folds)]
        present = [value for value in values if value is not None]
        if not present or (len(present) < each.n_folds and not partial):
            return None
        return fmean(present)


def _heading(each: QualitySet) -> str:
    kept = ", kept for the end" if each.is_final else ""
    return f"{each.name}, {each.n_rows:,} rows × {each.n_columns} columns{kept}"


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if column in MEASURES else f"{value:,.1f}"
