"""Tables of the comparison: each set, paired differences to a reference, and means over sets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

from benchmarks.quality_methods import FLAGSHIP, FORMER_DEFAULT, Method
from benchmarks.quality_results import MEASURES, Result
from benchmarks.quality_sets import QualitySet
from benchmarks.report import markdown_table

__all__ = ["Comparison", "Difference"]

_TITLES: Final = {"log_loss": "log loss", "auc": "AUC", "brier": "Brier score", "calibration": "calibration error"}
_USED: Final = {"n_columns": "columns", "n_pairs": "pairs", "seconds": "seconds"}
_MANY_ROWS = 1000
_GROUPS: Final[dict[str, Callable[[QualitySet], bool]]] = {
    "all sets": lambda each: True,
    "without elec2": lambda each: not each.in_time,
    "1,000 rows and more": lambda each: each.n_rows >= _MANY_ROWS,
    "1,000 rows and more, without elec2": lambda each: each.n_rows >= _MANY_ROWS and not each.in_time,
    "fewer than 1,000 rows": lambda each: each.n_rows < _MANY_ROWS,
    "kept for the end": lambda each: each.is_final,
}


@dataclass(frozen=True)
class Difference:
    """A mean of paired differences and its standard error, None for a single one."""

    mean: float
    error: float | None
    n: int
    n_negative: int

    @classmethod
    def of(cls, values: list[float]) -> "Difference":
        """Return the mean of some differences."""
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
        self._methods = [method for name, method in methods.items() if name in present]
        shown = {name for name, _, _ in self._results}
        self._sets = [each for name, each in sets.items() if name in shown]
        self._reference = reference or (FLAGSHIP if FLAGSHIP in present else FORMER_DEFAULT)

    def to_text(self) -> str:
        """Return all tables."""
        per_set = [f"## {_heading(each)}\n\n" + self._set_table(each) for each in self._sets]
        return "\n\n".join([*per_set, *self._summary()])

    def to_markdown(self) -> str:
        """Return the tables of the documentation: the summary, then one measure of each set and method."""
        return "\n\n".join([*self._summary(), "## Log loss of each set", self._overview("log_loss")]) + "\n"

    def differences(self, each: QualitySet, method: str, measure: str) -> Difference | None:
        """Return reference minus method over the folds that both have done; None without such a fold."""
        pairs = [
            (self._value(each, k, self._reference, measure), self._value(each, k, method, measure)) for k in (0, 1, 2)
        ]
        values = [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]
        return Difference.of(values) if values else None

    def _summary(self) -> list[str]:
        title = next((each.title for each in self._methods if each.name == self._reference), self._reference)
        parts = [
            f"## {title} minus others",
            "Paired differences: the mean over sets of the means over folds, in parentheses the standard error over "
            "sets. Better is negative, for AUC positive; *better on* counts sets by log loss.",
        ]
        for group, contains in _GROUPS.items():
            chosen = [
                each for each in self._sets if contains(each) and (each.is_final == (group == "kept for the end"))
            ]
            rows = [row for method in self._methods if (row := self._against(method, chosen))]
            if rows:
                header = ["", "sets", *_TITLES.values(), "better on"]
                parts += [f"### {group[0].upper()}{group[1:]}", "\n".join(markdown_table(header, rows))]
                parts += self._means(chosen)
        parts += [f"## Log loss, {title} minus others, per set", self._per_set("log_loss")]
        return parts

    def _against(self, method: Method, sets: list[QualitySet]) -> list[str] | None:
        """Return a row of mean differences over the sets that both methods have done."""
        if method.name == self._reference:
            return None
        over_sets = {}
        for measure in MEASURES:
            found = [self.differences(each, method.name, measure) for each in sets]
            over_sets[measure] = [each.mean for each in found if each is not None]
        losses = over_sets["log_loss"]
        if not losses:
            return None
        means = {measure: Difference.of(values) for measure, values in over_sets.items()}
        return [method.title, str(len(losses)), *map(str, means.values()), str(means["log_loss"].n_negative)]

    def _means(self, sets: list[QualitySet]) -> list[str]:
        """Return means over the sets that all methods without a number of columns have done."""
        methods = [each for each in self._methods if each.size is None]
        common = [each for each in sets if all(self._mean(each, m.name, "log_loss") is not None for m in methods)]
        if not common:
            return []
        rows = []
        for method in methods:
            means = [[self._mean(each, method.name, column) for each in common] for column in (*MEASURES, *_USED)]
            cells = [
                None if None in values else fmean(value for value in values if value is not None) for values in means
            ]
            rows.append([method.title, *map(_cell, (*MEASURES, *_USED), cells)])
        names = ", ".join(each.name for each in common)
        header = ["", *_TITLES.values(), *_USED.values()]
        return [
            f"Means over the {len(common)} sets that all have done ({names}):",
            "\n".join(markdown_table(header, rows)),
        ]

    def _set_table(self, each: QualitySet) -> str:
        rows = []
        for method in self._methods:
            folds = [self._results.get((each.name, k, method.name)) for k in range(each.n_folds)]
            done = [fold for fold in folds if fold is not None and fold.state == "done"]
            if done:
                cells = [
                    _cell(column, self._mean(each, method.name, column, partial=True)) for column in (*MEASURES, *_USED)
                ]
                rows.append([method.title, f"{len(done)}", *cells])
            elif any(folds):
                rows.append([method.title, "cut", *[""] * (len(MEASURES) + len(_USED))])
        return "\n".join(markdown_table(["", "folds", *_TITLES.values(), *_USED.values()], rows))

    def _overview(self, measure: str) -> str:
        """Return sets by methods."""
        rows = []
        for each in self._sets:
            cells = [self._overview_cell(each, method.name, measure) for method in self._methods]
            rows.append([each.name, f"{each.n_rows:,} × {each.n_columns}", *cells])
        return "\n".join(markdown_table(["", "rows × columns", *(method.title for method in self._methods)], rows))

    def _overview_cell(self, each: QualitySet, method: str, measure: str) -> str:
        mean = self._mean(each, method, measure)
        if mean is not None:
            return _cell(measure, mean)
        states = {result.state for key, result in self._results.items() if key[0] == each.name and key[2] == method}
        return "cut" if "cut" in states else ""

    def _per_set(self, measure: str) -> str:
        """Return sets by methods: paired differences, and standard errors over folds."""
        others = [method for method in self._methods if method.name != self._reference]
        rows = []
        for each in self._sets:
            found = [self.differences(each, method.name, measure) for method in others]
            rows.append([each.name, *("" if difference is None else str(difference) for difference in found)])
        return "\n".join(markdown_table(["", *(method.title for method in others)], rows))

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
