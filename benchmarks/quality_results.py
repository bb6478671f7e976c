# SPDX-License-Identifier: BSD-3-Clause
"""Results of the comparison: one JSON line per set, fold and method, so that a run can be resumed."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

__all__ = ["MEASURES", "SAVED", "Result", "ResultsFile", "calibration_error", "measure"]

SAVED: Final = Path(__file__).resolve().parents[1] / "research" / "results" / "quality.jsonl"
"""The results behind the tables of `research/quality.md` and of the documentation."""

MEASURES: Final = ("log_loss", "auc", "brier", "calibration")
_N_BINS = 10
_LEAST = 1e-7  # of a probability in the log loss: texts of peers are rounded to 0 and 1


@dataclass(frozen=True)
class Result:
    """The measures of one fit; without measures if it was cut or failed; ``note`` is the reason."""

    set: str
    fold: int
    method: str
    version: str
    state: Literal["done", "cut", "failed"]
    note: str = ""
    n_train: int = 0
    n_test: int = 0
    log_loss: float | None = None
    auc: float | None = None
    brier: float | None = None
    calibration: float | None = None
    accuracy: float | None = None
    n_columns: int | None = None
    n_pairs: int | None = None
    seconds: float | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """What a later line replaces."""
        return self.set, self.fold, self.method


class Keyed(Protocol):
    """A data class of results."""

    @property
    def key(self) -> tuple[str, int, str]:
        """What a later line replaces."""
        ...


T = TypeVar("T", bound=Keyed)


class ResultsFile(Generic[T]):
    """A file of results of one data class; the last line of a key counts. Numbers have six digits."""

    def __init__(self, path: Path, kind: type[T] = Result) -> None:
        self._path, self._kind = path, kind

    def read(self) -> dict[tuple[str, int, str], T]:
        """Return the results by key."""
        return {result.key: result for result in self._lines()}

    def _lines(self) -> Iterator[T]:
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                yield self._kind(**json.loads(line))

    def append(self, result: T) -> None:
        """Add a line in one write: other processes may add theirs at the same time."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(result))

    def tidy(self) -> None:
        """Leave out replaced lines, and order the others."""
        lines = [_line(result) for _, result in sorted(self.read().items())]
        self._path.write_text("".join(lines), encoding="utf-8")


def _line(result: Any) -> str:
    """Return a line of what is not the default."""
    defaults = {field.name: field.default for field in fields(result)}
    rounded = {name: _rounded(value) for name, value in asdict(result).items()}
    return json.dumps({name: value for name, value in rounded.items() if value != defaults[name]}) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def measure(y: NDArray[np.int64], probabilities: NDArray[np.float64]) -> dict[str, float]:
    """Return the measures of predicted probabilities of class 1; or of all classes, shape (n_rows, n_classes)."""
    if probabilities.ndim == 2:
        p = np.clip(probabilities, _LEAST, 1.0)[np.arange(len(y)), y]
        return {"log_loss": float(-np.log(p).mean()), "accuracy": float((probabilities.argmax(axis=1) == y).mean())}
    return {
        "log_loss": float(log_loss(y, np.clip(probabilities, _LEAST, 1 - _LEAST), labels=[0, 1])),
        "auc": float(roc_auc_score(y, probabilities)),
        "brier": float(brier_score_loss(y, np.clip(probabilities, 0.0, 1.0))),
        "calibration": calibration_error(y, probabilities),
    }


def calibration_error(y: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return the expected calibration error in ten bins of equal frequency; equal probabilities share a bin."""
    inner = np.quantile(probabilities, np.arange(1, _N_BINS) / _N_BINS)
    bins = np.searchsorted(np.unique(inner), probabilities, side="left")
    gaps = np.bincount(bins, weights=y - probabilities)
    return float(np.abs(gaps).sum() / len(y))
