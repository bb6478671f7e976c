# SPDX-License-Identifier: BSD-3-Clause
"""The result of a comparison of new rows with training rows."""

from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np

from bayesieve.data import build_frame
from bayesieve.model_file.training_record import ScoreGroups, TrainingRecord

__all__ = ["BinDrift", "ColumnDrift", "Drift", "MetricDrift", "ScoreDrift"]

_HIGHER_IS_BETTER = ("auc", "accuracy", "recall", "precision", "profit")
_TITLES = {
    "log_loss": "log loss",
    "brier": "Brier score",
    "auc": "ROC AUC",
    "accuracy": "accuracy",
    "recall": "recall",
    "precision": "precision",
    "profit": "profit per row",
}
_SHOWN_SHARE = 0.001  # of the rows: smaller ones are shown as numbers


@dataclass(frozen=True)
class BinDrift:
    """The share of a bin then and now."""

    label: str
    then: float
    now: float


@dataclass(frozen=True)
class ColumnDrift:
    """A column then and now.

    Attributes
    ----------
    name : str
        Its name.
    psi : float
        Population stability index of its bins.
    by_chance : float
        The index that one of a hundred samples of the training population would exceed in any of the columns, with what
        rows of unseen categories add to it, if they are no more than occur by chance.
    level : {"stable", "small", "moderate", "large"}
        Stable up to ``by_chance``; beyond it the usual words: small below 0.1, large from 0.25 on.
    missing_then, missing_now : float or None
        Share of missing values; None if the model does not keep it.
    unseen : float
        Share of rows with a category that no training row had.
    unseen_values : tuple of (str, int)
        The most frequent ones, with their numbers of rows.
    bins : tuple of BinDrift
        The bins.
    """

    name: str
    psi: float
    by_chance: float
    level: str
    missing_then: float | None
    missing_now: float
    unseen: float
    unseen_values: tuple[tuple[str, int], ...]
    bins: tuple[BinDrift, ...]

    @property
    def unseen_share(self) -> str:
        """The share of rows with an unseen category, as it is shown: none differs from one too small to show."""
        return "< 0.1%" if 0 < self.unseen < _SHOWN_SHARE else f"{self.unseen:.1%}"


@dataclass(frozen=True)
class ScoreDrift:
    """The predicted probabilities of a class, of held-out rows of the training and of new rows."""

    label: Any
    psi: float
    by_chance: float
    level: str
    then: ScoreGroups
    now: ScoreGroups


@dataclass(frozen=True)
class MetricDrift:
    """A metric then and now, with standard errors; None where it is not known."""

    name: str
    then: float | None
    then_error: float | None
    now: float
    now_error: float

    @property
    def change(self) -> str:
        """Whether it is "worse" or "better" by more than twice the standard error of the difference, or "same"."""
        if self.then is None or self.then_error is None or isnan(self.now_error):
            return "unknown"
        difference = self.now - self.then if self.name in _HIGHER_IS_BETTER else self.then - self.now
        if abs(difference) <= 2 * float(np.hypot(self.then_error, self.now_error)):
            return "same"
        return "better" if difference > 0 else "worse"


