"""The selective naive Bayes classifier."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.coding import MODL, FinestBins
from bayesieve.criteria import ALL_CRITERIA
from bayesieve.decisions import CALIBRATIONS, read_threshold
from bayesieve.estimators._sklearn import StrOptions
from bayesieve.estimators._types import (
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    TableLike,
    ThresholdLike,
    Transformer,
)
from bayesieve.estimators.column_selection_mixin import ColumnSelectionMixin
from bayesieve.estimators.modl_discretizer import MODLDiscretizer
from bayesieve.estimators.new_rows import code_columns, open_new_rows
from bayesieve.estimators.options.classifier_options import (
    choose_search,
    choose_splitter,
    positive_index,
    read_prior_shift,
    refuse_search_options,
)
from bayesieve.estimators.options.discretizer_options import read_discretizer
from bayesieve.estimators.prediction_mixin import SavingMixin
from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.estimators.search_estimator import SearchEstimator
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.model_file.capture import restore
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.record import SavedModel
from bayesieve.models import AveragedBins, NaiveBayes
from bayesieve.search import SEARCHES
from bayesieve.training.options import SizeOption, TrainingOptions
from bayesieve.training.rows import TrainingRows
from bayesieve.training.weighted_search import WEIGHTINGS

__all__ = ["SelectiveNaiveBayes"]


class SelectiveNaiveBayes(SavingMixin, ColumnSelectionMixin, ScorecardMixin, SearchEstimator):
    """Naive Bayes on few columns, each with a weight: no tuning, good probabilities, readable.

    By default every column is averaged over all partitions of its values, and weights are fitted under a penalty that
    grows with the doubt whether a column is informative at all: most weights are zero. See the documentation for why
    this is the default, and for the classic forms: `esnb`, ``weights="averaged"``, ``weights="fractional"``.

    A missing value is a value of its own. A value that training did not have, or a missing one where training had
    none, is *unseen* and says nothing about the class.

    Parameters
    ----------
    search : {"auto", "forward", "backward", "forward-backward", "backward-forward", "floating", \
            "fast-forward-backward"}, default="auto"
        Which subsets are tried. "auto" lets the weights choose the columns; see the table in the notes.
    criterion : {"auto", "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map", \
            "benefit"}, default="auto"
        What a search improves. "benefit" is for ``weights="none"`` or "penalized".
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many columns. Penalised weights without a search add columns one by one, all weighed anew, until there are
        so many; fractional weights let a forward search choose so many; averaged ones keep the largest.
    cv : "auto", int, float, splitter or list of index pairs, default="auto"
        On which rows weights are fitted and subsets scored, with tables that were learned without them. 0: on the
        training rows; penalised weights then leave each row out of what its own value says.
    benefit_matrix : array of shape (n_actions, n_classes), default=None
        See `NaiveBayesSelector`.
    discretizer : {"modl", "mdlp", "equal_frequency", "equal_width"}, transformer or None, default="modl"
        How numeric columns become codes.
    bins : {"averaged", "best"}, default="averaged"
        The average over all partitions of a column, or the one that ``discretizer`` finds best.
    weights : {"penalized", "fractional", "averaged", "none"}, default="penalized"
        How strongly each selected column speaks: by penalised likelihood, by Khiops's steps that halve, by the subsets
        that a search evaluated, or all alike.
    threshold : {"bayes", "chi2", "ber", "f1"}, float, ("recall", r) or ("precision", p), default="bayes"
        How probabilities become a class: the most probable one; or of two classes the positive one, where its
        probability is above a number, or above the cut that is best for a measure or keeps a floor, on the rows of
        ``cv``.
    pos_label : class label, default=None
        The positive one of two classes, which a threshold looks for; the second of ``classes_`` where None.
    calibration : {None, "isotonic", "beta"}, default=None
        What probabilities become in the end: None leaves them; the others learn how often the class occurred where so
        much was said of it, on rows that the tables do not know: those of ``cv``, or all rows, each without
        itself, where ``cv`` is None. That is not possible with ``bins="best"``.
    class_prior : mapping or array of shape (n_classes,), default=None
        The class probabilities where the model is used, if they are not those of the training rows.
    smoothing : float or "auto", default="auto"
        Pseudo-count of each cell of ``bins="best"``; "auto" is 1 / (N + 1).
    scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint : optional
        See `NaiveBayesSelector`. Groups are for searches.
    n_jobs, backend, random_state, verbose : optional
        See `NaiveBayesSelector`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    weights_ : dict of str to float
        The weight of each selected column.
    feature_importances_ : array of shape (n_features_in_,)
        The mean size of each column's contribution to the log-odds, relative to its mean; they sum to one.
    threshold_ : Threshold
        Where probabilities are cut, and what that came to.
    partitions_ : dict of str to Intervals or Groups
        The best bins of each selected column, to look at. Averaged bins are finer: the best way to join them is shown.
    selection_, scorecard_, support_, n_features_, path_, cv_results_, why_
        See `NaiveBayesSelector`. Scores of penalised weights are log losses on rows that tables do not know.

    See Also
    --------
    NaiveBayesSelector : A selection as a transformer.

    Notes
    -----
    What "auto" means:

    =========== ========================= ========== ==============================
    weights     search                    criterion  validation
    =========== ========================= ========== ==============================
    penalized   none: the weights choose  log_loss   5 folds; see below
    fractional  none: the weights choose  log_loss   None
    averaged    fast-forward-backward     map        None
    none        forward                   brier      5 folds
    =========== ========================= ========== ==============================

    With more than 10,000 rows, or where a class has one row, penalised weights use ``cv=0``. Of candidates
    that tie, the one of the higher MODL level enters first, whatever the criterion; then the first of the table.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import SelectiveNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayes(n_features=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SearchEstimator._parameter_constraints,
        "search": [StrOptions({"auto", *SEARCHES})],
        "criterion": [StrOptions({"auto", *ALL_CRITERIA})],
        "cv": [StrOptions({"auto"}), *SearchEstimator._parameter_constraints["cv"]],
        "bins": [StrOptions({"averaged", "best"})],
        "weights": [StrOptions({"none", *WEIGHTINGS})],
        "threshold": [str, tuple, list, Real],
        "pos_label": "no_validation",
        "calibration": [None, StrOptions(set(CALIBRATIONS))],
        "class_prior": [None, Mapping, "array-like"],
    }

    def __init__(
        self,
        search: str = "auto",
        criterion: str = "auto",
        *,
        n_features: SizeOption = "auto",
        cv: CrossValidator = "auto",
        benefit_matrix: ArrayLike | None = None,
        discretizer: str | Transformer | None = "modl",
        bins: str = "averaged",
        weights: str = "penalized",
        threshold: ThresholdLike = "bayes",
        pos_label: Label = None,
        calibration: str | None = None,
        class_prior: Mapping[Label, float] | ArrayLike | None = None,
        smoothing: float | str = "auto",
        scoring: str | list[str] | tuple[str, ...] | None = None,
        keep: ColumnsLike = None,
        drop: ColumnsLike = None,
        start_from: ColumnsLike = None,
        feature_groups: Mapping[str, ColumnsLike] | None = None,
        one_se: bool = False,
        tol: float | None = 0.0,
        max_time: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            search,
            criterion,
            n_features=n_features,
            cv=cv,
            benefit_matrix=benefit_matrix,
            discretizer=discretizer,
            smoothing=smoothing,
            scoring=scoring,
            keep=keep,
            drop=drop,
            start_from=start_from,
            feature_groups=feature_groups,
            one_se=one_se,
            tol=tol,
            max_time=max_time,
            checkpoint=checkpoint,
            n_jobs=n_jobs,
            backend=backend,
            random_state=random_state,
            verbose=verbose,
        )
        self.bins = bins
        self.weights = weights
        self.threshold = threshold
        self.pos_label = pos_label
        self.calibration = calibration
        self.class_prior = class_prior

    @classmethod
    def esnb(cls, **changes: Any) -> Self:
        """Return the Enhanced Selective Naive Bayes of Boullé (2006).

        Best bins by the prior of 2006, forward selection by the area under the lift curve on the training rows, of
        equal candidates the more informative, and the cut of the largest chi-square.

        Parameters
        ----------
        **changes : parameters
            Other parameters, or other values.

        Returns
        -------
        classifier : SelectiveNaiveBayes
            Not fitted.
        """
        classic: dict[str, Any] = {
            "search": "forward",
            "criterion": "lift",
            "cv": 0,
            "discretizer": MODLDiscretizer(prior="2006"),
            "bins": "best",
            "weights": "none",
            "threshold": "chi2",
        }
        return cls(**(classic | changes))

    def staged_predict_proba(self, X: TableLike) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the class probabilities that each size on offer gives: those that ``select`` knows.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features_in_)
            The rows; each column is read once.

        Yields
        ------
        size : int
            Number of columns, increasing.
        probabilities : array of shape (n_rows, n_classes)
            What ``select(size).predict_proba(X)`` returns.
        """
        table, selection = open_new_rows(self, X), self.selection_
        cards = [self.select(k).scorecard_ for k in selection.by_size]
        tables = {each.name: each for card in cards for each in card.tables}
        coded = code_columns(table, list(tables.values()), selection.positions)
        codes = {name: each.codes for name, each in zip(tables, coded, strict=True)}
        for card in cards:
            evidence = card.evidence(table.n_rows, (codes[name] for name in card.names))
            yield len(card.tables), np.ascontiguousarray(card.probabilities(evidence).T)

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        self._refuse_combinations(rows)
        rule, model = read_discretizer(self.discretizer, rows.head, rows.n_classes), NaiveBayes(self.smoothing)
        display_rule = None
        if self.bins == "averaged":
            if type(rule) is not MODL:
                raise ParameterError(
                    f"bins='averaged' averages over all partitions, and discretizer={self.discretizer!r:.60} gives "
                    "one; use bins='best' with it."
                )
            display_rule, rule, model = rule, FinestBins(), AveragedBins(self.smoothing)
        search, criterion = choose_search(self.weights, self.search, self.criterion, self.n_features)
        if search is None:
            refuse_search_options(self.weights, feature_groups=self.feature_groups)
        splitter = choose_splitter(rows, self.weights, self.cv, self.random_state)
        if self.calibration is not None and self.bins == "best" and splitter is None and not rows.has_validation_rows:
            raise ParameterError(
                f"calibration={self.calibration!r} needs rows that the tables do not know; with bins='best' and "
                "cv=0 there are none: give cv folds, or a share of the rows."
            )
        return replace(
            self._common_options(rows, rule, model, search, criterion),
            splitter=splitter,
            weights=self.weights,
            laplace=self.weights in ("penalized", "fractional"),
            threshold=read_threshold(self.threshold),
            positive=positive_index(self.pos_label, rows.classes.tolist()),
            calibration=self.calibration,
            prior_shift=read_prior_shift(self.class_prior, rows),
            display_rule=display_rule,
        )

    def _refuse_combinations(self, rows: TrainingRows) -> None:
        if read_threshold(self.threshold).name != "bayes" and rows.n_classes != 2:
            raise ParameterError(f"threshold={self.threshold!r} is for two classes; this target has {rows.n_classes}.")
        if self.criterion == "benefit" and self.weights not in ("none", "penalized"):
            raise ParameterError(f"criterion='benefit' is for weights='none' or 'penalized', got {self.weights!r}.")


def _build(saved: SavedModel) -> SelectiveNaiveBayes:
    """Return the classifier of a model file."""
    try:
        model = SelectiveNaiveBayes(**saved.parameters)
    except TypeError:
        raise ModelFileError("The model file has parameters that SelectiveNaiveBayes does not know.") from None
    return restore(model, saved)


BUILDERS["SelectiveNaiveBayes"] = _build
