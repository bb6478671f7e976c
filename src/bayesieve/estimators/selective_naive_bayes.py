# SPDX-License-Identifier: BSD-3-Clause
"""The selective naive Bayes classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from os import PathLike
from typing import Any, ClassVar, NamedTuple, Self

from numpy.typing import ArrayLike

from bayesieve.bins import MODL, FinestBins
from bayesieve.decisions import CALIBRATIONS, read_threshold
from bayesieve.estimators._sklearn import StrOptions
from bayesieve.estimators._types import (
    ColumnsLike,
    Constraints,
    CrossValidator,
    Label,
    RandomState,
    ThresholdLike,
    Transformer,
)
from bayesieve.estimators.discretizer import MODLDiscretizer, read_discretizer
from bayesieve.estimators.fitted_mixins import ColumnSelectionMixin
from bayesieve.estimators.options import read_prior_shift, read_splitter
from bayesieve.estimators.parameter_docs import documented
from bayesieve.estimators.saving import SavingMixin
from bayesieve.estimators.scorecard_mixin import ScorecardMixin
from bayesieve.estimators.search_estimator import NaiveBayesEstimator
from bayesieve.exceptions import ModelFileError, ParameterError
from bayesieve.fit.options import SearchOptions, SizeOption, Splitter, TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.model_file.file import BUILDERS
from bayesieve.model_file.saved_model import SavedModel, restore
from bayesieve.models import AveragedBins, NaiveBayes
from bayesieve.search import SEARCHES
from bayesieve.search.criteria import ALL_CRITERIA, SCORER_NAMES, criterion_name

__all__ = ["SelectiveNaiveBayes"]

_SEARCHES = {"averaged": "fast-forward-backward"}
_CRITERIA = {"averaged": "map", "fractional": "log_loss"}
_MANY_ROWS = 10_000  # above, rows are left out one by one: folds would learn from fewer of them for nothing


@documented
class SelectiveNaiveBayes(SavingMixin, ColumnSelectionMixin, ScorecardMixin, NaiveBayesEstimator):
    """Naive Bayes on few features, each with a weight: no tuning, good probabilities, interpretable.

    By default every feature is averaged over all partitions of its values, and weights are fitted under a penalty that
    is larger the less certain it is that a feature is informative at all: most weights are zero. See the documentation
    for why this is the default, and for the classic forms: `esnb`, ``weights="averaged"``, ``weights="fractional"``.

    A missing value is a value of its own. A value that did not occur in training, or a missing one where the training
    rows had none, is *unseen* and contributes nothing to the scores.

    Parameters
    ----------
    search : {"auto", "forward", "backward", "forward-backward", "backward-forward", "floating", \
            "fast-forward-backward"}, default="auto"
        Which subsets of the features are tried. "auto" lets the weights select the features, see the notes. "forward"
        adds the best feature, "backward" removes the least useful one; "forward-backward" and "backward-forward"
        alternate full phases of both while the score improves; "floating" is sequential floating forward selection;
        "fast-forward-backward" makes each improving move as it is met, in random orders and from
        log2(features × rows) starts, and is not available for rows in blocks.
    criterion : {"auto", "error", "error_probability", "brier", "log_loss", "balanced_error", "auc", "lift", "map", \
            "refinement", "precision_at_recall", "benefit"}, default="auto"
        The score that a search optimizes: "auto", see the notes; the error rate; the mean probability of the wrong
        classes; the Brier score, summed over classes; the log loss; the balanced error rate; the area under the ROC
        curve; the area under the lift curve; "map", the log loss plus the prior cost of the subset, in nats per scored
        row; "refinement", the Brier score after isotonic recalibration of the scored rows, which depends on their order
        alone; "precision_at_recall", the largest precision of the positive class at a recall of at least 0.9, or of
        what ``threshold=("recall", ...)`` requires; or "benefit", the mean benefit per row if each row gets the action
        of the largest expected benefit, see ``benefit_matrix``; it is for ``weights="none"`` or "penalized".
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or as many as improve the score. With penalized weights and without a search, features are added
        greedily and all weights are refitted until the number is reached; with fractional weights, a forward search
        selects that number; with averaged weights, the features with the largest weights are kept.
    cv : "auto", int, float, splitter or list of index pairs, default="auto"
        On which rows weights are fitted and subsets scored: the training rows (0), a held-out share (a float), or
        folds: their number, a splitter of scikit-learn, or pairs of training and validation positions; "auto", see the
        notes. Bins and tables of a fold are learned without its validation rows. With 0, penalized weights leave each
        row out of its own tables. ``X_val`` and ``y_val`` of `fit` replace it.
    {benefit_matrix, discretizer}
    bins : {"averaged", "best"}, default="averaged"
        The average over all partitions of a feature's values, which needs ``discretizer="modl"``; or the partition that
        ``discretizer`` finds best.
    weights : {"penalized", "fractional", "averaged", "none"}, default="penalized"
        How the selected features are weighted: by penalized likelihood; by Khiops's coordinate descent with halving
        steps; by averaging over the subsets that a search evaluated; or all weights are 1.
    {threshold, pos_label}
    calibration : {None, "isotonic", "beta"}, default=None
        Post-hoc calibration of the probabilities: none, isotonic regression, or beta calibration, fitted on
        out-of-fold scores, or with ``cv=0`` on leave-one-out scores, which ``bins="best"`` does not have.
    class_prior : mapping, array of shape (n_classes,) or None, default=None
        The class probabilities of the population where the model is used, if they are not those of the training rows.
    {smoothing, scoring, keep, drop, start_from, feature_groups, one_se, tol, max_time, checkpoint, n_jobs, backend}
    {random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, weights_, feature_weights_, feature_importances_, threshold_, support_, n_features_}
    {selection_, scorecard_, path_, cv_results_, why_, partitions_, n_features_in_, feature_names_in_}

    See Also
    --------
    NaiveBayesSelector : The same searches without weights, as a transformer.

    Notes
    -----
    What "auto" means:

    =========== ========================= ========== ==============================
    weights     search                    criterion  cv
    =========== ========================= ========== ==============================
    penalized   none: the weights select  log_loss   5 folds; see below
    fractional  none: the weights select  log_loss   0
    averaged    fast-forward-backward     map        0
    none        forward                   brier      5 folds
    =========== ========================= ========== ==============================

    With more than 10,000 rows, or where a class has one row, penalized weights use ``cv=0``, unless ``one_se`` is set;
    their scores are log losses on out-of-fold rows. Ties between candidates are broken by the higher MODL level, for
    every criterion, then by the position in the table.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bayesieve import SelectiveNaiveBayes
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SelectiveNaiveBayes(n_features=5).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.93
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **NaiveBayesEstimator._parameter_constraints,
        "search": [StrOptions({"auto", *SEARCHES})],
        "criterion": [StrOptions({"auto", *ALL_CRITERIA, *SCORER_NAMES})],
        "cv": [StrOptions({"auto"}), *NaiveBayesEstimator._parameter_constraints["cv"]],
        "bins": [StrOptions({"averaged", "best"})],
        "weights": [StrOptions({"none", "penalized", "fractional", "averaged"})],
        "threshold": [str, tuple, list, Real],
        "pos_label": "no_validation",
        "calibration": [None, StrOptions(set(CALIBRATIONS))],
        "class_prior": [None, Mapping, "array-like"],
    }

    bins: str
    weights: str
    threshold: ThresholdLike
    calibration: str | None
    class_prior: Mapping[Label, float] | ArrayLike | None

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
        self._store(locals())

    @classmethod
    def esnb(cls, **changes: Any) -> Self:
        """Return the Enhanced Selective Naive Bayes of Boullé (2006).

        Best bins under the prior of 2006, forward selection by the area under the lift curve on the training rows
        (ties are broken by the MODL level), and the threshold with the largest chi-square.

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

    def _options(self, rows: TrainingRows) -> TrainingOptions:
        self._refuse_combinations(rows)
        rule = read_discretizer(self.discretizer, rows)
        model = NaiveBayes(self.smoothing)
        display_rule = None
        if self.bins == "averaged":
            if type(rule) is not MODL:
                raise ParameterError(
                    f"bins='averaged' averages over all partitions, and discretizer={self.discretizer!r:.60} gives "
                    "one; use bins='best' with it."
                )
            _refuse_bin_options(rule)
            display_rule = rule
            rule = FinestBins()
            model = AveragedBins(self.smoothing)
        search, criterion = _choose_search(self.weights, self.search, criterion_name(self.criterion), self.n_features)
        if search is None:
            # Penalized weights can start from given columns; fractional ones start from all.
            start = self.start_from if self.weights == "fractional" else None
            _refuse_search_options(self.weights, feature_groups=self.feature_groups, start_from=start)
        splitter = _choose_splitter(rows, self.weights, self.cv, self.random_state, one_se=self.one_se)
        if self.calibration is not None and self.bins == "best" and splitter is None and not rows.has_validation_rows:
            raise ParameterError(
                f"calibration={self.calibration!r} needs held-out rows, and with bins='best' and cv=0 there are none; "
                "set cv to folds, or a share of the rows."
            )
        method_options = SearchOptions(
            rule,
            model,
            search,
            criterion,
            method="subset" if self.weights == "none" else self.weights,
            tol=self.tol,
            one_se=self.one_se,
            laplace=self.weights in ("penalized", "fractional"),
            calibration=self.calibration,
            display_rule=display_rule,
            random_state=self.random_state,
        )
        return replace(
            self._searched(rows, method_options, splitter),
            threshold=read_threshold(self.threshold),
            prior_shift=read_prior_shift(self.class_prior, rows),
        )

    def _refuse_combinations(self, rows: TrainingRows) -> None:
        if read_threshold(self.threshold).name != "bayes" and rows.n_classes != 2:
            raise ParameterError(f"threshold={self.threshold!r} is for two classes; this target has {rows.n_classes}.")
        if self.criterion == "benefit" and self.weights not in ("none", "penalized"):
            raise ParameterError(f"criterion='benefit' is for weights='none' or 'penalized', got {self.weights!r}.")


class _SearchChoice(NamedTuple):
    """A search, or None where the weights choose the columns, and a criterion."""

    search: str | None
    criterion: str


def _choose_search(weights: str, search: str, criterion: str, n_features: SizeOption) -> _SearchChoice:
    """Resolve "auto" of search and criterion."""
    own: str | None = search
    if search == "auto":
        free = isinstance(n_features, str)  # "auto" or "all"
        weights_choose = weights == "penalized" or (weights == "fractional" and free)
        own = None if criterion == "auto" and weights_choose else _SEARCHES.get(weights, "forward")
    if criterion == "auto":
        criterion = "log_loss" if own is None else _CRITERIA.get(weights, "brier")
    return _SearchChoice(own, criterion)


def _choose_splitter(
    rows: TrainingRows, weights: str, cv: CrossValidator, random_state: RandomState, *, one_se: bool = False
) -> Splitter | None:
    """Resolve "auto" of cv; ``one_se`` needs folds."""
    if not (isinstance(cv, str) and cv == "auto"):
        return read_splitter(rows, cv, random_state)
    if random_state is None and weights == "penalized":
        # Folds of neighboring rows differ where a table is in some order, and weights would pay for that.
        random_state = 0
    n_folds = _n_folds(rows, weights)
    if one_se and weights == "penalized":
        n_folds = min(5, int(rows.class_sizes.max()))
    return read_splitter(rows, n_folds, random_state)


def _n_folds(rows: TrainingRows, weights: str) -> int:
    """Return five folds, or as many as the largest class has rows; 0 where all rows serve better."""
    sizes = rows.class_sizes
    # A class of one row would be scored only by tables that lack it.
    unfit = rows.n_rows > _MANY_ROWS or sizes.min() < 2
    if weights not in ("penalized", "none") or (weights == "penalized" and unfit) or sizes.max() < 2:
        return 0
    return min(5, int(sizes.max()))


def _refuse_search_options(weights: str, **given: object) -> None:
    """Refuse parameters that only a search understands."""
    for parameter, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{parameter} needs a search, but with weights={weights!r} the weights select the columns; "
                "add search='forward', or leave it out."
            )


def _refuse_bin_options(rule: MODL) -> None:
    """Refuse parameters of a discretizer that an average over all partitions cannot have."""
    given = {
        "monotone": bool(rule.monotone),
        "max_bins": rule.max_bins is not None,
        "min_bin_size": rule.min_bin_size > 0,
    }
    for parameter in (name for name, is_given in given.items() if is_given):
        raise ParameterError(
            f"{parameter} of the discretizer is for one partition, and bins='averaged' averages over all; use "
            "bins='best', or a ScorecardClassifier."
        )


def _build(saved: SavedModel) -> SelectiveNaiveBayes:
    """Return the classifier of a model file."""
    try:
        model = SelectiveNaiveBayes(**saved.parameters)
    except TypeError:
        raise ModelFileError("The model file has parameters that SelectiveNaiveBayes does not have.") from None
    return restore(model, saved)


BUILDERS["SelectiveNaiveBayes"] = _build
