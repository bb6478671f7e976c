"""The rows of the table, with the paper's figures and those of a reference program."""

from dataclasses import dataclass

__all__ = ["METHODS", "N_REFERENCE_SEEDS", "IndicatorMethod", "SizeAndError"]

N_REFERENCE_SEEDS = 10


@dataclass(frozen=True)
class SizeAndError:
    """Number of indicators and test error; the standard deviation of the error over seeds, if there are several."""

    size: float
    error: float
    deviation: float | None = None


@dataclass(frozen=True)
class IndicatorMethod:
    """A row: a filter or a search, and its criterion.

    ``printed`` is the paper's table 1, from one data set. ``reference`` was measured over ten seeds by another program
    with the same windows, levels and protocol; its rule for ties between removals is not documented. The criterion
    "error" has many ties: if the first in order were removed, forward-backward would keep 101 instead of 75 (seeds
    1 to 6).
    """

    search: str
    criterion: str
    printed: SizeAndError | None = None
    reference: SizeAndError | None = None

    @property
    def key(self) -> str:
        """Name in files."""
        return f"{self.search}, {self.criterion}"

    @property
    def is_filter(self) -> bool:
        """Whether columns are ranked without the classifier."""
        return self.search in ("mi", "mrmr")

    @property
    def title(self) -> str:
        """Name in tables."""
        filters = {"mi": "MI filter", "mrmr": "mRMR filter"}
        criteria = {"error_probability": "probability", "brier": "Brier score", "log_loss": "log loss"}
        if self.is_filter:
            return filters[self.search]
        return f"{self.search}, {criteria.get(self.criterion, self.criterion)}"


METHODS = (
    IndicatorMethod("mi", "error", SizeAndError(422, 0.1387), SizeAndError(131, 0.1345, 0.0067)),
    IndicatorMethod("mrmr", "error", SizeAndError(19, 0.1435), SizeAndError(90, 0.1260, 0.0037)),
    IndicatorMethod("forward", "error", SizeAndError(136, 0.1237), SizeAndError(276, 0.1172, 0.0036)),
    IndicatorMethod("forward", "error_probability", SizeAndError(207, 0.1225), SizeAndError(192, 0.1100, 0.0051)),
    IndicatorMethod("backward", "error", SizeAndError(27, 0.1308), SizeAndError(36, 0.1170, 0.0051)),
    IndicatorMethod("backward", "error_probability", SizeAndError(86, 0.1283), SizeAndError(63, 0.1131, 0.0051)),
    IndicatorMethod("forward-backward", "error", SizeAndError(92, 0.1238), SizeAndError(94, 0.1141, 0.0050)),
    IndicatorMethod(
        "forward-backward", "error_probability", SizeAndError(123, 0.1237), SizeAndError(122, 0.1096, 0.0055)
    ),
    IndicatorMethod("backward-forward", "error", SizeAndError(112, 0.1267), SizeAndError(97, 0.1146, 0.0038)),
    IndicatorMethod(
        "backward-forward", "error_probability", SizeAndError(122, 0.1168), SizeAndError(120, 0.1118, 0.0052)
    ),
    IndicatorMethod("floating", "error_probability"),
    IndicatorMethod("forward", "brier"),
    IndicatorMethod("forward-backward", "brier"),
    IndicatorMethod("forward", "log_loss"),
    IndicatorMethod("forward-backward", "log_loss"),
)
