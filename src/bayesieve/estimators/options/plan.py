"""What an estimator's parameters come to, where some of them depend on others or on the data."""

from dataclasses import dataclass
from typing import Any

from bayesieve.coding import CODING_RULES, MODL, CodingRule, FinestBins
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.options.bin_options import read_rule
from bayesieve.estimators.options.folds import read_cv
from bayesieve.estimators.options.transformer_rule import TransformerRule
from bayesieve.exceptions import ParameterError
from bayesieve.models import AveragedBins, Model, NaiveBayes
from bayesieve.training.block_rows import TrainingRows

__all__ = ["Plan", "read_discretizer", "weighted_plan"]

_SEARCHES = {"averaged": "fast-forward-backward"}
_CRITERIA = {"averaged": "map", "fractional": "log_loss"}
_MANY_ROWS = 10_000  # above, rows are left out one by one: folds would learn from fewer of them for nothing


@dataclass(frozen=True)
class Plan:
    """How columns are coded, what model they make, and how a subset is found and judged.

    ``search`` is None where the weights choose the columns. ``teaches`` tells whether the search learns from the
    fitting rows of each fold as it goes, so that they must be coded too.
    """

    rule: CodingRule
    model: Model
    search: str | None
    criterion: str
    cv: Any
    random_state: Any = None
    teaches: bool = False


def read_discretizer(discretizer: Any, sample: TrainingRows) -> CodingRule:
    """Return the coding rule of a name, of a `MODLDiscretizer` or of another transformer."""
    if discretizer is None or isinstance(discretizer, str):
        return CODING_RULES[discretizer]
    if isinstance(discretizer, MODLDiscretizer):
        return read_rule(discretizer, sample.head, sample.n_classes)
    return TransformerRule(discretizer)


def weighted_plan(estimator: Any, sample: TrainingRows) -> Plan:
    """Resolve what a classifier leaves open: by default, the weights decide which search, criterion and rows there are.

    =========== ======================= ========== ==========================================
    weights     search                  criterion  validation
    =========== ======================= ========== ==========================================
    penalized   none: the weights       log_loss   5 folds; None above 10,000 rows, or where a class has one row
    fractional  none: the weights       log_loss   None
    averaged    fast-forward-backward   map        None
    none        forward                 brier      5 folds
    =========== ======================= ========== ==========================================

    Fractional weights have no path of their own: for a given number of columns, a forward search chooses them.
    """
    kind, search, criterion = estimator.weights, estimator.search, estimator.criterion
    if search == "auto":
        search = None if criterion == "auto" and _weights_choose(estimator) else _SEARCHES.get(kind, "forward")
    if criterion == "auto":
        criterion = "log_loss" if search is None else _CRITERIA.get(kind, "brier")
    cv, seed = read_cv(estimator.cv), estimator.random_state
    if cv == "auto" and isinstance(cv, str):
        cv = _folds(sample, kind)
        # Folds of neighbouring rows differ where a table is in some order, and weights would pay for that.
        seed = 0 if seed is None and kind == "penalized" else seed
    rule, model = _bins(estimator, sample)
    return Plan(rule, model, search, criterion, cv, seed)


def _weights_choose(estimator: Any) -> bool:
    free = isinstance(estimator.n_features, str)  # "auto" or "all"
    return estimator.weights == "penalized" or (estimator.weights == "fractional" and free)


def _folds(sample: TrainingRows, kind: str) -> int | None:
    """Return five folds, or as many as the largest class has rows; None where all rows serve better."""
    sizes = sample.class_sizes
    # A class of one row would be scored only where no table knows it.
    unfit = sample.n_rows > _MANY_ROWS or sizes.min() < 2
    if kind not in ("penalized", "none") or (kind == "penalized" and unfit) or sizes.max() < 2:
        return None
    return min(5, int(sizes.max()))


def _bins(estimator: Any, sample: TrainingRows) -> tuple[CodingRule, Model]:
    rule = read_discretizer(estimator.discretizer, sample)
    if estimator.bins == "best":
        return rule, NaiveBayes(estimator.smoothing)
    if type(rule) is not MODL:
        raise ParameterError(
            f"bins='averaged' averages over all partitions, and discretizer={estimator.discretizer!r:.60} gives one; "
            "use bins='best' with it."
        )
    return FinestBins(), AveragedBins(estimator.smoothing)