@dataclass(frozen=True)
class Drift:
    """New rows compared with the training rows of a model.

    Attributes
    ----------
    n_rows, n_rows_then : int, float
        Number of new rows, and weight of the training rows.
    columns : tuple of ColumnDrift
        The columns of the model, the one with the largest index first.
    scores : tuple of ScoreDrift
        The predicted probabilities of the positive class, or of each of more than two; empty without a reference.
    metrics : tuple of MetricDrift
        Losses and other metrics; empty without labels.
    classes : tuple of (label, float, float or None)
        Class frequencies then and now.
    record : TrainingRecord or None
        What is known about the training.
    """

    n_rows: int
    n_rows_then: float
    columns: tuple[ColumnDrift, ...]
    scores: tuple[ScoreDrift, ...]
    metrics: tuple[MetricDrift, ...]
    classes: tuple[tuple[Any, float, float | None], ...]
    record: TrainingRecord | None = None

    @property
    def verdict(self) -> str:
        """What changed, in a few sentences."""
        return " ".join(self.verdict_sentences)

    @property
    def verdict_sentences(self) -> list[str]:
        """The sentences of the verdict; the first is about columns."""
        sentences = [self._columns_in_words()]
        if unseen := [column for column in self.columns if column.unseen > 0]:
            most = max(unseen, key=lambda column: column.unseen)
            by_chance = ", no more than by chance" if most.level == "stable" else ""
            sentences.append(f"Unseen categories: {most.name!r} in {self._rows(most.unseen)}{by_chance}.")
        sentences += [
            f"The predicted probabilities of class {score.label} have drifted{' a little' * (score.level == 'small')} "
            f"(PSI {score.psi:.3f}, {score.by_chance:.3f} by chance): their mean was {score.then.mean:.3f} and is "
            f"{score.now.mean:.3f}."
            for score in self.scores
            if score.level != "stable"
        ]
        sentences += [
            f"The frequency of class {label} was {then:.1%} and is {now:.1%}."
            for label, then, now in self.classes[-1:]
            if now is not None and abs(now - then) > 3 * (max(then * (1 - then), 1e-12) / self.n_rows) ** 0.5
        ]
        return [*sentences, *self._scores_in_words()]

    def _rows(self, share: float) -> str:
        """Return a share of the new rows; a small one as a number."""
        number = round(share * self.n_rows)
        if share >= _SHOWN_SHARE:
            return f"{share:.1%} of the rows"
        return "1 row" if number == 1 else f"{number:,} rows"

    def _scores_in_words(self) -> list[str]:
        """Return what became of the log loss, and of each other score that has changed beyond chance."""
        known = [each for each in self.metrics if each.then is not None]
        sentences = []
        for each in sorted(known, key=lambda metric: metric.name != "log_loss"):
            then, now, error = each.then or 0.0, each.now, each.then_error or 0.0
            title = _TITLES[each.name]
            figures = f"{then:.3f} ± {error:.3f} and is {now:.3f} ± {each.now_error:.3f}"
            if each.change == "same" and each.name == "log_loss":
                sentences.append(f"The log loss has not changed beyond chance: it was {figures}.")
            elif each.change == "unknown" and each.name == "log_loss":
                sentences.append(f"The log loss was {then:.3f} and is {now:.3f}; chance cannot be ruled out.")
            elif each.change in ("worse", "better"):
                sentences.append(f"The {title} is {each.change} beyond chance: it was {figures}.")
        return sentences

    def _columns_in_words(self) -> str:
        n_columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        moved = [column for column in self.columns if column.level in ("moderate", "large")]
        little = [column for column in self.columns if column.level == "small"]
        if not moved and not little:
            largest = max((column.psi for column in self.columns), default=0.0)
            return f"No drift beyond chance in the {n_columns} of the model: the largest PSI is {largest:.3f}."
        shown = moved or little
        names = ", ".join(f"{column.name!r} ({column.psi:.3f})" for column in shown[:5])
        more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
        if not moved:
            return (
                f"Small drift in {len(little)} of the {n_columns} of the model, beyond chance and below a PSI of 0.1: "
                f"{names}{more}."
            )
        rest = f"; small drift, below 0.1, in {len(little)} more" if little else ""
        return f"Drift in {len(moved)} of the {n_columns} of the model, by their PSI: {names}{more}{rest}."

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per column.

        Parameters
        ----------
        backend : str, default=None
            "pandas" or "polars"; by default the first that is installed.

        Returns
        -------
        frame : data frame
            Index, level, missing and unseen shares.
        """
        names = ("name", "psi", "by_chance", "level", "missing_then", "missing_now", "unseen")
        return build_frame({name: [getattr(column, name) for column in self.columns] for name in names}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the same in types that JSON has."""
        return {
            "verdict": self.verdict,
            "n_rows": self.n_rows,
            "n_rows_then": self.n_rows_then,
            "columns": [asdict(column) for column in self.columns],
            "scores": [_score_dict(score) for score in self.scores],
            "metrics": [
                {key: _finite(value) for key, value in asdict(each).items()} | {"change": each.change}
                for each in self.metrics
            ],
            "classes": [{"label": str(label), "then": then, "now": now} for label, then, now in self.classes],
        }

    def __str__(self) -> str:
        return self.verdict


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def _score_dict(score: ScoreDrift) -> dict[str, Any]:
    def plain(groups: ScoreGroups) -> dict[str, list[float | None]]:
        names = ("n_rows", "predicted", "observed")
        return {name: [_finite(each) for each in getattr(groups, name).tolist()] for name in names}

    described = {name: getattr(score, name) for name in ("psi", "by_chance", "level")}
    bounds = score.then.bounds.tolist()
    return {
        "label": str(score.label),
        **described,
        "bounds": bounds,
        "then": plain(score.then),
        "now": plain(score.now),
    }
