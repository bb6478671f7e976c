"""Boosted selection."""

from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve.estimators._sklearn import Interval, StrOptions
from bayesieve.estimators._types import (
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    TableLike,
    Tags,
    Transformer,
)
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.new_rows import open_new_rows
from bayesieve.estimators.options.classifier_options import positive_index
from bayesieve.estimators.options.discretizer_options import read_discretizer
from bayesieve.estimators.options.folds import read_splitter
from bayesieve.estimators.options.tags import require_two_classes, two_classes_only
from bayesieve.estimators.prediction_mixin import PredictionMixin
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.models import BOOSTERS, Boosting
from bayesieve.models.evidence import in_nats
from bayesieve.training.options import SizeOption, TrainingOptions
from bayesieve.training.rows import TrainingRows
from bayesieve.training.selection import Candidate

__all__ = ["BoostSelector"]

_SHARED = (
    "n_features", "cv", "discretizer", "scoring", "keep", "drop", "one_se", "tol", "max_time", "checkpoint",
    "n_jobs", "backend", "random_state", "verbose",
)  # fmt: skip


class BoostSelector(ColumnSelectionMixin, PredictionMixin, SearchEstimator):
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
    cv : int, float, splitter or list of index pairs, default=5
        On which rows a step is judged: on the training rows, or on rows that neither bins nor steps were learnt from,
        a held-out share, or folds. There is one path; each fold takes its steps by itself.
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
    selection_ : Selection
        The path, the candidate of each size, and the reasons; ``selection_.best`` is the selected one.
    scorecard_ : Scorecard
        The fitted model: score tables with their bins and counts.
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

    criterion = ""  # the parameter is ``method``
    benefit_matrix = None
    start_from = None
    feature_groups = None

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions(set(BOOSTERS))],
        "replace": ["boolean"],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "pos_label": "no_validation",
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
        n_features: SizeOption = "auto",
        pos_label: Label = None,
        cv: CrossValidator = 5,
        discretizer: str | Transformer | None = "modl",
        scoring: str | list[str] | tuple[str, ...] | None = ("log_loss", "brier"),
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.replace = replace
        self.shrinkage = shrinkage
        self.smoothing = smoothing
        self.n_features = n_features
        self.pos_label = pos_label
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

    def decision_function(self, X: TableLike) -> NDArray[np.float64]:
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
        scores = self._evidence(open_new_rows(self, X)).scores
        return in_nats(scores[1] - scores[0])

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        require_two_classes(rows.n_classes, "boosting tells one class from the other")
        model = Boosting(self.method, float(self.shrinkage), float(self.smoothing), bool(self.replace))
        rule = read_discretizer(self.discretizer, rows.head, rows.n_classes)
        return replace(
            self._common_options(rows, rule, model, "forward", "log_loss"),
            splitter=read_splitter(rows, self.cv, self.random_state),
            learns_on_path=True,
            positive=positive_index(self.pos_label, rows.classes.tolist()),
        )

    def _adopt(self, candidate: Candidate) -> Self:
        super()._adopt(candidate)
        self.rounds_ = tuple(step.column for step in candidate.steps)
        self.alphas_: NDArray[np.float64] = np.array([step.alpha for step in candidate.steps])
        return self

    def __sklearn_tags__(self) -> Tags:
        """Accept any table, and two classes."""
        return two_classes_only(super().__sklearn_tags__())
