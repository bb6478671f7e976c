# SPDX-License-Identifier: BSD-3-Clause
"""Boosted selection."""

from os import PathLike

from bayesieve.estimators._types import ColumnsLike, CrossValidator, Label, RandomState, Transformer
from bayesieve.estimators.boost_estimator import BoostEstimator
from bayesieve.estimators.options.parameter_docs import documented
from bayesieve.fit.options import SizeOption
from bayesieve.model_file.file import BUILDERS

__all__ = ["BoostSelector"]


@documented
class BoostSelector(BoostEstimator):
    """Select the features of a boosted model, one after the other; for two classes.

    Each step fits a correction of the present model to every feature, adds the feature whose correction improves the
    score most, and changes the rows' weights, or their probabilities, by it. Rows that are predicted well lose weight,
    so that a feature that is redundant with a selected one gains nothing. The boosted model predicts, too; a naive
    Bayes on the selected features would count their common information twice.

    Parameters
    ----------
    method : {"confidence", "real", "logit", "brier"}, default="confidence"
        What a step improves. "confidence" is the boosted selection of paper 000: naive Bayes on one feature as a
        confidence in [-1, 1]. "real" takes half the log-odds of each bin, by which the exponential loss falls most.
        "logit" and "brier" are calibrated: Newton steps of the log-likelihood and of the squared error, which start
        from the class frequencies. With a rare class, "confidence" favors features that predict the frequent class with
        certainty, see ``docs/explanation/boosting.md``.
    replace : bool, default=False
        Whether a selected feature can contribute again: before each addition, as long as its step improves the score
        more than that of any other feature. Otherwise each feature contributes once.
    shrinkage : float, default=1.0
        Learning rate: the factor of each step, in (0, 1].
    smoothing : float, default=1.0
        Regularization: a pseudo-count of rows per bin. "confidence" adds smoothing / N to the frequency of each bin and
        class, "real" smoothing / 2N; the others add it to the second derivative.
    n_features : int, float, tuple, "all" or "auto", default="auto"
        How many features are selected: a number, a share, ``(smallest, largest)`` (None for no bound; the best size in
        between), all, or as many as improve the score. On the training rows (``cv=0``) nearly every feature does.
    pos_label : class label or None, default=None
        The positive one of two classes, for reports; None is the second of ``classes_``. The model is the same for
        both, and `decision_function` is that of ``classes_[1]``, as everywhere in scikit-learn.
    cv : int, float, splitter or list of index pairs, default=5
        On which rows steps are scored: the training rows (0), a held-out share (a float), or folds: their number, a
        splitter of scikit-learn, or pairs of training and validation positions. Neither bins nor steps of a fold are
        learned from its validation rows. There is one path; each fold has its own steps. ``X_val`` and ``y_val`` of
        `fit` replace it.
    {discretizer, scoring}
    keep : column names, positions, mask, callable or None, default=None
        Features that are always selected; they enter first.
    {drop, one_se, tol, max_time, checkpoint, n_jobs, backend, random_state, verbose}

    Attributes
    ----------
    {classes_, pos_label_, weights_, feature_weights_, feature_importances_, support_, n_features_, selection_}
    {scorecard_}
    path_ : SelectionPath
        Every step. The score of a subset is the sum of the gains of its features when they were added, as a mean over
        folds; 0 without features. For "real" it is minus the logarithm of the mean exponential loss, for "confidence"
        that of a bound of this loss, for "logit" the decrease of the mean log loss to second order, and for "brier" the
        decrease of the Brier score (both classes). The losses themselves are in ``cv_results_``.
    alphas_ : float array of shape (n_rounds,)
        The length of each step of the final model, fitted on all rows; ``shrinkage``, except for "confidence".
    rounds_ : tuple of str
        The feature of each step; with ``replace`` a feature can have several.
    {cv_results_, why_, partitions_, n_features_in_, feature_names_in_}

    See Also
    --------
    BoostClassifier : The same as a classifier with a decision threshold.
    NaiveBayesSelector : Each subset is scored by its naive Bayes model.

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
        self._store(locals())


BUILDERS["BoostSelector"] = BoostSelector._from_file
