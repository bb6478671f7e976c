"""Boosted selection."""

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from bayesieve.estimators.carding import read_codes
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.options.folds import read_cv
from bayesieve.estimators.options.plan import Plan, read_discretizer
from bayesieve.estimators.options.tags import require_two_classes, two_classes_only
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import NothingSelectedWarning
from bayesieve.models import BOOSTERS, Boosting, Evidence, ScoreTable
from bayesieve.models.evidence import in_nats
from bayesieve.search import SearchRun, Visit
from bayesieve.training.block_rows import TrainingRows
from bayesieve.training.boosted_search import final_rounds, run_boosted
from bayesieve.training.outcome import Outcome
from bayesieve.training.task import Task

__all__ = ["BoostSelector"]

_SHARED = (
    "n_features", "cv", "discretizer", "scoring", "keep", "drop", "one_se", "tol", "max_time", "checkpoint",
    "n_jobs", "backend", "random_state", "verbose",
)  # fmt: skip


class BoostSelector(ColumnSelectionMixin, SearchEstimator):
    """Select the columns that a boosted model would use, one after the other; for two classes.

    Each step asks every column for the best correction of what the chosen ones say so far, takes the column whose
    correction brings most, and changes the rows' weights, or their probabilities, by it. Rows that are predicted well
    lose their say, so that a column that repeats a chosen one brings nothing. The boosted model predicts, too; a naive
    Bayes on the selected columns would count again what they have in common.

    Parameters
    ----------
    method : {"confidence", "real", "logit", "brier"}, default="confidence"
        What a step improves. "confidence" is the boosted selection of paper 000: naive Bayes on one column as a
        confidence in [-1, 1]. "real" takes half the log-odds of each bin, by which the exponential loss falls most.
        "logit" and "brier" are calibrated: Newton steps of the log-likelihood and of the squared error, that start from
        the class shares. With rare cases "confidence" rewards columns that are sure of the frequent class, see
        ``docs/explanation/boosting.md``.
    replace : bool, default=False
        Whether chosen columns speak again: before each addition, as long as one of them brings more than any other
        column. Otherwise a column speaks once.
    shrinkage : float, default=1.0
        The share of each step that is taken, in (0, 1].
    smoothing : float, default=1.0
        Doubt: how many rows, of which nothing is known, each bin counts beside its own. "confidence" adds smoothing / N
        to the share of each bin and class, "real" smoothing / 2N; the others add it to the second derivative.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns: a number, a share, ``(smallest, largest)``, all, or as many as pay. On the training rows
        (``cv=0``) nearly every column pays.
    cv : None, float, int, splitter, list of index pairs, or (X, y), default=5
        On which rows a step is judged: on the training rows, or on rows that neither bins nor steps were learnt from,
        a held-out share, folds, or a given set. There is one path; each fold takes its steps by itself.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How columns become codes; see `NaiveBayesSelector`.
    scoring : str, list of str or None, default=("log_loss", "brier")
        Criteria to report along the path, in ``cv_results_``, on the same rows.
    keep, drop : column names, positions, mask or callable, default=None
        Columns that enter first and stay, that may not enter.
    one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    support_ : bool array of shape (n_features_in_,)
        The selected columns.
    n_features_ : int
        How many they are.
    path_ : SelectionPath
        Every step. The score of a subset is the sum of what its columns brought as they entered, 0 for no column, the
        mean over folds: of "real", minus the logarithm of the mean exponential loss; of "confidence", of a bound of it;
        of "logit", by how much the mean log loss fell, to second order; of "brier", by how much the Brier score (both
        classes) fell. What was really lost is in ``cv_results_``.
    alphas_ : float array of shape (n_rounds,)
        How far each step went, of the model that is learnt from all rows; ``shrinkage``, but of "confidence".
    rounds_ : tuple of str
        The column of each step; with ``replace`` a column can have several.
    cv_results_, why_, partitions_, classes_
        See `NaiveBayesSelector`. The gain of a selected column is what it brought as it entered.

    See Also
    --------
    NaiveBayesSelector : Each subset judged by the naive Bayes that it makes.

    References
    ----------
    R. E. Schapire, Y. Singer, Improved boosting algorithms using confidence-rated predictions, Machine Learning 37
    (1999). J. Friedman, T. Hastie, R. Tibshirani, Additive logistic regression, Annals of Statistics 28 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import BoostSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = BoostSelector("logit", n_features=3).fit(X, y)
    >>> selector.path_.order
    ('worst perimeter', 'worst concave points', 'worst texture')
    >>> selector.predict_proba(X).shape
    (569, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [StrOptions(set(BOOSTERS))],
        "replace": ["boolean"],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        **{name: SearchEstimator._parameter_constraints[name] for name in _SHARED},
    }

    def __init__(
        self,
        method: str = "confidence",
        *,
        replace: bool = False,
        shrinkage: float = 1.0,
        smoothing: float = 1.0,
        n_features: Any = "auto",
        cv: Any = 5,
        discretizer: Any = "modl",
        scoring: Any = ("log_loss", "brier"),
        keep: Any = None,
        drop: Any = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.replace = replace
        self.shrinkage = shrinkage
        self.smoothing = smoothing
        self.n_features = n_features
        self.cv = cv
        self.discretizer = discretizer
        self.scoring = scoring
        self.keep = keep
        self.drop = drop
        self.one_se = one_se
        self.tol = tol
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second class by the boosted model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        log_odds : array of shape (n_rows,)
            In nats; of the exponential losses ("confidence", "real") twice the sum of the steps.
        """
        scores = self._evidence(X).scores
        return in_nats(scores[1] - scores[0])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities by the boosted model; those of "confidence" and "real" are not calibrated.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows.

        Returns
        -------
        probabilities : array of shape (n_rows, 2)
            In the order of ``classes_``.
        """
        return np.ascontiguousarray(self._evidence(X).probabilities.T)

    def _plan(self, sample: TrainingRows) -> Plan:
        require_two_classes(sample.n_classes, "boosting tells one class from the other")
        model = Boosting(self.method, float(self.shrinkage), float(self.smoothing), bool(self.replace))
        rule = read_discretizer(self.discretizer, sample)
        return Plan(rule, model, "forward", "log_loss", read_cv(self.cv), self.random_state, teaches=True)

    def _run(self, task: Task, run: SearchRun) -> Outcome:
        outcome, self._round_columns = run_boosted(self, task, run)
        return outcome

    def _store(self, task: Task, sample: TrainingRows, outcome: Outcome) -> None:
        assert isinstance(task.plan.model, Boosting)
        self._model: Boosting = task.plan.model
        names, longest = task.space.names, max(self._round_columns.values(), key=len)
        self._rounds = [(names[one.column], one.alphas[0], one.tables[0]) for one in final_rounds(task, longest)]
        self._n_rounds = {columns: len(rounds) for columns, rounds in self._round_columns.items()}
        del self._round_columns
        super()._store(task, sample, outcome)

    def _choose(self, visit: Visit) -> None:
        super()._choose(visit)
        taken = self._rounds[: self._n_rounds[visit.columns]]
        self.rounds_ = tuple(name for name, _, _ in taken)
        self.alphas_ = np.array([alpha for _, alpha, _ in taken])
        said: dict[str, NDArray[np.int64]] = {}
        for name, _, table in taken:
            said[name] = said[name] + table if name in said else table
        self._tables = [ScoreTable(name, self._final[name][0], table, 1.0) for name, table in said.items()]

    def _evidence(self, X: Any) -> Evidence:
        """Add up the steps of the selected columns."""
        table = self._read_new(X)
        place = {name: j for j, name in enumerate(self._names)}
        state = self._model.begin(self._start, table.n_rows)
        for card, codes in zip(self._tables, read_codes(table, self._tables, place), strict=True):
            state = state + card.table[codes]
        return self._model.predictions(state)

    def _warn_nothing_selected(self, task: Task, empty: Visit) -> None:
        alone = {name: entry["score_alone"] for name, entry in self.why_.items() if entry["score_alone"] is not None}
        nearest = ", ".join(
            f"{name!r} ({alone[name]:.3g})" for name in sorted(alone, key=lambda name: -alone[name])[:3]
        )
        misses = f"; the nearest misses are {nearest}" if nearest else ""
        warnings.warn(
            f"By method={self.method!r} none of the {len(task.names)} columns brings anything on the judged rows, so "
            f"none is selected{misses}.",
            NothingSelectedWarning,
            stacklevel=6,
        )

    def __sklearn_tags__(self) -> Any:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())
